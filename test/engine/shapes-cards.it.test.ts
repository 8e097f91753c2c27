/** What our books know of a shop's row stays known: across retention, a retry by hand, other workers and slow databases. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedShop, openShop } from '../../src-main/boot.ts';
import { isFileDatabase } from '../../src-main/contract/profile.ts';
import { defaultSettings } from '../../src-main/contract/settings.ts';
import { openPlace, type Place } from '../../src-main/queue/place.ts';
import { pruneRows } from '../../src-main/queue/prune.ts';
import { rememberAccepted } from '../../src-main/queue/remember.ts';
import { shapeNamed } from '../../src-main/queue/shapes/index.ts';
import { reapElsewhere } from '../../src-main/queue/shop-reap.ts';
import type { ShopRows } from '../../src-main/queue/shop-rows.ts';
import { deferred, nothingSaid } from '../../src-main/queue/transitions.ts';
import type { Database, Queryable } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeShapeShop, type ShapeShop } from '../support/shape-shop.ts';

let shop: ShapeShop | null = null;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await shop?.close();
  shop = null;
});

async function drained(one: OpenedShop): Promise<void> {
  await one.startDraining();
  await one.untilEmpty(AbortSignal.timeout(20_000));
}

/** The books and the table of a shop, as the queue's room sees them. */
async function placeOf(made: ShapeShop): Promise<Place> {
  const shape = shapeNamed(made.profile.shape);
  if (!shape) throw new Error('a shop with a table of its own was expected');
  if (isFileDatabase(made.profile.database)) throw new Error('a server was expected');
  const db = openMysql(made.profile.database, { onSessionSql: ['SET time_zone = @@global.time_zone'] });
  closing.push(() => db.close());
  const rows: ShopRows = {
    shape,
    table: shape.open('wp_', made.profile.layout, db.dialect),
    db,
    leaseS: 900,
    together: true,
    offered: null,
  };
  return openPlace(db, 'wp_', rows);
}

/** Refuses the dot until told otherwise; answers the Message-IDs under which it was asked. */
function refusing(made: ShapeShop, reply: string): { ids: (string | null)[]; stop(): void } {
  let refuse = true;
  const ids: (string | null)[] = [];
  made.smtp.behaviour = ({ step, messageId }) => {
    if (step !== 'dot') return undefined;
    ids.push(messageId);
    return refuse ? reply : undefined;
  };
  return { ids, stop: () => (refuse = false) };
}

const shapes = ['wp-email-queue', 'jobs', 'email-jobs'] as const;
const variants = shapes.flatMap((shape) => [true, false].map((booksInShop) => ({ shape, booksInShop })));

describe.each(variants)('$shape, books in the shop: $booksInShop', ({ shape, booksInShop }) => {
  it('a mail that failed and is put back by hand leaves under the Message-ID that it had', async () => {
    const made = await makeShapeShop({ shape, booksInShop });
    shop = made;
    const { ids, stop } = refusing(made, '550 5.6.0 no such mail');
    const id = await made.put('back@example.test');
    const one = await made.open();
    await drained(one);
    expect(await one.desk.show(id)).toMatchObject({ state: 'failed', in_doubt: false });
    stop();
    await sleep(1_100); // a dead letter is a second older than the job that it becomes
    expect(await one.desk.retry({ ids: [id] })).toEqual({ done: 1, refused: [] });
    await one.untilEmpty(AbortSignal.timeout(20_000));
    await one.close();
    expect(ids).toHaveLength(2);
    expect(ids[1]).toBe(ids[0]);
  });

  it('a mail in doubt that a person sends again leaves under the Message-ID that it had', async () => {
    const made = await makeShapeShop({ shape, booksInShop });
    shop = made;
    const seen: (string | null)[] = [];
    made.smtp.behaviour = ({ step, messageId }) => {
      if (step !== 'dot') return undefined;
      seen.push(messageId);
      return seen.length === 1 ? { drop: 'rst', reply: '250 ok', decide: true } : undefined;
    };
    const id = await made.put('doubt@example.test');
    const one = await made.open();
    await drained(one);
    await sleep(1_100);
    await one.desk.resolve(id, 'send-again');
    await one.untilEmpty(AbortSignal.timeout(20_000));
    await one.close();
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBe(seen[0]);
  });

  it('a claim that takes longer than a second takes its rows all the same', async () => {
    const made = await makeShapeShop({ shape, booksInShop });
    shop = made;
    await made.put('slow@example.test');
    const slowly = (on: Queryable): Queryable => ({
      dialect: on.dialect,
      run: (sql, params) => on.run(sql, params),
      query: async (sql, params) => {
        if (/SKIP LOCKED/.test(sql) && !/postroom/.test(sql)) await sleep(1_100);
        return on.query(sql, params);
      },
    });
    const database = (db: Database): Database => ({
      ...slowly(db),
      capabilities: () => db.capabilities(),
      ping: () => db.ping(),
      close: () => db.close(),
      transaction: (work) => db.transaction((tx) => work(slowly(tx))),
    });
    const one = await openShop(made.profile, {
      stateDir: made.stateDir,
      name: 'slow',
      version: '0',
      instrument: { database },
    });
    closing.push(() => one.close());
    await one.startDraining();
    await made.smtp.waitForMails(1);
  });
});

