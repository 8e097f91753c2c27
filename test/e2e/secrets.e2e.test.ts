/** A computer without a password store: passwords are asked for at each start; and a connection taken to another computer. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { launch, type RunningApp } from './support.ts';

const smtpPassword = 'Tajné heslo 7';
const withoutStore = ['--password-store=basic'];
let shop: TestShop;
let running: RunningApp;
const page = () => running.page;
const button = (name: string) => page().getByRole('button', { name, exact: true });
const banner = () => page().getByRole('region', { name: 'State of the shop' });
const group = (name: string) => page().getByRole('group', { name });
/** All text that the app has written anywhere in its folder. */
const onDisk = (folder = running.userData): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
/** The system's own dialogs cannot be driven from here: they answer this file. */
const dialogsAnswer = (file: string) =>
  running.app.evaluate(({ dialog }, name) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath: name });
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [name] });
  }, file);

beforeAll(async () => {
  shop = await makeShop({ smtp: { users: { 'shop@shop.example': smtpPassword } } });
  running = await launch({ switches: withoutStore });
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
});

async function fillPasswords() {
  await group('Database')
    .getByLabel('Password', { exact: true })
    .fill(shop.database.password ?? '');
  await group('Mail account').getByLabel('Password', { exact: true }).fill(smtpPassword);
}

describe('without a password store', () => {
  it('says so before anything is typed, and connects all the same', async () => {
    await page()
      .getByRole('button', { name: /Connect my shop/ })
      .click();
    await page().getByRole('button', { name: 'All in one form' }).click();
    await page()
      .getByRole('alert')
      .getByText(/asks for passwords at each start/)
      .waitFor();
    await page().getByLabel('Name of the shop').fill('Studio Ú');
    await page().getByLabel('Sender').fill('Studio U <shop@shop.example>');
    await page()
      .getByRole('switch', { name: /Reach the database through the server/ })
      .click();
    const database = group('Database');
    await database.getByRole('textbox', { name: 'Port' }).fill(String(shop.database.port));
    await database.getByRole('textbox', { name: 'Name of the database' }).fill(shop.database.database);
    await database.getByRole('textbox', { name: 'User name' }).fill(shop.database.user);
    const mail = group('Mail account');
    await mail.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
    await mail.getByRole('textbox', { name: 'Port' }).fill(String(shop.smtp.port));
    await mail.getByRole('combobox', { name: 'Encryption' }).click();
    await page().getByRole('option', { name: 'None' }).click();
    await mail.getByRole('textbox', { name: 'User name' }).fill('shop@shop.example');
    await fillPasswords();
    await button('Save and connect').click();
    await banner().getByText('Disabled', { exact: true }).waitFor();
  });

  it('has written no password anywhere', () => {
    const written = onDisk();
    expect(written).toContain('shop.example'); // the profile itself was written
    for (const secret of [smtpPassword, shop.database.password ?? 'none'])
      expect(written).not.toContain(Buffer.from(secret).toString('latin1'));
  });

  it('asks at the next start, sends nothing until then, and takes what is typed', async () => {
    const { userData } = running;
    await running.close({ keep: true });
    running = await launch({ userData, switches: withoutStore });
    const ask = page().getByRole('form', { name: 'Type what is missing' });
    await banner()
      .getByText(/database password is asked for at each start/)
      .waitFor();
    await ask.getByLabel('Database password').fill(shop.database.password ?? '');
    expect(await button('Use and connect').isDisabled()).toBe(true);
    await ask.getByLabel('Mail account password').fill(smtpPassword);
    await page().keyboard.press('Enter');
    await banner().getByText('Disabled', { exact: true }).waitFor();
  });
});

describe('a connection as a file', () => {
  it('is written without passwords', async () => {
    const file = path.join(running.userData, 'studio.postroom.json');
    await dialogsAnswer(file);
    await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page().getByRole('tab', { name: 'Connection' }).click();
    await button('Save as a file…').click();
    await page()
      .getByText(/without passwords\./)
      .waitFor();
    const written = JSON.parse(readFileSync(file, 'utf8')) as { database: unknown; smtp: unknown };
    expect(written).toMatchObject({
      name: 'Studio Ú',
      database: { password: expect.stringMatching(/^.{ENV:POSTROOM_DATABASE_PASSWORD\}$/) },
      smtp: { password: expect.stringMatching(/^.{ENV:POSTROOM_SMTP_PASSWORD\}$/) },
    });
  });

  it('is opened elsewhere, where only the passwords are typed', async () => {
    await page()
      .getByRole('button', { name: /^Shop: / })
      .click();
    await page().getByRole('menuitem', { name: 'Add a shop' }).click();
    await page()
      .getByRole('button', { name: /Connect my shop/ })
      .click();
    await page().getByRole('button', { name: 'All in one form' }).click();
    await button('Open from a file…').click();
    await page()
      .getByText(/Passwords are not in the file/)
      .waitFor();
    await page().getByLabel('Name of the shop').fill('Studio U again');
    await fillPasswords();
    await button('Save and connect').click();
    await banner().getByText('Disabled', { exact: true }).waitFor();
  });
});
