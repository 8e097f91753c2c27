/** Tray and notifications, read back from the desktop that shows them: the engine, MariaDB and the mail server are real. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import type { SmtpBehaviour } from '../support/smtp-server.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { connectShop } from './connected.ts';
import { type DesktopBus, openDesktopBus } from './desktop-bus.ts';
import { launch, type RunningApp, start } from './support.ts';

let desktop: DesktopBus;
let shop: TestShop;
let sshd: SshServer;
let config: string;
let running: RunningApp;
let closed = false;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const banner = () => page().getByRole('region', { name: 'State of the shop' });
const grid = () => page().getByRole('grid', { name: 'Mails' });
const isVisible = () =>
  running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);
const closeWindow = () =>
  running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
const put = async (name: string) => {
  const to = `${name}@customer.example`;
  await shop.insert({ recipient: to, subject: name, payload: planPayload({ to, subject: name }) });
};
/** A mail server that does not know whoever is gone. */
const usual: SmtpBehaviour = ({ step, recipient }) =>
  step === 'rcpt' && recipient?.startsWith('gone') ? '550 5.1.1 User unknown' : undefined;
const told = (title: string | RegExp) =>
  desktop.notifications.find((one) => new RegExp(title).test(one.title));
const labels = async () =>
  (await desktop.tray()).menu.map(({ label }) => label).filter((label) => label !== '');
/** 25 s: a failure is gathered with others for 10 s before it is told */
const patient = { timeout: 25_000 };

beforeAll(async () => {
  desktop = await openDesktopBus();
  config = await mkdtemp(path.join(tmpdir(), 'postroom-config-'));
  sshd = await startSshd();
  shop = await makeShop({
    smtp: {
      behaviour: usual,
    },
    settings: { rate_per_minute: 60 },
  });
  running = await launch({ environment: { XDG_CONFIG_HOME: config } });
  await connectShop(page(), shop, sshd);
});

afterAll(async () => {
  await shop?.db.run('DELETE FROM wp_studiou_wcmq_queue');
  if (!closed) {
    await page()?.waitForTimeout(2_500);
    await running?.close();
  }
  await shop?.close();
  await sshd?.remove();
  desktop?.close();
  await rm(config, { recursive: true, force: true });
});

describe('the icon near the clock', () => {
  it('says how the shop stands, and has its things in the menu', async () => {
    await expect
      .poll(labels, patient)
      .toEqual(['Open Postroom', '0 mails remaining', 'Enable', 'Pause 15 minutes', 'Quit']);
    expect((await desktop.tray()).tooltip).toBe('Postroom\n0 mails remaining');
  });

  it('enables and pauses the shop; the window shows it', async () => {
    await desktop.press('Enable');
    await banner().getByText('Enabled', { exact: true }).waitFor();
    const calm = (await desktop.tray()).picture;
    await desktop.press('Pause 15 minutes');
    await banner()
      .getByText(/Paused until/)
      .waitFor();
    await expect.poll(labels, patient).toContain('Resume');
    expect((await desktop.tray()).picture).not.toBe(calm);
  });

  it('counts what waits, in its picture and in its words', async () => {
    const without = (await desktop.tray()).picture;
    for (const name of ['anna', 'boris', 'cyril']) await put(name);
    await expect
      .poll(async () => (await desktop.tray()).tooltip, patient)
      .toBe('Postroom\npaused, 3 mails remaining');
    expect((await desktop.tray()).picture).not.toBe(without);
    await desktop.press('Resume');
    await expect.poll(() => shop.smtp.mails.length, patient).toBe(3);
    await expect
      .poll(async () => (await desktop.tray()).tooltip, patient)
      .toBe('Postroom\n0 mails remaining');
  });
});

describe('closing the window', () => {
  it('keeps Postroom running and says so once; the icon and the menu bring it back', async () => {
    await closeWindow();
    await expect.poll(() => told('Postroom keeps running'), patient).toBeDefined();
    expect(await isVisible()).toBe(false);
    await desktop.clickIcon();
    await expect.poll(isVisible).toBe(true);
    await closeWindow();
    await expect.poll(isVisible).toBe(false);
    await desktop.press('Open Postroom');
    await expect.poll(isVisible).toBe(true);
    expect(desktop.notifications.filter(({ title }) => title === 'Postroom keeps running')).toHaveLength(1);
  });
});

