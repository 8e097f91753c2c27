/** The guide without SSH, and on a computer without a password store: passwords are asked for again when it is gone on with. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { personAt } from './person.ts';
import { launch, type RunningApp } from './support.ts';

const start = { size: { width: 1000, height: 700 }, switches: ['--password-store=basic'] };
let shop: TestShop;
let running: RunningApp;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const database = () => page().getByRole('group', { name: 'Database' });
const mail = () => page().getByRole('group', { name: 'Mail account' });
const { press, type, arriveAt, looksRight } = personAt(() => running);
const password = () => database().getByLabel('Password', { exact: true });

beforeAll(async () => {
  shop = await makeShop({});
  running = await launch(start);
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
});

it('says before anything is typed that passwords cannot be kept, and needs no SSH', async () => {
  await press(button(/Connect my shop/));
  await arriveAt('Your server');
  await page()
    .getByText(/asks for passwords at each start/)
    .waitFor();
  await looksRight('bare');
  await page()
    .getByRole('switch', { name: /Reach the database through the server/ })
    .press('Space');
  await press(button('Continue'));
  await arriveAt('Your shop');
  await type(page().getByRole('textbox', { name: 'Name of the shop' }), 'Studio U');
  await type(database().getByRole('textbox', { name: 'Port' }), String(shop.database.port));
  await type(database().getByRole('textbox', { name: 'Name of the database' }), shop.database.database);
  await type(database().getByRole('textbox', { name: 'User name' }), shop.database.user);
  await type(password(), shop.database.password ?? '');
  await press(button('Continue'));
  await arriveAt('Your mail account');
  await type(page().getByRole('textbox', { name: 'Sender' }), 'shop@shop.example');
  await type(mail().getByRole('textbox', { name: 'Address' }), '127.0.0.1');
  await mail().getByRole('combobox', { name: 'Encryption' }).click();
  await page().getByRole('option', { name: 'None' }).click();
  await type(mail().getByRole('textbox', { name: 'Port' }), String(shop.smtp.port));
  await press(button('Continue'));
  await arriveAt('Check');
  await page().getByText('Nothing stands in the way.').waitFor({ timeout: 60_000 });
});

it('asks for the password again after a new start, and for nothing else', async () => {
  await press(button('Finish later'));
  await page().getByText('Not finished: Studio U').waitFor();
  const { userData } = running;
  await running.close({ keep: true });
  running = await launch({ ...start, userData });
  await press(button('Go on: Studio U'));
  await arriveAt('Check');
  await page()
    .getByText(/could not keep these, so please type them again at their step: Database password/)
    .waitFor();
  await press(button('Go to: Your shop'));
  await arriveAt('Your shop');
  expect(await database().getByRole('textbox', { name: 'User name' }).inputValue()).toBe(shop.database.user);
  await type(password(), shop.database.password ?? '');
  await press(button('Continue'));
  await arriveAt('Your mail account');
  await press(button('Continue'));
  await arriveAt('Check');
  await page().getByText('Nothing stands in the way.').waitFor({ timeout: 60_000 });
  expect(
    await page()
      .getByText(/could not keep these/)
      .count(),
  ).toBe(0);
});

it('goes through with tables that are there already, and without a test mail', async () => {
  await press(button('Continue'));
  await arriveAt('Pace');
  await page()
    .getByText(/Postroom would send at most/)
    .waitFor({ timeout: 30_000 });
  await press(button('Continue'));
  await arriveAt('Tables');
  await page()
    .getByText(/tables are there, complete/)
    .waitFor({ timeout: 30_000 });
  await press(button('Continue'));
  await arriveAt('Test mail to myself');
  await press(button('Go on without the test'));
  await arriveAt('Enable');
  await press(button('Enable the queue'));
  await page()
    .getByRole('region', { name: 'State of the shop' })
    .getByText('Enabled', { exact: true })
    .waitFor({ timeout: 60_000 });
});

it('can be removed where it was left', async () => {
  await page()
    .getByRole('button', { name: /^Shop: / })
    .click();
  await page().getByRole('menuitem', { name: 'Add a shop' }).click();
  await press(button(/Connect my shop/));
  await arriveAt('Your server');
  await type(page().getByRole('textbox', { name: 'Address' }), 'ssh.shop.example');
  await press(button('Finish later'));
  await page().getByText('Not finished: a shop without a name yet').waitFor();
  await press(button('Remove: a shop without a name yet'));
  await page().getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect
    .poll(() =>
      page()
        .getByText(/Not finished/)
        .count(),
    )
    .toBe(0);
});