describe('an answer that comes when its mail is in doubt already', () => {
  it.each([
    ['wp-email-queue', 'now@example.test, later@example.test', 'pendente'],
    ['email-jobs', '["now@example.test", "later@example.test"]', 'pending'],
    ['jobs', ['now@example.test', 'later@example.test'], 'waiting'],
  ] as const)(
    '%s: who was refused for now waits in the table again, and alone',
    async (shape, to, waiting) => {
      const made = await makeShapeShop({ shape, booksInShop: true });
      shop = made;
      made.smtp.behaviour = ({ step }) => (step === 'dot' ? { drop: 'rst' } : undefined);
      // a job's `to` is a list in its JSON
      const id = await made.put(to as string);
      const one = await made.open();
      await drained(one);
      const row = await one.desk.show(id);
      await one.close();
      expect(row).toMatchObject({ in_doubt: true });
      const place = await placeOf(made);
      const [line] = await place.db.query<{ claim_id: string }>(`SELECT claim_id FROM ${place.t.attempts}`);
      const late = deferred(
        { id, claimId: line?.claim_id ?? '', messageId: row.message_id ?? '' },
        { ...nothingSaid, recipients: 2 },
        { delayS: 300, reason: 'refused for now', deliveredTo: ['now@example.test'] },
      );
      if (late.to === 'sent') throw new Error('a mail that is deferred was expected');
      expect(await rememberAccepted(place, late, ['now@example.test'])).toBe(true);
      expect((await made.rows()).get(id)).toMatchObject({ word: waiting, attempts: 1 });
      made.smtp.behaviour = () => undefined;
      const next = await made.open();
      await next.startDraining();
      expect(await next.desk.show(id)).toMatchObject({ state: 'pending', in_doubt: false });
      await made.ripen();
      await next.close();
      const last = await made.open();
      await drained(last);
      await last.close();
      expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['later@example.test']]);
      expect(made.smtp.mails[0]?.messageId).toBe(row.message_id);
    },
  );
});

