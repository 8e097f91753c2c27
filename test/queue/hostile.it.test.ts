/** Rows that a shop could write, or a broken server leave behind, and that must stop nobody but themselves (promise 10). */
import { afterEach, describe, expect, it } from 'vitest';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { behaviourOf } from '../support/smtp-server.ts';

let shop: TestShop;
afterEach(() => shop?.close());

const table = 'wp_studiou_wcmq_queue';

describe('hostile rows', () => {
  it('ids beyond 2^53 are never taken for their neighbours', async () => {
    shop = await makeShop();
    const ids = ['9007199254740992', '9007199254740993', '9007199254740994', '18446744073709551615'];
    for (const id of ids) {
      const payload = JSON.stringify(planPayload({ to: `user${id}@example.test` }));
      await shop.db.run(
        `INSERT INTO ${table} (id, recipient, subject, payload, state) VALUES (${id}, 'x', 'y', ?, 'pending')`,
        [payload],
      );
    }
    const console = await shop.open({ uncapped: true });
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(20_000));
    expect(shop.smtp.mails.map((mail) => mail.to[0]).sort()).toEqual(
      ids.map((id) => `user${id}@example.test`).sort(),
    );
    const rows = await shop.rows();
    expect(rows.map((row) => [String(row['id']), row['state'], row['attempts']])).toEqual(
      ids.map((id) => [id, 'sent', 1]),
    );
    expect(new Set(rows.map((row) => row['message_id'])).size).toBe(4);
  });

  it('a reason that the table cannot spell fails its row all the same, and holds up no other', async () => {
    shop = await makeShop();
    for (const name of ['queue', 'log', 'attempts'])
      await shop.db.run(`ALTER TABLE wp_studiou_wcmq_${name} CONVERT TO CHARACTER SET latin1`);
    const bad = await shop.insert({
      priority: 1,
      // as PHP writes JSON: in ASCII
      payload: `{"to": "\\ud83d\\ude00 \\u0159 nobody", "subject": "s", "message": "m"}`,
    });
    const good = await shop.insert({ payload: JSON.stringify(planPayload({ headers: '' })) });
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(15_000));
    expect((await shop.rows('id = ?', [bad]))[0]).toMatchObject({ state: 'failed', attempts: 0 });
    expect(String((await shop.rows('id = ?', [bad]))[0]?.['last_error'])).toMatch(/^no valid recipient/);
    expect((await shop.rows('id = ?', [good]))[0]).toMatchObject({ state: 'sent' });
  });

  it('nor do words of the mail server that it cannot spell', async () => {
    shop = await makeShop({
      smtp: {
        behaviour: behaviourOf([
          { step: 'rcpt', action: { reply: '550 5.1.1 <customer@example.test> řekl 😀' } },
        ]),
      },
    });
    for (const name of ['queue', 'log', 'attempts'])
      await shop.db.run(`ALTER TABLE wp_studiou_wcmq_${name} CONVERT TO CHARACTER SET utf8mb3`);
    const id = await shop.insert();
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(15_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'failed', attempts: 1 });
    const [line] = await shop.db.query('SELECT response FROM wp_studiou_wcmq_attempts');
    // the ledger outlives its rows: nobody is named in it
    expect(line?.['response']).toBe('<***@example.test> řekl \ufffd');
  });

  it('a key that the shop makes anew under another name stops nothing', async () => {
    shop = await makeShop();
    const console = await shop.open();
    await shop.db.run(`ALTER TABLE ${table} DROP KEY claim_order`);
    await shop.db.run(`ALTER TABLE ${table} ADD KEY theirs (state, priority, scheduled_at, id)`);
    const id = await shop.insert();
    await console.startDraining().catch(() => {});
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent' });
  });

  it('a claim from the future is taken over: no clock of the server wrote it', async () => {
    shop = await makeShop();
    const id = await shop.insert();
    await shop.db.run(
      `UPDATE ${table} SET state = 'sending', claimed_at = 9000000000000, claim_id = 'nobody' WHERE id = ?`,
      [id],
    );
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(15_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent', reclaims: 1 });
  });
});
