/** The queue screen over a real shop: each action once, by label, role and keyboard; the engine, MariaDB and SMTP are real. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../src-renderer/ui/days.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { faultsInBothThemes, violations } from './axe.ts';
import { connectShop } from './connected.ts';
import { type Lure, startLure } from './lure.ts';
import { launch, picture, type RunningApp } from './support.ts';

const table = 'wp_studiou_wcmq_queue';
let shop: TestShop;
let sshd: SshServer;
let running: RunningApp;
let lure: Lure;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const grid = () => page().getByRole('grid', { name: 'Mails' });
const row = (text: string) => grid().getByRole('row').filter({ hasText: text });
const dialog = (name: string | RegExp) => page().getByRole('dialog', { name });
const drawer = () => page().getByRole('dialog').first();
const tab = (name: string) =>
  page().getByRole('group', { name: 'Show by state' }).getByRole('button', { name });
const stored = async (id: number) => (await shop.rows('id = ?', [id]))[0];
const set = (id: number, sql: string) => shop.db.run(`UPDATE ${table} SET ${sql} WHERE id = ?`, [id]);
const ids: Record<string, number> = {};

async function put(name: string, changes: Parameters<TestShop['insert']>[0] = {}): Promise<number> {
  const to = `${name}@customer.example`;
  const id = await shop.insert({
    recipient: to,
    subject: `Order of ${name}`,
    payload: planPayload({ to, subject: `Order of ${name}` }),
    ...changes,
  });
  ids[name] = id;
  return id;
}
const id = (name: string): number => ids[name] ?? 0;

/** Opens the mail by keyboard alone: the search finds it, Enter opens it. */
async function openMail(name: string): Promise<void> {
  await page().keyboard.press('/');
  await page().getByRole('textbox', { name: 'Search recipient or subject' }).fill(name);
  await expect.poll(() => grid().getByRole('row').count()).toBe(2);
  await row(name).focus();
  await page().keyboard.press('Enter');
  await drawer().getByText(`${name}@customer.example`).first().waitFor();
}
async function closeMail(): Promise<void> {
  // a question that is on its way out takes the key
  await expect.poll(() => page().getByRole('dialog').count()).toBe(1);
  await page().keyboard.press('Escape');
  await drawer().waitFor({ state: 'hidden' });
  await page().getByRole('textbox', { name: 'Search recipient or subject' }).fill('');
}
const zoom = (factor: number) =>
  running.app.evaluate(
    ({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(to),
    factor,
  );
async function more(action: string): Promise<void> {
  await drawer().getByRole('button', { name: 'More' }).click();
  await page().getByRole('menuitem', { name: action }).click();
}

beforeAll(async () => {
  lure = await startLure();
  sshd = await startSshd();
  shop = await makeShop({ settings: { rate_per_minute: 5 } });
  running = await launch();
  await connectShop(page(), shop, sshd);
  // mail that arrives drains, whatever the state: it must wait to be acted upon
  await button('Enable').click();
  await button('Pause').click();
  await page().getByRole('menuitem', { name: 'For 15 minutes' }).click();
});

afterAll(async () => {
  // mail that waits would have the app ask before it ends
  await shop?.db.run(`DELETE FROM ${table}`);
  await page()?.waitForTimeout(2_500);
  await running?.close();
  await shop?.close();
  await sshd?.remove();
  await lure?.close();
});

describe('finding mail', () => {
  it('by state, type, domain, order, day and text, each with counts that follow', async () => {
    for (const name of ['anna', 'boris', 'cyril', 'dana', 'emil']) await put(name);
    await set(id('boris'), "state = 'failed', attempts = 3, last_error = '550 5.1.1 no such user'");
    await set(id('cyril'), "context = 'customer_note', title = 'Note to the customer', order_id = 77");
    await set(id('dana'), "recipient = 'dana@other.example', created_at = created_at - 864000");
    await set(
      id('emil'),
      "attempts = 1, last_error = '450 4.2.0 Greylisted, come back later', scheduled_at = UNIX_TIMESTAMP() + 3000",
    );
    await expect.poll(() => grid().getByRole('row').count(), { timeout: 15_000 }).toBe(6);
    await tab('Failed').click();
    await row('boris').getByText('550 5.1.1 no such user').waitFor();
    expect(await grid().getByRole('row').count()).toBe(2);
    await tab('All').click();
    await row('emil')
      .getByText(/^Greylisted by customer\.example, again at /)
      .waitFor();
    await button('Filters').click();
    await page().getByRole('textbox', { name: 'Recipient’s domain' }).fill('other.example');
    await expect.poll(() => grid().getByRole('row').count()).toBe(2);
    await row('dana').waitFor();
    await expect.poll(() => tab('Waiting').textContent()).toBe('Waiting1');
    await page().getByRole('textbox', { name: 'Recipient’s domain' }).fill('');
    await page().getByRole('textbox', { name: 'Order number' }).fill('77');
    await expect.poll(() => grid().getByRole('row').count()).toBe(2);
    await row('cyril').waitFor();
    await button('Clear these').click();
    await page().getByRole('combobox', { name: 'Mail type' }).click();
    await page().getByRole('option', { name: 'Note to the customer' }).click();
    await expect.poll(() => grid().getByRole('row').count()).toBe(2);
    await button('Clear these').click();
    const day = dayOf(Date.now() / 1000);
    await page().getByLabel('From', { exact: true }).fill(day);
    await expect.poll(() => grid().getByRole('row').count()).toBe(5);
    expect(await row('dana').count()).toBe(0);
    await picture(page(), 'queue-filters');
    await button('Clear these').click();
    await button('Filters').click();
  });

  it('in the order that one asks for', async () => {
    await button('Recipient')
      .or(page().getByRole('columnheader', { name: /^Mail/ }).getByRole('button'))
      .first()
      .click();
    const first = grid().getByRole('row').nth(1);
    await expect.poll(() => first.textContent()).toContain('anna');
    await button('Smallest first').click();
    await expect.poll(() => first.textContent()).toContain('emil');
    expect(await page().getByRole('columnheader', { name: /^Mail/ }).getAttribute('aria-sort')).toBe(
      'descending',
    );
  });
});

describe('orders', () => {
  it('hold a mail by one key, and let it go by the same', async () => {
    await row('anna').focus();
    await page().keyboard.press('h');
    const question = dialog('Hold 1 mail?');
    await question.getByText('1 mail; the queue will be 12 sec shorter.').waitFor();
    await question.getByRole('button', { name: 'Hold 1 mail' }).press('Enter');
    await page().getByText('1 mail is held.').waitFor();
    await row('anna').getByText('Held by hand until it is released').waitFor();
    expect((await stored(id('anna')))?.['held_until']).toBe(253_402_300_799);
    await tab('Held').click();
    await expect.poll(() => grid().getByRole('row').count()).toBe(2);
    await tab('All').click();
    await row('anna').focus();
    await page().keyboard.press('h');
    await dialog('Release 1 mail?').getByRole('button', { name: 'Release 1 mail' }).click();
    await page().getByText('1 mail was released.').waitFor();
    expect((await stored(id('anna')))?.['held_until']).toBeNull();
  });

  it('change the priority, put a mail first, and send it to another address', async () => {
    await openMail('cyril');
    await more('Change the priority');
    const priority = page().getByRole('dialog', { name: /priority/ });
    await priority.getByRole('textbox', { name: 'Priority' }).fill('3');
    await priority.getByRole('button', { name: 'Change 1 mail' }).click();
    await page().getByText('The priority of 1 mail was changed.').waitFor();
    expect((await stored(id('cyril')))?.['priority']).toBe(3);
    await closeMail();
    await openMail('anna');
    await more('Send next');
    await dialog('Send 1 mail next?').getByText('1 mail; all others leave 12 sec later.').waitFor();
    await dialog('Send 1 mail next?').getByRole('button', { name: 'Send 1 mail next' }).click();
    await page().getByText('1 mail leaves next.').waitFor();
    expect((await stored(id('anna')))?.['priority']).toBe(2);
    await closeMail();
    await openMail('boris');
    await more('Change the recipient');
    const other = page().getByRole('dialog', { name: /Change the recipient|another address/ });
    await other.getByRole('textbox', { name: 'New address' }).fill('boris@@nowhere');
    await other.getByText(/No mail can go there/).waitFor();
    await other.getByRole('textbox', { name: 'New address' }).fill('boris.new@customer.example');
    await other.getByText('It goes to boris.new@customer.example.').waitFor();
    await other.getByText('1 mail; the queue will be 12 sec longer.').waitFor();
    await other.getByRole('button', { name: 'Send 1 mail there' }).click();
    await page().getByText('1 mail goes to the new address.').waitFor();
    expect(await stored(id('boris'))).toMatchObject({
      state: 'pending',
      recipient: 'boris.new@customer.example',
      message_id: null,
      attempts: 0,
    });
    await closeMail();
  });

  it('retry all that match: what was confirmed is what is touched, though more match by then', async () => {
    for (let n = 0; n < 7; n += 1) {
      await put(`many${n}`);
      await set(id(`many${n}`), "state = 'failed', attempts = 3, last_error = '550 no'");
    }
    await tab('Failed').click();
    await expect.poll(() => grid().getByRole('row').count(), { timeout: 15_000 }).toBe(8);
    await grid().getByRole('row').nth(1).focus();
    await page().keyboard.press('Space');
    await button('Select all 7 that match').click();
    await page().getByText('All 7 that match').waitFor();
    await page()
      .getByRole('toolbar', { name: 'Selected mails' })
      .getByRole('button', { name: 'Retry' })
      .click();
    const question = dialog('Send 7 mails again?');
    await question.getByText('7 mails; the queue will be 1 min 24 sec longer.').waitFor();
    await picture(page(), 'retry-all');
    await put('late');
    await set(id('late'), "state = 'failed', attempts = 3");
    await question.getByRole('button', { name: 'Retry 7 mails' }).dblclick();
    await page().getByText('7 mails are back in the queue.').waitFor();
    expect((await stored(id('late')))?.['state']).toBe('failed');
    expect(await shop.rows("state = 'failed'")).toHaveLength(1);
    await tab('All').click();
  });

  it('delete after ten seconds, and not at all when it is called off by keyboard, even after a reload', async () => {
    await row('late@').focus();
    await page().keyboard.press('Delete');
    await dialog('Delete 1 mail?').getByRole('button', { name: 'Delete 1 mail' }).press('Enter');
    const undo = page().getByRole('region', { name: 'A delete that can be undone' });
    await undo.getByText('1 mail is being deleted').waitFor();
    await page().reload();
    await undo.getByRole('button', { name: /Undo/ }).waitFor();
    await picture(page(), 'undo');
    await page().keyboard.press('Control+z');
    await page().getByText('1 mail stays.').waitFor();
    expect(await stored(id('late'))).toBeDefined();
    await row('late@').focus();
    await page().keyboard.press('Delete');
    await dialog('Delete 1 mail?').getByRole('button', { name: 'Delete 1 mail' }).press('Enter');
    await undo.waitFor();
    await expect.poll(() => stored(id('late')), { timeout: 20_000 }).toBeUndefined();
    await row('late@').waitFor({ state: 'hidden' });
  });
});

describe('the list', () => {
  it('stands still under the mouse and says how many are new', async () => {
    await row('many3').hover();
    const before = await grid().getByRole('row').nth(1).textContent();
    await put('newcomer');
    await page().getByRole('button', { name: '1 new, show' }).waitFor({ timeout: 15_000 });
    expect(await grid().getByRole('row').nth(1).textContent()).toBe(before);
    await button('1 new, show').click();
    await row('newcomer').waitFor();
  });

  it('has nothing against it by axe, in both themes and at 200 %', async () => {
    expect(await faultsInBothThemes(page())).toEqual([]);
    await zoom(2);
    await grid().scrollIntoViewIfNeeded();
    await picture(page(), 'queue-200');
    expect(await violations(page())).toEqual([]);
    await zoom(1);
  });
});

describe('one mail', () => {
  it('is shown as its recipient sees it, in a frame that reaches nothing and runs nothing', async () => {
    const token = shop.attach('invoice.pdf', 'PDF');
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(path.join(shop.filesRoot, token, 'logo.png'), Buffer.from(png, 'base64'));
    const message = lure.mail();
    await put('lured', {
      attachment_dir: token,
      order_id: 4711,
      payload: planPayload({
        to: 'lured@customer.example',
        subject: 'Order of lured',
        message,
        attachments: [
          { name: 'invoice.pdf', file: `${token}/invoice.pdf`, size: 3 },
          { name: 'lost.pdf', file: `${token}/lost.pdf` },
        ],
        embeds: { logo: `/x/${token}/logo.png` },
        order_url: 'https://shop.example/wp-admin/post.php?post=4711',
      }),
    });
    const before = page().url();
    await openMail('lured');
    const frame = drawer().frameLocator('iframe');
    await frame.getByText('Dear customer').waitFor();
    await frame.getByRole('img', { name: 'Logo' }).waitFor();
    await frame.getByText('image: Shop window').waitFor();
    // links are text with their address
    await frame.getByText(`(${lure.address('visit')})`).waitFor();
    expect(await frame.getByRole('link').count()).toBe(0);
    await frame.getByText('Your order').click();
    await frame.getByText('Click me').click();
    await page().waitForTimeout(1500);
    expect(lure.reached).toEqual([]);
    expect(page().url()).toBe(before);
    expect(await page().title()).toBe('Postroom');
    // nor does the frame alone, were nothing taken out of the mail before
    await page().evaluate((html) => {
      const bare = document.createElement('iframe');
      bare.setAttribute('sandbox', '');
      bare.title = 'bare';
      bare.srcdoc = html;
      document.body.append(bare);
    }, message);
    await page().frameLocator('iframe[title=bare]').getByText('Dear customer').waitFor();
    await page().waitForTimeout(1500);
    expect(lure.reached).toEqual([]);
    expect(await page().title()).toBe('Postroom');
    await page().evaluate(() => document.querySelector('iframe[title=bare]')?.remove());
    await drawer()
      .getByText(/1 picture lies elsewhere and is not fetched/)
      .waitFor();
    await picture(page(), 'mail-preview');
    expect(await faultsInBothThemes(page())).toEqual([]);
    await drawer().getByText('Source', { exact: true }).click();
    await drawer().getByText('parent.document.title').waitFor();
    await drawer().getByText('Text', { exact: true }).click();
    await drawer().getByText('Dear customer').waitFor();
    expect(lure.reached).toEqual([]);
  });

  it('tells of its files, whether they are there', async () => {
    await drawer()
      .getByRole('tab', { name: /Attachments/ })
      .click();
    const file = (name: string) => drawer().getByRole('listitem').filter({ hasText: name });
    await file('invoice.pdf').getByText('there').waitFor();
    await file('lost.pdf').getByText('missing').waitFor();
    await file('logo.png').getByText('there').waitFor();
    await picture(page(), 'mail-files');
    await drawer().getByRole('button', { name: 'Order 4711' }).waitFor();
    await closeMail();
    await set(id('lured'), "state = 'sent', sent_at = UNIX_TIMESTAMP()");
  });
});

describe('a mail in doubt', () => {
  const doubt2Mails = () => shop.smtp.mails.filter((mail) => mail.to.includes('doubt2@customer.example'));
  it('has its own place with the evidence, and two ways out', async () => {
    for (const name of ['doubt1', 'doubt2']) await put(name, { priority: -100 });
    let dots = 0;
    shop.smtp.behaviour = ({ step }) => {
      if (step !== 'dot') return undefined;
      dots += 1;
      return dots <= 2 ? { drop: 'rst' } : undefined;
    };
    await button('Resume').click();
    await expect.poll(() => tab('In doubt').textContent(), { timeout: 60_000 }).toBe('In doubt2');
    await tab('In doubt').click();
    await page()
      .getByText(/Nobody knows whether they arrived/)
      .waitFor();
    await row('doubt1@').focus();
    await page().keyboard.press('Enter');
    const first = drawer();
    await first.getByText('What to check first').waitFor();
    await first.getByText('Handed over completely').first().waitFor();
    const { message_id: messageId } = (await stored(id('doubt1'))) ?? {};
    await first.getByText(String(messageId)).first().waitFor();
    await first
      .getByRole('button', { name: /^Copy: Message-ID/ })
      .first()
      .click();
    await picture(page(), 'in-doubt');
    expect(await faultsInBothThemes(page())).toEqual([]);
    await first.getByRole('button', { name: 'It arrived' }).click();
    await page()
      .getByRole('dialog', { name: 'It arrived' })
      .getByRole('button', { name: 'It arrived' })
      .click();
    await expect.poll(async () => (await stored(id('doubt1')))?.['state']).toBe('sent');
    await expect.poll(() => page().getByRole('dialog').count()).toBe(1);
    await page().keyboard.press('Escape');
    await first.waitFor({ state: 'hidden' });
    await row('doubt2@').focus();
    await page().keyboard.press('Enter');
    await drawer().getByRole('button', { name: 'Send again' }).click();
    await page()
      .getByRole('dialog', { name: 'Send again' })
      .getByRole('button', { name: 'Send again' })
      .click();
    await expect.poll(() => doubt2Mails().length, { timeout: 60_000 }).toBe(1);
    const doubt2 = await stored(id('doubt2'));
    expect(doubt2Mails()[0]?.messageId).toBe(doubt2?.['message_id']);
  });
});
