/** A real shop, from the welcome to its first mail: SSH with an unknown key, no tables yet, passwords to be kept. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { fillForm } from './connected.ts';
import { launch, type RunningApp } from './support.ts';

const smtpPassword = 'Tajné heslo 7';
let shop: TestShop;
let sshd: SshServer;
let running: RunningApp;
const page = () => running.page;
const button = (name: string) => page().getByRole('button', { name, exact: true });
const banner = () => page().getByRole('region', { name: 'State of the shop' });
const group = (name: string) => page().getByRole('group', { name });
const stored = (name: string) => readFileSync(path.join(running.userData, `${name}.json`), 'utf8');

beforeAll(async () => {
  sshd = await startSshd();
  shop = await makeShop({
    installed: false,
    smtp: { users: { 'shop@shop.example': smtpPassword } },
  });
  running = await launch();
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
  await sshd?.remove();
});

describe('connecting a shop', () => {
  it('takes one form', async () => {
    await fillForm(page(), shop, sshd);
    const mail = group('Mail account');
    await mail.getByRole('textbox', { name: 'User name' }).fill('shop@shop.example');
    await mail.getByLabel('Password', { exact: true }).fill(smtpPassword);
    await button('Save and connect').click();
    await banner().getByText('Not connected').waitFor();
  });

  it('asks before it trusts a server that it has never met', async () => {
    await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page().getByText('Is this your server?').waitFor();
    await page().getByRole('code').getByText(sshd.fingerprint).waitFor();
    await button('Trust this server and connect').click();
  });

  it('installs the tables when told to', async () => {
    await banner()
      .getByText(/tables are not complete/)
      .waitFor();
    await page().getByRole('tab', { name: 'Check' }).click();
    await button('Look at the tables').click();
    await button('Install the tables').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Install the tables' }).click();
    await banner().getByText('Disabled', { exact: true }).waitFor();
  });

  it('keeps no password where it could be read', async () => {
    expect(JSON.parse(stored('profiles'))).toMatchObject({ profiles: [{ name: 'Studio U' }] });
    for (const secret of [smtpPassword, shop.database.password ?? '']) {
      expect(stored('profiles') + stored('vault')).not.toContain(secret);
      expect(await page().content()).not.toContain(secret);
    }
    await page().getByRole('tab', { name: 'Connection' }).click();
    const password = group('Mail account').getByLabel('Password', { exact: true });
    expect(await password.inputValue()).toBe('');
    expect(await password.getAttribute('placeholder')).toBe('Set; leave empty to keep it');
  });
});

describe('a shop that is connected', () => {
  it('drains what the shop has queued, at its pace', async () => {
    await page().getByRole('navigation').getByRole('button', { name: 'Queue' }).click();
    for (let n = 1; n <= 3; n++)
      await shop.insert({ recipient: `c${n}@shop.example`, subject: `Order ${n}`, order_id: n });
    await button('Enable').click();
    await page()
      .getByRole('row', { name: /c1@shop\.example/ })
      .getByText('Sent', { exact: true })
      .waitFor({ timeout: 30_000 });
    expect(shop.smtp.mails.length).toBeGreaterThan(0);
  });

  it('is connected again after a new start, without a password typed', async () => {
    const { userData } = running;
    await shop.rows(); // the shop is there all the while
    await button('Disable').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await expect.poll(async () => (await shop.rows("state = 'sent'")).length, { timeout: 60_000 }).toBe(3);
    await banner().getByText('Disabled', { exact: true }).waitFor();
    await running.close({ keep: true });
    running = await launch({ userData });
    await banner().getByText('Disabled', { exact: true }).waitFor();
    expect(shop.smtp.mails).toHaveLength(3);
  });
});
