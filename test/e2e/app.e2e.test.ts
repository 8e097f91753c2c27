/** The real app, driven as a person does: by what can be read and pressed, nothing else. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, picture, type RunningApp, runtimeExecutable, startArguments } from './support.ts';

let running: RunningApp;
const errors: string[] = [];
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const banner = () => page().getByRole('region', { name: 'State of the shop' });
const rows = () =>
  page()
    .getByRole('grid', { name: 'Mails' })
    .getByRole('row')
    .filter({ has: page().getByRole('checkbox', { name: /^Select the mail/ }) });

/** The number that stands above a word in the banner. */
async function figure(word: string): Promise<string> {
  const text = await banner()
    .locator('div', { has: page().getByText(word, { exact: true }) })
    .last()
    .textContent();
  return (text ?? '').replace(word, '').trim();
}
const remaining = async () => Number(await figure('remaining'));

async function go(screen: 'Queue' | 'What arrived' | 'Log' | 'Settings') {
  await page().getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: screen }).click();
}

beforeAll(async () => {
  running = await launch();
  page().on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page().on('pageerror', (error) => errors.push(error.message));
});

afterAll(async () => {
  await running?.close();
});

describe('a new person', () => {
  it('is welcomed with two ways', async () => {
    await page().getByRole('heading', { name: 'Welcome to Postroom' }).waitFor();
    await button(/Connect my shop/).waitFor();
    await picture(page(), 'welcome');
  });

  it('can look at what connecting a shop takes, and is told what is wrong', async () => {
    await button(/Connect my shop/).click();
    await button('All in one form').click();
    await page().getByLabel('Name of the shop').fill('Studio U');
    await page().getByLabel('Sender').fill('x');
    await page()
      .getByRole('switch', { name: /Reach the database/ })
      .click();
    await page()
      .getByRole('group', { name: 'Database' })
      .getByRole('textbox', { name: 'User name' })
      .fill('shop');
    await page().getByLabel('Name of the database').fill('shop');
    await page()
      .getByRole('group', { name: 'Mail account' })
      .getByRole('textbox', { name: 'Address' })
      .fill('127.0.0.1');
    await button('Save and connect').click();
    await page().getByRole('alert').filter({ hasText: 'This connection cannot be used' }).waitFor();
    await button('Back to the guide').click();
    await button('Finish later').click();
  });

  it('opens the demo shop with one click', async () => {
    await button(/Look around with a demo shop/).click();
    await banner().getByText('Disabled').waitFor();
    for (const light of ['Shop', 'Database', 'Mail server'])
      await banner().getByText(light, { exact: true }).waitFor();
  });
});

