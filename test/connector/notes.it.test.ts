/** What the shop is told of how its mails ended: order notes and lines of WooCommerce's log. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeSite, type Site, type Step } from './kit.ts';

let site: Site;
let orders: number[];
beforeAll(async () => {
  site = await makeSite();
  [orders] = (await site.run([['orders', 3]])) as [number[]];
});
beforeEach(async () => {
  await site.reset();
  await site.db.run('DELETE FROM wp_comments');
  await site.db.run('DELETE FROM wp_commentmeta');
});
afterAll(() => site?.close());

interface Note {
  text: string;
  group: string;
  agent: string;
}
const notesOf = async (order: number | undefined) => (await site.run([['notes', order]]))[0] as Note[];
const mail = (order: number | undefined, more: object = {}): Step => ['mail', { order, ...more }];
/** All waiting rows end so, as a console writes it. */
const end = (set: string, where = '1 = 1') =>
  site.db.run(`UPDATE wp_studiou_wcmq_queue SET ${set} WHERE state = 'pending' AND ${where}`);
const sent = "state = 'sent', sent_at = UNIX_TIMESTAMP()";
const ours = () => site.wooLog().filter(({ message }) => message.startsWith('Email '));
const theirs = () => site.wooLog().filter(({ message }) => message.startsWith('WooCommerce: '));

describe('while a mail waits', () => {
  it('nothing is told, and of a mail that leaves at once WooCommerce tells itself', async () => {
    await site.run([mail(orders[0]), mail(orders[0], { id: 'new_order' }), ['tick']]);
    expect((await notesOf(orders[0])).map(({ text }) => text)).toEqual(['WooCommerce: new_order sent']);
    expect(theirs()).toHaveLength(1);
    expect(ours()).toEqual([]);
  });

  it('a second mail of its type that is skipped or disabled is still logged as such', async () => {
    const id = 'customer_completed_order';
    await site.run([
      mail(orders[0]),
      ['skip', { id, how: 'skipped' }],
      mail(orders[0]),
      ['skip', { id, how: 'disabled' }],
    ]);
    expect(theirs().map(({ message }) => message)).toEqual([
      `WooCommerce: ${id} skipped`,
      `WooCommerce: ${id} disabled`,
    ]);
    expect(await site.rows()).toHaveLength(2);
  });
});

