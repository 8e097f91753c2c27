/** The settings' check for a shop that is set up: what the host allows, and a test mail, by keyboard. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { faultsInBothThemes } from './axe.ts';
import { connectDirectly } from './connected.ts';
import { cutOff } from './cut-off.ts';
import { personAt } from './person.ts';
import { launch, type RunningApp } from './support.ts';

let shop: TestShop;
let running: RunningApp;
const page = () => running.page;
const { reach, press, type } = personAt(() => running);

beforeAll(async () => {
  shop = await makeShop({ settings: { rate_per_minute: 5 } });
  running = await launch({ size: { width: 1000, height: 700 } });
  await connectDirectly(page(), shop);
  await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page().getByRole('tab', { name: 'Check' }).click();
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
});

const form = (name: string) => page().getByRole('form', { name });
const limits = () => form('What does your host allow?');
const testMail = () => form('A test mail to myself');
const stored = async () => {
  const [row] = await shop.db.query<{ value: string }>(
    "SELECT value FROM wp_studiou_wcmq_settings WHERE name = 'settings'",
  );
  return JSON.parse(row?.value ?? '{}') as Record<string, unknown>;
};

it('the limits of the host are not taken empty, and are kept a fifth below', async () => {
  await press(page().getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: 'Settings' }));
  await page().getByRole('tab', { name: 'Check' }).click();
  await press(limits().getByRole('button', { name: 'Use these limits' }));
  await limits().getByText('Fill in at least one limit first.').waitFor();
  await reach(limits().getByRole('combobox', { name: 'Host or control panel' }));
  await page().keyboard.press('Enter');
  await page().getByRole('option', { name: 'Google Workspace' }).click();
  await limits()
    .getByText(/2,000 messages in 24 hours/)
    .waitFor();
  await type(limits().getByRole('textbox', { name: 'Mails an hour' }), '100');
  await limits().getByText('Postroom would send at most 5 a minute, 80 an hour, 1,600 a day.').waitFor();
  await press(limits().getByRole('button', { name: 'Use these limits' }));
  await expect
    .poll(stored, { timeout: 10_000 })
    .toMatchObject({ rate_per_minute: 5, rate_per_hour: 80, rate_per_day: 1600 });
});

it('a test mail is refused with a bad address, and says what the mail server answered', async () => {
  await type(testMail().getByRole('textbox', { name: 'My address' }), 'me@nowhere');
  await page().keyboard.press('Enter');
  await testMail().getByText('An address such as me@shop.example.').waitFor();
  await type(testMail().getByRole('textbox', { name: 'My address' }), 'me@shop.example');
  await press(testMail().getByRole('button', { name: 'Send a test mail' }));
  await testMail()
    .getByText(/The mail server took it after/)
    .waitFor({ timeout: 60_000 });
  expect(shop.smtp.mails.at(-1)?.to).toEqual(['me@shop.example']);
});

it('a test mail that waits can be called off, and that is said', async () => {
  // the gate lets the next one go after 12 s (5 a minute): long enough to press Stop
  await press(testMail().getByRole('button', { name: 'Send a test mail' }));
  await testMail().getByRole('button', { name: 'Stop' }).click();
  await testMail()
    .getByText(/The test mail was taken out of the queue again/)
    .waitFor({ timeout: 30_000 });
  expect(await page().evaluate(cutOff)).toEqual([]);
  expect(await faultsInBothThemes(page())).toEqual([]);
});
