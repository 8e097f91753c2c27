/** A real shop behind SSH, connected through the form as a person does it, tables and all. */
import type { Page } from 'playwright-core';
import type { TestShop } from '../support/shop.ts';
import type { SshServer } from '../support/sshd.ts';

type Reached = Pick<TestShop, 'database' | 'smtp'>;

/** From the welcome to the one form, with the shop's name and sender in it. */
async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Connect my shop/ }).click();
  await page.getByRole('button', { name: 'All in one form' }).click();
  await page.getByLabel('Name of the shop').fill('Studio U');
  await page.getByLabel('Sender').fill('Studio U <shop@shop.example>');
}

/** The database, and a mail server that wants no login. */
async function fillServers(page: Page, shop: Reached): Promise<void> {
  const group = (name: string) => page.getByRole('group', { name });
  const database = group('Database');
  const { port, user, password, database: name } = shop.database;
  await database.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await database.getByRole('textbox', { name: 'Name of the database' }).fill(name);
  await database.getByRole('textbox', { name: 'User name' }).fill(user);
  await database.getByLabel('Password', { exact: true }).fill(password ?? '');
  const mail = group('Mail account');
  await mail.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
  await mail.getByRole('textbox', { name: 'Port' }).fill(String(shop.smtp.port));
  await mail.getByRole('combobox', { name: 'Encryption' }).click();
  await page.getByRole('option', { name: 'None' }).click();
}

/** The form from the welcome on, but for the attachments' folder and the mail account's login. */
export async function fillForm(page: Page, shop: Reached, sshd: SshServer): Promise<void> {
  await openForm(page);
  const server = page.getByRole('group', { name: 'The shop’s server' });
  await server.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
  await server.getByRole('textbox', { name: 'Port' }).fill(String(sshd.port));
  await server.getByRole('textbox', { name: 'User name' }).fill(sshd.login().user);
  await server.getByRole('textbox', { name: /Private key file/ }).fill(sshd.keyFile);
  await fillServers(page, shop);
}

export async function connectShop(page: Page, shop: TestShop, sshd: SshServer): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name });
  await fillForm(page, shop, sshd);
  const database = page.getByRole('group', { name: 'Database' });
  await database.getByRole('textbox', { name: /Folder of the attachments/ }).fill(shop.filesRoot);
  await button('Save and connect').click();
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page.getByText('Is this your server?').waitFor();
  await button('Trust this server and connect').click();
  const banner = page.getByRole('region', { name: 'State of the shop' });
  await banner.getByText('Disabled', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('button', { name: 'Queue' }).click();
}

/** A shop whose database can be reached without SSH, and whose mail server wants no login. */
export async function connectDirectly(page: Page, shop: TestShop): Promise<void> {
  await openForm(page);
  await page.getByRole('switch', { name: /Reach the database through the server/ }).click();
  await fillServers(page, shop);
  await page.getByRole('button', { name: 'Save and connect' }).click();
  const banner = page.getByRole('region', { name: 'State of the shop' });
  await banner.getByText('Disabled', { exact: true }).waitFor();
}