describe('the queue', () => {
  it('fills when the shop sells', async () => {
    await go('What arrived');
    const before = await remaining();
    await button('Let the shop sell 10 orders').click();
    await expect.poll(remaining, { timeout: 15_000 }).toBeGreaterThanOrEqual(before + 10);
  });

  it('drains once it is enabled: the banner counts down, and mail arrives', async () => {
    const before = await remaining();
    await button('Enable').click();
    await banner().getByText('Enabled').waitFor();
    await expect.poll(() => figure('next mail'), { timeout: 10_000 }).toMatch(/in \d+ sec|now/);
    expect(await figure('this minute')).toMatch(/^\d+ of 20$/);
    await expect.poll(remaining, { timeout: 30_000 }).toBeLessThan(before);
    await page()
      .getByRole('cell', { name: /@.*\.example/ })
      .first()
      .waitFor();
    await picture(page(), 'arrived');
    await go('Queue');
    await rows().first().waitFor();
    await picture(page(), 'queue');
  });

  it('is paused until a moment of one’s own, with a reason, and refuses one that is over', async () => {
    await button('Pause').click();
    await page().getByRole('menuitem', { name: 'Until a date and time, with a reason…' }).click();
    const question = page().getByRole('dialog', { name: 'Pause sending' });
    await question.getByLabel('Until').fill('2020-01-01T10:00');
    await question.getByText('This moment is over already, or is none.').waitFor();
    expect(await question.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    await question.getByLabel('Until').fill('2999-01-01T10:00');
    await question.getByText('At most 30 days: a pause that is forgotten must end by itself.').waitFor();
    const soon = new Date(Date.now() + 26 * 3_600_000 - new Date().getTimezoneOffset() * 60_000);
    await question.getByLabel('Until').fill(soon.toISOString().slice(0, 16));
    await question.getByLabel('Reason').fill('The host moves tonight');
    await question.getByRole('button', { name: 'Pause' }).press('Enter');
    await banner()
      .getByText(/Paused until .* · The host moves tonight/)
      .waitFor();
    await button('Resume').click();
    await banner()
      .getByText(/Paused until/)
      .waitFor({ state: 'hidden' });
  });

  it('stands still while a person pauses it, and goes on when told', async () => {
    await button('Pause').click();
    await page().getByRole('menuitem', { name: 'For 15 minutes' }).click();
    await banner()
      .getByText(/Paused until/)
      .waitFor();
    await picture(page(), 'paused');
    await button('Resume').click();
    await banner()
      .getByText(/Paused until/)
      .waitFor({ state: 'hidden' });
  });

  it('tells why a mail failed, in the mail server’s own words', async () => {
    await button(/^Failed/).click();
    const failed = rows().filter({ hasText: 'mailbox is full' }).first();
    await failed.waitFor();
    await failed.click();
    const drawer = page().getByRole('dialog');
    await drawer
      .getByText(/mailbox is full/)
      .first()
      .waitFor();
    await picture(page(), 'mail');
    await drawer.getByRole('tab', { name: /History/ }).click();
    await drawer.getByText('Refused for good').waitFor();
    await drawer.getByText('The mail server said:').waitFor();
    await picture(page(), 'history');
  });

  it('retries it after a question that says how many and how long', async () => {
    const drawer = page().getByRole('dialog').first();
    await drawer.getByRole('button', { name: 'Retry' }).click();
    const question = page().getByRole('dialog', { name: 'Send 1 mail again?' });
    await question.getByText('1 mail; the queue will be 3 sec longer.').waitFor();
    await picture(page(), 'retry');
    await question.getByRole('button', { name: 'Retry 1 mail' }).click();
    await page().getByText('1 mail is back in the queue.').waitFor();
    await question.waitFor({ state: 'hidden' });
    await drawer.getByText('Failed', { exact: true }).waitFor({ state: 'hidden' });
    await page().keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });

  it('deletes by keyboard alone, after a question', async () => {
    await button(/^Sent/).click();
    await rows().first().waitFor();
    const first = await rows().first().textContent();
    await rows().first().focus();
    await page().keyboard.press('Space');
    await page().keyboard.press('Shift+ArrowDown');
    await page().getByText('2 selected').waitFor();
    await page().keyboard.press('Delete');
    const question = page().getByRole('dialog', { name: 'Delete 2 mails?' });
    await question.waitFor();
    await question.getByRole('button', { name: 'Delete 2 mails' }).press('Enter');
    await page().getByText('2 mails are being deleted').waitFor();
    await expect.poll(() => rows().first().textContent(), { timeout: 20_000 }).not.toBe(first);
  });

  it('finds mail by what one types', async () => {
    await button(/^All/).click();
    await page().keyboard.press('/');
    await page().keyboard.type('full.example');
    await expect
      .poll(async () => (await rows().allTextContents()).every((text) => text.includes('full.example')))
      .toBe(true);
    await page().getByRole('textbox', { name: 'Search recipient or subject' }).fill('no such mail');
    await page().getByText('No mail matches').waitFor();
    await button('Show all mail').click();
    await rows().first().waitFor();
  });
});

describe('the other screens', () => {
  it('show the log as it grows, by level and by word', async () => {
    await go('Log');
    const log = page().getByRole('log');
    await log.getByText(/sent/).first().waitFor();
    await picture(page(), 'log');
    await page().getByRole('radiogroup', { name: 'Show' }).getByText('Errors').click();
    await page().getByRole('textbox', { name: 'Search the log' }).fill('no such line');
    await page().getByText('No line matches').waitFor();
  });

  it('save the log to a file, as spreadsheets read it, and clear it only after saying how many lines go', async () => {
    await page().getByRole('textbox', { name: 'Search the log' }).fill('');
    await page().getByRole('radiogroup', { name: 'Show' }).getByText('All', { exact: true }).click();
    await page().getByRole('log').getByText(/sent/).first().waitFor();
    const file = path.join(running.userData, 'log.csv');
    // the system's own dialog is nobody's to press here
    await running.app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    }, file);
    await button('Save the log as a file (CSV)').click();
    await page()
      .getByText(/^[\d,]+ lines were saved to .*log\.csv\.$/)
      .waitFor();
    const [head, first] = readFileSync(file, 'utf8').split('\r\n');
    expect(head).toBe('\uFEFFid,time,level,mail,message');
    expect(first).toMatch(/^\d+,\d{4}-\d\d-\d\dT[\d:.]+Z,(debug|info|warning|error),\d*,.+/);
    await button('Clear the log').click();
    const question = page().getByRole('dialog', { name: /^Clear the log\? [\d,]+ lines are deleted\.$/ });
    await question.getByText(/deleted for good/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
  });

  it('set the pace within its bounds', async () => {
    await go('Settings');
    const pace = page().getByRole('textbox', { name: 'Mails per minute' });
    await pace.fill('30');
    await page().getByText('One mail every 2 seconds, at most 1800 an hour.').waitFor();
    await picture(page(), 'settings');
    await button('Save').click();
    await page().getByText('Saved.').waitFor();
    await expect.poll(() => figure('this minute')).toMatch(/of 30$/);
  });

  it('choose what is queued from the shop’s own mail types, and warn of passwords', async () => {
    await page().getByRole('tab', { name: 'Mail types' }).click();
    await page().getByText('A customer waits at the screen for it.').first().waitFor();
    await page().getByRole('checkbox', { name: 'Queue Reset password' }).check();
    await page().getByText('Think twice before queueing them').waitFor();
    await page().getByRole('checkbox', { name: 'Queue Reset password' }).uncheck();
    await page().getByRole('checkbox', { name: 'Queue Customer note' }).check();
    await page().getByLabel('Add a mail type by its name').fill('my_plugin_mail');
    await page().getByLabel('Add a mail type by its name').press('Enter');
    await page().getByRole('checkbox', { name: 'Queue my_plugin_mail' }).waitFor();
    await button('Save').click();
    await page().getByText('Saved.').first().waitFor();
    expect(await page().getByRole('checkbox', { name: 'Queue Customer note' }).isChecked()).toBe(true);
  });

  it('check the whole way to the mail server', async () => {
    await page().getByRole('tab', { name: 'Check' }).click();
    await button('Check now').click();
    const steps = page().getByRole('list', { name: 'Steps of the check' });
    await steps.getByText('Sender is accepted').waitFor({ timeout: 30_000 });
    await picture(page(), 'check');
  });

  it('disable only after saying what happens to the mail that waits', async () => {
    await go('Queue');
    await button('Disable').click();
    const question = page().getByRole('dialog', { name: 'Disable the queue?' });
    await question.getByText(/queue drains first|disabled at once/).waitFor();
    await question.getByRole('button', { name: 'Disable' }).click();
    await banner()
      .getByText(/Draining|Disabled/)
      .first()
      .waitFor();
  });
});