describe('when it has ended', () => {
  it('sent: one note and one line, without an address, and only once', async () => {
    await site.run([mail(orders[0], { to: 'karel@customer.example, anna@customer.example' })]);
    await end(sent);
    await site.run([['tick'], ['tick']]);
    expect(await notesOf(orders[0])).toEqual([
      { text: 'Email "Completed order" sent.', group: 'email_notification', agent: 'WooCommerce' },
    ]);
    expect(ours()).toEqual([
      {
        level: 'info',
        message: 'Email customer_completed_order sent',
        context: {
          source: 'transactional-emails',
          email_type: 'customer_completed_order',
          recipient: 'karel, guest',
          status: 'sent',
          order_id: orders[0],
        },
      },
    ]);
    expect((await site.rows())[0]?.['notified_at']).not.toBeNull();
  });

  it.each([
    [
      'failed',
      'in_doubt = 0',
      'Email "Completed order" was not sent. 550 5.1.1 &lt;[redacted]&gt; is unknown',
      'failed',
    ],
    [
      'in doubt',
      'in_doubt = 1',
      'Email "Completed order" may or may not have arrived: the mail server\'s answer was lost. 550 5.1.1 &lt;[redacted]&gt; is unknown',
      'may or may not have been sent',
    ],
  ])('%s: with its reason, addresses taken out', async (_, doubt, note, line) => {
    await site.run([mail(orders[0])]);
    await end(`state = 'failed', ${doubt}, last_error = '550 5.1.1 <anna@customer.example> is unknown'`);
    await site.run([['tick']]);
    expect((await notesOf(orders[0])).map(({ text }) => text)).toEqual([note]);
    expect(ours()).toMatchObject([
      {
        level: 'error',
        message: `Email customer_completed_order ${line}: 550 5.1.1 <[redacted]> is unknown`,
        context: { status: 'failed', recipient: 'guest', error: '550 5.1.1 <[redacted]> is unknown' },
      },
    ]);
  });

  it('sent to some: with who was refused', async () => {
    await site.run([mail(orders[0])]);
    await end(`${sent}, last_error = 'refused: b@customer.example (550 no)'`);
    await site.run([['tick']]);
    expect((await notesOf(orders[0]))[0]?.text).toBe(
      'Email "Completed order" sent. refused: [redacted] (550 no)',
    );
  });

  it('is told again when a person had it sent again', async () => {
    await site.run([mail(orders[0])]);
    await end("state = 'failed', last_error = 'no'");
    await site.run([['tick']]);
    // as `retry` does
    await site.db.run(
      "UPDATE wp_studiou_wcmq_queue SET state = 'pending', notified_at = NULL, last_error = NULL",
    );
    await site.run([['tick']]);
    await end(sent);
    await site.run([['tick']]);
    expect((await notesOf(orders[0])).map(({ text }) => text)).toEqual([
      'Email "Completed order" was not sent. no',
      'Email "Completed order" sent.',
    ]);
  });

  it('of an order that is gone: the line alone', async () => {
    const [[order]] = (await site.run([['orders', 1]])) as [number[]];
    await site.run([mail(order), mail(orders[0]), ['delete_order', order]]);
    await end(sent);
    await site.run([['tick']]);
    expect(ours()).toHaveLength(2);
    expect(await site.db.query('SELECT comment_post_ID AS id FROM wp_comments')).toEqual([{ id: orders[0] }]);
  });

  it('of a mail that belongs to no order: the line alone', async () => {
    await site.reset({ handled_contexts: ['customer_new_account'] });
    await site.run([['mail', { id: 'customer_new_account', user: 2 }]]);
    expect(await site.rows()).toMatchObject([{ order_id: 0 }]);
    await end(sent);
    await site.run([['tick']]);
    expect(ours()).toMatchObject([{ context: { email_type: 'customer_new_account' } }]);
    expect(ours()[0]?.context).not.toHaveProperty('order_id');
  });

  it('of an order in a table of its own', async () => {
    await site.run([['option', ['double_hpos', 1]]]);
    const [[order]] = (await site.run([['orders', 1]])) as [number[]];
    await site.run([mail(order)]);
    await end(sent);
    await site.run([['tick'], ['option', ['double_hpos', 0]]]);
    expect(await site.db.query('SELECT comment_post_ID AS id FROM wp_comments')).toEqual([{ id: order }]);
  });

  it('where WooCommerce has no logger of its own: told all the same', async () => {
    const old = { env: { SHOP_WOOCOMMERCE: '9.8' } };
    await site.run([mail(orders[0]), mail(orders[0], { id: 'new_order' })], old);
    expect(await site.rows()).toHaveLength(1);
    expect(theirs()).toEqual([]);
    await end(sent);
    await site.run([['tick']], old);
    expect((await notesOf(orders[0])).map(({ text }) => text)).toEqual(['Email "Completed order" sent.']);
  });

  it('as the shop\u2019s own filters of notes and lines want it', async () => {
    await site.run([mail(orders[0]), mail(orders[1])]);
    await end(sent, `order_id = ${orders[0]}`);
    await site.run([['circumstance', 'no-notes'], ['tick']]);
    expect(ours()).toHaveLength(1);
    await end(sent);
    await site.run([['circumstance', 'no-log'], ['tick']]);
    expect(ours()).toHaveLength(1);
    expect(await site.db.query('SELECT * FROM wp_comments')).toEqual([]);
  });

  it('though a listener of notes throws: the next row is told of, and none twice', async () => {
    await site.run([mail(orders[0]), mail(orders[1])]);
    await end(sent);
    await site.run([['circumstance', 'throwing-note'], ['tick']]);
    await site.run([['tick']]);
    for (const order of orders.slice(0, 2)) expect(await notesOf(order)).toHaveLength(1);
    expect(await site.queueLog()).toEqual([
      expect.stringContaining('could not be told of: a listener of notes'),
      expect.stringContaining('could not be told of: a listener of notes'),
    ]);
  });

  it('by four processes at once: each note once', async () => {
    await site.run([['mails', Array.from({ length: 60 }, () => ({ order: orders[2] }))]]);
    await end(sent);
    await Promise.all([1, 2, 3, 4].map(() => site.run([['tick']])));
    expect(await notesOf(orders[2])).toHaveLength(60);
    expect(ours()).toHaveLength(60);
  });
});

describe('the minute', () => {
  it('is scheduled once, and tells of 200 rows at most', async () => {
    expect(await site.run([['scheduled']])).toEqual([[true, 'postroom_minute']]);
    const values = Array.from({ length: 230 }, () => "('x', 0, 'a@b.test', 's', '{}', 'sent', 1)").join(', ');
    await site.db.run(
      `INSERT INTO wp_studiou_wcmq_queue (context, order_id, recipient, subject, payload, state, sent_at) VALUES ${values}`,
    );
    await site.run([['tick']]);
    const untold = async () =>
      Number(
        (
          await site.db.query('SELECT COUNT(*) AS n FROM wp_studiou_wcmq_queue WHERE notified_at IS NULL')
        )[0]?.['n'],
      );
    expect(await untold()).toBe(30);
    // somebody opens wp-admin: a few, and not again within the minute, nor for what pages ask in the background
    const admin = { define: { WP_ADMIN: true } };
    await site.run([['admin_init']], { define: { WP_ADMIN: true, DOING_AJAX: true } });
    expect(await untold()).toBe(30);
    await site.run([['admin_init']], admin);
    expect(await untold()).toBe(10);
    await site.run([['admin_init']], admin);
    expect(await untold()).toBe(10);
  });

  it('tells the console the shop\u2019s mail types, and writes them only when they have changed', async () => {
    await site.run([['tick']]);
    const stored = () =>
      site.db.query("SELECT value, updated_at FROM wp_studiou_wcmq_settings WHERE name = 'email_types'");
    const [row] = await stored();
    expect(JSON.parse(String(row?.['value']))).toEqual([
      { id: 'new_order', title: 'New order' },
      { id: 'customer_completed_order', title: 'Completed order' },
      { id: 'customer_refunded_order', title: 'Refunded order' },
      { id: 'customer_reset_password', title: 'Reset password' },
      { id: 'customer_partially_refunded_order', title: 'Partially refunded order' },
    ]);
    await site.db.run("UPDATE wp_studiou_wcmq_settings SET updated_at = 1 WHERE name = 'email_types'");
    await site.run([['tick']]);
    expect((await stored())[0]?.['updated_at']).toBe(1);
  });
});