describe('mails that fail', () => {
  it('are told of together, with why, and a click shows them', async () => {
    await closeWindow();
    for (const name of ['gone1', 'gone2', 'gone3']) await put(name);
    await expect.poll(() => told('3 mails failed')?.body, patient).toBe('Studio U: 3× no such mailbox');
    const shown = told('3 mails failed');
    if (shown) desktop.click(shown);
    await expect.poll(isVisible).toBe(true);
    await grid().getByRole('row').filter({ hasText: 'gone2' }).waitFor();
    await expect.poll(() => grid().getByRole('row').count()).toBe(4); // three, and the head
    expect(await button(/^Failed/).getAttribute('aria-pressed')).toBe('true');
  });

  it('are the last failures of the menu, each of which opens its mail', async () => {
    await expect.poll(labels, patient).toContain('Last failures');
    await desktop.press('Last failures', /^gone1@customer\.example: .*User unknown/);
    const drawer = page().getByRole('dialog');
    await drawer.getByText('gone1@customer.example').first().waitFor();
    await page().keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });
});

describe('a mail server that is gone', () => {
  it('is told of when the lane pauses, once, and when it goes on', async () => {
    shop.smtp.behaviour = ({ step }) => (step === 'greet' ? { drop: 'fin' } : undefined);
    shop.smtp.cutAll();
    await put('dana');
    await expect.poll(() => told('Sending is paused')?.body, { timeout: 60_000 }).toMatch(/^Studio U: /);
    await expect
      .poll(async () => (await desktop.tray()).tooltip, patient)
      .toMatch(/paused, 1 mail remaining/);
    shop.smtp.behaviour = usual;
    await button('Try now').click();
    await expect.poll(() => told('Sending goes on'), patient).toBeDefined();
    expect(desktop.notifications.filter(({ title }) => title === 'Sending is paused')).toHaveLength(1);
  });
});

describe('this computer', () => {
  it('starts Postroom at login when asked to, by an entry that the desktop reads, and no more when told so', async () => {
    await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page().getByRole('tab', { name: 'This computer' }).click();
    const login = page().getByRole('switch', { name: /Start when I log in/ });
    const entry = path.join(config, 'autostart', 'postroom.desktop');
    await login.click();
    await expect.poll(() => existsSync(entry)).toBe(true);
    expect(readFileSync(entry, 'utf8')).toMatch(/^Exec=".*" "--hidden"$/m);
    await expect.poll(() => login.isChecked()).toBe(true);
    await login.click();
    await expect.poll(() => existsSync(entry)).toBe(false);
  });

  it('speaks another language at once, window and menu alike', async () => {
    await page().getByRole('combobox', { name: 'Language' }).click();
    await page().getByRole('option', { name: 'Čeština' }).click();
    await page().getByRole('heading', { name: 'Tento počítač' }).waitFor();
    await expect.poll(labels, patient).toContain('Otevřít Postroom');
    await page().reload();
    await page().getByRole('navigation').getByRole('button', { name: 'Nastavení' }).click();
    await page().getByRole('tab', { name: 'Tento počítač' }).click();
    await page().getByRole('combobox', { name: 'Jazyk' }).click();
    await page().getByRole('option', { name: 'English' }).click();
    await page().getByRole('heading', { name: 'This computer' }).waitFor();
  });

  it('is quiet in its quiet hours, and about what nobody wants to hear', async () => {
    await page().getByRole('combobox', { name: 'Notifications' }).click();
    await page().getByRole('option', { name: 'Only what needs me' }).click();
    await page().getByText('Mail in doubt, paused sending').waitFor();
    await put('gone4');
    await expect
      .poll(async () => (await shop.rows("subject = 'gone4'"))[0]?.['state'], patient)
      .toBe('failed');
    await page().waitForTimeout(12_000); // failures are gathered for 10 s
    expect(told('gone4')).toBeUndefined();
    await page()
      .getByRole('switch', { name: /Quiet hours/ })
      .click();
    await page().getByLabel('From', { exact: true }).fill('21:30');
    expect(await page().getByLabel('To', { exact: true }).inputValue()).toBe('07:00');
  });

  it('starts without a window at login, and lets the menu open one', async () => {
    const { userData } = running;
    await running.close({ keep: true });
    const before = desktop.icons();
    const app = await start(userData, { environment: { XDG_CONFIG_HOME: config }, switches: ['--hidden'] });
    await expect.poll(() => desktop.icons(), patient).toBeGreaterThan(before);
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    await desktop.press('Open Postroom');
    const window = await app.firstWindow();
    await window.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await window.getByRole('tab', { name: 'This computer' }).click();
    expect(await window.getByLabel('From', { exact: true }).inputValue()).toBe('21:30');
    await app.close();
    await rm(userData, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    closed = true;
  });
});