describe('the window', () => {
  it('leads nowhere else and runs no foreign script', async () => {
    const before = page().url();
    const found = await page().evaluate(async () => {
      const ran = globalThis as unknown as { foreign?: boolean; process?: unknown; require?: unknown };
      const script = document.createElement('script');
      script.textContent = 'globalThis.foreign = true';
      document.body.append(script);
      script.remove();
      const opened = window.open('https://example.com/');
      const fetched = await fetch('https://example.com/').then(
        () => true,
        () => false,
      );
      return {
        foreign: ran.foreign ?? false,
        node: Boolean(ran.process ?? ran.require),
        opened: opened !== null,
        fetched,
      };
    });
    expect(found).toEqual({ foreign: false, node: false, opened: false, fetched: false });
    await page().evaluate(() => {
      location.href = 'https://example.com/';
    });
    expect(page().url()).toBe(before);
    errors.length = 0; // the policy reports what it refused as errors
  });

  it('is raised by a second start, which ends by itself', async () => {
    await running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    const second = spawn(await runtimeExecutable(), startArguments(running.userData), { stdio: 'ignore' });
    const code = await new Promise((resolve) => second.on('exit', resolve));
    expect(code).toBe(0);
    await expect
      .poll(() => running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
      .toBe(true);
  });

  it('had no error of its own all the while', () => {
    expect(errors).toEqual([]);
    expect(running.stderr()).not.toMatch(/^postroom: /m);
  });

  it('comes back to the shop that was shown last', async () => {
    const { userData } = running;
    await running.close({ keep: true });
    running = await launch({ userData });
    await banner()
      .getByText(/Disabled|Draining/)
      .first()
      .waitFor();
    await button(/^Shop: Demo shop/).waitFor();
  });
});
