/** The guided first run, by labels and keyboard alone: from the welcome to the first mail of the shop at its mail server. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { personAt } from './person.ts';
import { putSite } from './site.ts';
import { launch, picture, type RunningApp } from './support.ts';

const sshPassword = 'Růžová zahrada 7';
const smtpPassword = 'Tajné heslo 7';
/** the least window that the app allows for comfort, and half of it at 200 % */
const size = { width: 1000, height: 700 };
let shop: TestShop;
let sshd: SshServer;
let running: RunningApp;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const group = (name: string) => page().getByRole('group', { name });
const heading = (name: string) => page().getByRole('heading', { level: 1, name, exact: true });
const field = (name: string | RegExp) => page().getByRole('textbox', { name });
const step = (title: string) => page().getByRole('listitem').filter({ hasText: title });
const reason = (words: string | RegExp) => page().getByRole('status').getByText(words);
const { reach, press, type, arriveAt, looksRight, shoot } = personAt(() => running);
/** All text that the app has written anywhere in its folder. */
const onDisk = (): string =>
  readdirSync(running.userData, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(running.userData, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

beforeAll(async () => {
  sshd = await startSshd({ password: sshPassword });
  shop = await makeShop({ installed: false, smtp: { users: { 'shop@shop.example': smtpPassword } } });
  await shop.db.run(
    'CREATE TABLE wp_options (option_id BIGINT AUTO_INCREMENT PRIMARY KEY, option_name VARCHAR(191), option_value LONGTEXT)',
  );
  for (const option of [
    ['home', 'https://shop.example'],
    ['blogname', 'Studio U'],
  ])
    await shop.db.run('INSERT INTO wp_options (option_name, option_value) VALUES (?, ?)', option);
  putSite(path.join(sshd.folder, 'home'), shop.database, 'wp_');
  running = await launch({ size });
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await shoot('failed');
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
  await sshd?.remove();
});

describe('your server', () => {
  it('is where the guide begins', async () => {
    await press(button(/Connect my shop/));
    await arriveAt('Your server');
  });

  it('says what is wrong with each field, and puts the keyboard there', async () => {
    await press(button('Continue'));
    await reason('Some fields above need a look.').waitFor();
    await expect
      .poll(() => field('Address').evaluate((element) => element === document.activeElement))
      .toBe(true);
    expect(await page().getByText('Please fill this in.').count()).toBe(2);
    await type(field('Address'), 'shop@ssh.shop.example');
    await page()
      .getByText(/The name or address alone/)
      .waitFor();
    await type(field('Fingerprint of the server'), 'aa:bb:cc');
    await page()
      .getByText(/A fingerprint begins with SHA256/)
      .waitFor();
    await type(field('Fingerprint of the server'), '');
    await type(field('Address'), '127.0.0.1');
    await type(field('Port'), String(sshd.port));
    await type(field('User name'), sshd.login().user);
    await press(button('Continue'));
    await reason(/Type the password, choose a key file/).waitFor();
    await looksRight('server');
  });

  it('asks before it trusts a server that it has never met, and says that a password is wrong', async () => {
    await type(page().getByLabel('Password (if you sign in with one)'), 'Ganz falsch 7');
    await page().keyboard.press('Enter'); // in a field as well
    await page().getByText('Is this your server?').waitFor();
    await reason(/Compare the server’s fingerprint/).waitFor();
    await page().getByRole('code').getByText(sshd.fingerprint).waitFor();
    await looksRight('server-key');
    await picture(page(), 'guide-server');
    await press(button('Trust this server and go on'));
    await reason('The login does not work yet: what was found stands above.').waitFor();
    await step('SSH login').getByText('Check the user, and the password').waitFor();
    await button('Go on all the same').waitFor();
    await looksRight('server-red');
  });

  it('is passed with what lets it in', async () => {
    await type(page().getByLabel('Password (if you sign in with one)'), sshPassword);
    await press(button('Continue'));
    await arriveAt('Your shop');
  });
});

describe('your shop', () => {
  it('is found by itself, and fills in its database', async () => {
    await button('Use this: Studio U').waitFor({ timeout: 60_000 });
    await press(button('Use this: Studio U'));
    await page().getByText('Its database, folder and names are filled in.').waitFor();
    expect(await field('Name of the shop').inputValue()).toBe('Studio U');
    expect(await page().content()).not.toContain(shop.database.password ?? 'none');
    await looksRight('shop');
    await picture(page(), 'guide-shop', { [path.join(sshd.folder, 'home')]: '/home/shop' });
  });

  it('says what is wrong with each field', async () => {
    await type(field('Name of the shop'), ' ');
    await press(button('The database, by hand'));
    const database = group('Database');
    await type(database.getByRole('textbox', { name: 'Name of the database' }), '');
    await type(database.getByRole('textbox', { name: 'Table prefix' }), 'wp-');
    await type(database.getByRole('textbox', { name: 'User name' }), '');
    await press(button('Continue'));
    await reason('Some fields above need a look.').waitFor();
    expect(await page().getByText('Please fill this in.').count()).toBe(3);
    await page().getByText('Letters, digits, _ and $ alone.').waitFor();
    await press(button('My shop has a mail queue of its own already'));
    await looksRight('shop-faults');
    await press(button('My shop has a mail queue of its own already'));
    await page().keyboard.press('Shift+Tab');
    await button('Use this: Studio U').or(button('In the form: Studio U')).click();
    await type(field('Name of the shop'), 'Studio U');
  });

  it('is tried before it goes on', async () => {
    await press(button('Continue'));
    await arriveAt('Your mail account');
  });

  it('is still there after going back and forth', async () => {
    await press(button('Back'));
    await arriveAt('Your shop');
    await press(button('Back'));
    await arriveAt('Your server');
    expect(await field('Address').inputValue()).toBe('127.0.0.1');
    await press(
      page().getByRole('navigation', { name: 'Steps to a connected shop' }).getByRole('button').nth(1),
    );
    await arriveAt('Your shop');
    expect(await field('Name of the shop').inputValue()).toBe('Studio U');
    await press(button('Continue'));
    await arriveAt('Your mail account');
  });
});

describe('your mail account', () => {
  it('says what is wrong with each field', async () => {
    await type(field('Sender'), 'Studio U');
    await type(page().getByLabel('Password', { exact: true }), smtpPassword);
    await press(button('Continue'));
    await page()
      .getByText(/An address such as shop@shop.example/)
      .waitFor();
    await page().getByText('A password was given, but no user name for it.').waitFor();
    await looksRight('mail');
  });

  it('can be passed although it does not work, since the check comes yet', async () => {
    await type(field('Sender'), 'Studio U <shop@shop.example>');
    await type(field('Address'), '127.0.0.1');
    await type(field('Port'), String(shop.smtp.port));
    await reach(page().getByRole('combobox', { name: 'Encryption' }));
    await page().keyboard.press('Enter');
    await page().getByRole('option', { name: 'None' }).waitFor();
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    expect(await page().getByRole('combobox', { name: 'Encryption' }).inputValue()).toBe('None');
    // choosing another encryption moves a usual port alone
    await type(field('Port'), String(shop.smtp.port));
    await type(field('User name'), 'shop@shop.example');
    await type(page().getByLabel('Password', { exact: true }), 'falsch');
    await press(button('Continue'));
    await reason('The mail account does not work yet: what was found stands above.').waitFor();
    await press(button('Go on all the same'));
    await arriveAt('Check');
  });
});

describe('leaving half-way', () => {
  it('keeps everything, passwords in the password store alone, and leads back to where it was', async () => {
    await press(button('Finish later'));
    await page().getByText('Not finished: Studio U').waitFor();
    await page()
      .getByText(/It stands at step 4 of 8, Check/)
      .waitFor();
    await looksRight('welcome');
    const { userData } = running;
    await running.close({ keep: true });
    running = await launch({ userData, size });
    for (const secret of [sshPassword, shop.database.password ?? 'none'])
      expect(onDisk()).not.toContain(Buffer.from(secret).toString('latin1'));
    await press(button('Go on: Studio U'));
    await arriveAt('Check');
  });
});

describe('the check', () => {
  it('runs by itself, and leads back to where a red step is mended', async () => {
    await reason(/1 step is red/).waitFor({ timeout: 60_000 });
    await step('Queue tables and columns').getByText('They are installed two steps from here').waitFor();
    await press(button('Continue'));
    expect(await heading('Check').count()).toBe(1);
    await looksRight('check-red');
    await picture(page(), 'guide-check', { [path.join(sshd.folder, 'home')]: '/home/shop' });
    await press(button('Go to: Your mail account'));
    await arriveAt('Your mail account');
    expect(await field('User name').inputValue()).toBe('shop@shop.example');
    await type(page().getByLabel('Password', { exact: true }), smtpPassword);
    await press(button('Continue'));
    await arriveAt('Check');
  });

  it('can be stopped and started again', async () => {
    await page().getByText('Nothing stands in the way.').waitFor({ timeout: 60_000 });
    await looksRight('check');
    shop.smtp.behaviour = ({ step: at }) => (at === 'ehlo' ? { delayMs: 10_000 } : undefined);
    await press(button('Check again'));
    await button('Stop').first().click();
    await page().getByText('Stopped.').waitFor();
    shop.smtp.behaviour = () => undefined;
    await press(button('Continue'));
    await reason('The check has not come to its end. Start it again to go on.').waitFor();
    await press(button('Check again'));
    await page().getByText('Nothing stands in the way.').waitFor({ timeout: 60_000 });
    await press(button('Continue'));
    await arriveAt('Pace');
  });
});

describe('the pace', () => {
  it('has something careful chosen, and says when nothing is', async () => {
    await page()
      .getByText('Postroom would send at most 5 a minute, 160 an hour, any number a day.')
      .waitFor({ timeout: 30_000 });
    await type(field('Mails an hour'), '');
    await press(button('Continue'));
    await reason(/No limit is stated/).waitFor();
    await looksRight('pace');
    await type(field('Mails an hour'), '500');
    await page()
      .getByText(/400 an hour/)
      .waitFor();
    await press(button('Continue'));
    await arriveAt('Tables');
  });
});

describe('the tables', () => {
  it('are named before they are made', async () => {
    await page().getByText('wp_studiou_wcmq_queue', { exact: true }).waitFor({ timeout: 30_000 });
    await looksRight('tables');
    expect(await shop.db.query("SHOW TABLES LIKE 'wp_studiou_wcmq_queue'")).toEqual([]);
    await press(button('Install the tables'));
    await arriveAt('Test mail to myself');
    expect(await shop.db.query("SHOW TABLES LIKE 'wp_studiou_wcmq_queue'")).toHaveLength(1);
  });

  it('begin with the pace that was chosen', async () => {
    const [row] = await shop.db.query<{ value: string }>(
      "SELECT value FROM wp_studiou_wcmq_settings WHERE name = 'settings'",
    );
    expect(JSON.parse(row?.value ?? '{}')).toMatchObject({ rate_per_minute: 5, rate_per_hour: 400 });
    await press(button('Back'));
    await arriveAt('Tables');
    await page()
      .getByText(/tables are there, complete/)
      .waitFor();
    await press(button('Continue'));
    await arriveAt('Test mail to myself');
  });
});

describe('the test mail', () => {
  it('says what is wrong with the address, and what it waits for', async () => {
    await press(button('Continue'));
    await reason('Send a test mail first, or go on without one.').waitFor();
    await type(field('My address'), 'me');
    await page().keyboard.press('Enter');
    await page().getByText('An address such as me@shop.example.').waitFor();
    await looksRight('test');
  });

  it('arrives while the queue is still disabled', async () => {
    await type(field('My address'), 'me@shop.example');
    await press(button('Send a test mail'));
    await page().getByText('Did the test mail reach your mailbox?').waitFor({ timeout: 60_000 });
    expect(shop.smtp.mails.map(({ to }) => to)).toEqual([['me@shop.example']]);
    await press(button('Continue'));
    await reason('Say whether the test mail arrived.').waitFor();
    await press(button('No, not yet'));
    await page().getByText('Look into the folder for spam.').waitFor();
    await looksRight('test-missed');
    await press(button('Yes, it arrived'));
    await page()
      .getByText(/mail to your customers arrives as well/)
      .waitFor();
    await looksRight('test-arrived');
    await press(button('Continue'));
    await arriveAt('Enable');
  });
});

describe('enabling', () => {
  it('says what it means, and can be left for another day', async () => {
    await page()
      .getByText(/New mail of the shop waits in the queue/)
      .waitFor();
    await looksRight('enable');
    await press(button('Finish later'));
    await page()
      .getByText(/It stands at step 8 of 8, Enable/)
      .waitFor();
    await press(button('Go on: Studio U'));
    await arriveAt('Enable');
  });

  it('ends at the queue, and the shop’s first mail leaves', async () => {
    await press(button('Enable the queue'));
    const banner = page().getByRole('region', { name: 'State of the shop' });
    await banner.getByText('Enabled', { exact: true }).waitFor({ timeout: 60_000 });
    await shop.insert({ recipient: 'eva@shop.example', subject: 'Your order', order_id: 1 });
    await expect.poll(() => shop.smtp.mails.length, { timeout: 60_000 }).toBe(2);
    await page()
      .getByRole('row', { name: /eva@shop\.example/ })
      .getByText('Sent', { exact: true })
      .waitFor({ timeout: 30_000 });
    await shoot('queue');
  });

  it('is over: the shop is not unfinished any more', async () => {
    const { userData } = running;
    // the app asks before it ends while mail waits, as far as its last look tells
    await page().waitForTimeout(2_500);
    await running.close({ keep: true });
    running = await launch({ userData, size });
    const banner = page().getByRole('region', { name: 'State of the shop' });
    await banner.getByText('Enabled', { exact: true }).waitFor({ timeout: 30_000 });
  });
});