describe('cards', () => {
  const bookOf = async (place: Place) => place.db.query(`SELECT * FROM ${place.t.queue}`);

  it('of a failed mail stay as long as its row, though the table does not say when it was written', async () => {
    const made = await makeShapeShop({ shape: 'email-jobs', booksInShop: true });
    shop = made;
    refusing(made, '550 5.6.0 no such mail');
    await made.put('failed@example.test');
    const one = await made.open();
    await drained(one);
    await one.close();
    const place = await placeOf(made);
    await pruneRows(place, 'failed', 30);
    expect(await bookOf(place)).toMatchObject([{ state: 'failed' }]);
    await place.db.run('DELETE FROM failed_email_jobs');
    await pruneRows(place, 'failed', 30);
    expect(await bookOf(place)).toEqual([]);
  });

  it('of ours that ends while the held rows are being read stay ours', async () => {
    const made = await makeShapeShop({ shape: 'email-jobs', booksInShop: true });
    shop = made;
    const { ids } = refusing(made, '451 4.3.0 try again later');
    const id = await made.put('deferred@example.test');
    const one = await made.open();
    await one.startDraining();
    await expect.poll(async () => (await one.desk.show(id)).attempts, { timeout: 10_000 }).toBe(1);
    await one.close();
    const place = await placeOf(made);
    const rows = place.shop as ShopRows;
    // as the table stood a moment ago
    const late = { ...rows.table, held: async () => [{ id, mark: 'a moment ago' }] };
    await reapElsewhere({ ...place, shop: { ...rows, table: late } }, defaultSettings);
    await reapElsewhere(place, defaultSettings);
    expect(await bookOf(place)).toMatchObject([{ state: 'pending', message_id: ids[0], attempts: 1 }]);
  });

  it('of a mail that went out to some stay when another worker takes it and lets go', async () => {
    const made = await makeShapeShop({ shape: 'email-jobs', booksInShop: true });
    shop = made;
    made.smtp.behaviour = ({ step, recipient }) =>
      step === 'rcpt' && recipient?.startsWith('later') ? '451 4.2.1 mailbox busy' : undefined;
    const id = await made.put(JSON.stringify(['now@example.test', 'later@example.test']));
    const one = await made.open();
    await one.startDraining();
    await expect.poll(async () => (await one.desk.show(id)).attempts, { timeout: 10_000 }).toBe(1);
    await one.close();
    const place = await placeOf(made);
    await made.holdElsewhere(id);
    await reapElsewhere(place, defaultSettings);
    expect(await bookOf(place)).toMatchObject([{ state: 'elsewhere' }]);
    await place.db.run("UPDATE email_jobs SET status = 'pending', available_at = NOW() WHERE id = ?", [id]);
    await reapElsewhere(place, defaultSettings);
    made.smtp.behaviour = () => undefined;
    const next = await made.open();
    await drained(next);
    await next.close();
    expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['now@example.test'], ['later@example.test']]);
  });
});

describe.each(variants)(
  'another worker that never said what became of its row ($shape, books in the shop: $booksInShop)',
  ({ shape, booksInShop }) => {
    it('has it released by itself where the settings say retry, and no more often than a mail is tried', async () => {
      const made = await makeShapeShop({
        shape,
        booksInShop,
        profile: { settings: { in_doubt: 'retry', max_attempts: 2 } },
      });
      shop = made;
      const id = await made.put('theirs@example.test');
      await made.holdElsewhere(id);
      const one = await made.open();
      await one.desk.saveSettings({ in_doubt: 'retry', max_attempts: 2 });
      await one.startDraining(); // seen now, for the first time
      await made.backdateSight(id, 905);
      await one.close();
      const next = await made.open();
      await drained(next);
      expect(made.smtp.mails.map((mail) => mail.to[0])).toEqual(['theirs@example.test']);
      expect(await next.desk.status()).toMatchObject({ counts: { in_doubt: 0, pending: 0, failed: 0 } });
      const lines = await next.desk.log({ limit: 50 });
      expect(lines.map((line) => line.message).join('\n')).toContain('waits again, as the settings say');
      await next.close();
    });

    it('has it called in doubt there, too, once its tries are used up', async () => {
      const made = await makeShapeShop({ shape, booksInShop });
      shop = made;
      const id = await made.put('again@example.test');
      await made.holdElsewhere(id);
      const one = await made.open();
      await one.desk.saveSettings({ in_doubt: 'retry', max_attempts: 1 });
      await one.startDraining();
      await made.backdateSight(id, 905);
      await one.close();
      const next = await made.open();
      await next.startDraining();
      expect(await next.desk.show(id)).toMatchObject({ in_doubt: true, state: 'failed' });
      await next.close();
      expect(made.smtp.mails).toHaveLength(0);
    });
  },
);
