/** Ids above 2^53, and a queue of 50,000 mails of 8 KB. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRows } from '../../src-main/queue/browse.ts';
import { grantAndClaim } from '../../src-main/queue/claim.ts';
import { glance } from '../../src-main/queue/glance.ts';
import { passPointOfNoReturn, renewLeases } from '../../src-main/queue/guard.ts';
import { deleteRows, retryRows } from '../../src-main/queue/operate.ts';
import { settle } from '../../src-main/queue/settle.ts';
import { nothingSaid, rejected, sent } from '../../src-main/queue/transitions.ts';
import type { Database, Queryable } from '../../src-main/shop/database.ts';
import { type Bench, clear, exists, get, linesOf, mailTo, mariadbBench, order, put } from './bench.ts';

describe('ids above 2^53', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await mariadbBench();
    await clear(bench);
  });
  afterAll(() => bench.close());

  test('neighbours that a double cannot tell apart keep their own claims, outcomes and fates', async () => {
    const { place } = bench;
    const ids = [
      '9007199254740993',
      '9007199254740994',
      '9007199254740995',
      '9007199254740996',
      '18446744073709551614',
    ];
    for (const id of ids) await put(place, { id });
    const { claims } = await grantAndClaim(place, order({ uncapped: true, most: 5 }));
    expect(claims.map((claim) => claim.id)).toEqual(ids);
    for (const claim of claims) {
      expect(await get(place, claim.id)).toMatchObject({
        claim_id: claim.claimId,
        message_id: claim.messageId,
      });
      expect(await linesOf(place, claim.id)).toMatchObject([{ claim_id: claim.claimId }]);
    }
    const [a, b, c, d] = claims;
    if (!a || !b || !c || !d) return;
    expect(await passPointOfNoReturn(place, [a, c])).toEqual(new Set([a.claimId, c.claimId]));
    expect((await linesOf(place, b.id))[0]).toMatchObject({ body_ms: null });
    expect(await renewLeases(place, [b, d])).toEqual(new Set([b.claimId, d.claimId]));
    const ledger = { ...nothingSaid, recipients: 1 };
    await settle(place, [rejected(b, ledger, 'b', true), sent(a, ledger, 'a'), sent(c, ledger, 'c')]);
    expect(await get(place, a.id)).toMatchObject({ state: 'sent', last_error: 'a' });
    expect(await get(place, b.id)).toMatchObject({ state: 'failed', last_error: 'b' });
    expect(await get(place, c.id)).toMatchObject({ state: 'sent', last_error: 'c' });
    expect(await get(place, d.id)).toMatchObject({ state: 'sending' });
    expect(await retryRows(place, { ids: [b.id] }, 900)).toEqual({ done: 1, refused: [] });
    expect((await deleteRows(place, { ids: [a.id] }, 900)).done).toBe(1);
    expect(await Promise.all(ids.map((id) => exists(place, id)))).toEqual([false, true, true, true, true]);
  });
});

describe('50,000 waiting rows of 8 KB', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await mariadbBench();
    await clear(bench);
  });
  afterAll(() => bench.close());

  /** so many rows at once; one statement for 1,000 of them, the body made by the server */
  async function fill(n: number, columns: { priority: string; scheduled: string }): Promise<void> {
    const { place } = bench;
    const payload = mailTo('anna@example.test').replace('Text', "', REPEAT('x', 8000), '");
    for (let at = 0; at < n; at += 10_000) {
      await place.db.run(
        `INSERT INTO ${place.t.queue} (context, recipient, subject, payload, priority, scheduled_at, created_at)
         SELECT 'customer_note', 'anna@example.test', 'Hello', CONCAT('${payload}'), ${columns.priority},
           ${columns.scheduled}, ${place.d.nowS} FROM seq_1_to_${Math.min(10_000, n - at)}`,
      );
    }
  }

  /** the SELECT that the last claim sent, with its values in it */
  let claimSql = '';

  /** what the server read, by its own count, for one call of `use`; one connection, so that nobody else is counted */
  async function reads(use: (db: Database) => Promise<unknown>): Promise<number> {
    const { db } = bench.place;
    const count = async (tx: Queryable) => {
      const rows = await tx.query<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
      return rows.reduce((sum, row) => sum + Number(row.Value), 0);
    };
    let read = 0;
    claimSql = '';
    const counting = async <T>(work: (tx: Queryable) => Promise<T>): Promise<T> =>
      db.transaction(async (tx) => {
        const before = await count(tx);
        const own = (await count(tx)) - before; // asking reads too
        const from = await count(tx);
        const result = await work({
          dialect: tx.dialect,
          run: (sql, params) => tx.run(sql, params),
          query: (sql, params) => {
            let at = 0;
            if (sql.includes('ORDER BY priority'))
              claimSql = sql.replace(/\?/g, () => String(params?.[at++]));
            return tx.query(sql, params);
          },
        });
        read += (await count(tx)) - from - own;
        return result;
      });
    await use({
      dialect: db.dialect,
      capabilities: () => db.capabilities(),
      ping: () => db.ping(),
      close: () => db.close(),
      transaction: counting,
      query: (sql, params) => counting((tx) => tx.query(sql, params)),
      run: (sql, params) => counting((tx) => tx.run(sql, params)),
    });
    return read;
  }
  const claimReads = () =>
    reads(async (db) => {
      const { claims } = await grantAndClaim({ ...bench.place, db }, order({ uncapped: true }));
      expect(claims).toHaveLength(1);
    });

  test('are claimed by reading as few as among 100, in about the same time', async () => {
    const { place } = bench;
    const medianMs = async () => {
      const times: number[] = [];
      for (let at = 0; at < 21; at += 1) {
        const from = performance.now();
        await grantAndClaim(place, order({ uncapped: true }));
        times.push(performance.now() - from);
      }
      return times.sort((a, b) => a - b)[10] ?? Number.NaN;
    };
    const due = { priority: '10 + MOD(seq, 3)', scheduled: `${place.d.nowS} - 60 - MOD(seq, 1000)` };
    await fill(100, due);
    await medianMs(); // connections and caches
    const few = { reads: await claimReads(), ms: await medianMs() };
    await fill(50_000, due);
    const many = { reads: await claimReads(), ms: await medianMs() };
    const [plan] = await place.db.query(`EXPLAIN ${claimSql}`);
    expect(plan).toMatchObject({ key: place.claimKey });
    expect(String(plan?.['Extra'])).not.toContain('filesort');
    expect(many.reads).toBeLessThanOrEqual(few.reads + 5);
    expect(few.reads).toBeLessThan(50);
    // the aim is 5 ms, measured by the bench; a sort of 50,000 such rows takes seconds on any machine
    expect(many.ms, `${few.ms} ms among 100`).toBeLessThan(few.ms * 4 + 50);
  });

  test.each([
    ['what waits, in the order in which it leaves', { filter: { state: 'pending' as const } }],
    ['all by age, the newest first', { filter: {}, sort: { by: 'created_at' as const, descending: true } }],
    ['all by id', { filter: {} }],
  ])('are shown page by page without reading them all: %s', async (_name, page) => {
    const { place } = bench;
    await place.db.query(`ANALYZE TABLE ${place.t.queue}`);
    let pageSql = '';
    const query: Database['query'] = (sql, params) => {
      let at = 0;
      if (sql.includes(' LIMIT ') || sql.includes('LIMIT 100'))
        pageSql = sql.replace(/\?/g, () => `'${String(params?.[at++])}'`);
      return place.db.query(sql, params);
    };
    const { rows, total } = await listRows(
      { ...place, db: { ...place.db, dialect: place.db.dialect, query } },
      { ...page, limit: 100, offset: 300 },
    );
    expect(rows).toHaveLength(100);
    expect(total).toBeGreaterThan(40_000);
    const plan = await place.db.query(`EXPLAIN ${pageSql}`);
    const inner = plan.filter((step) => step['select_type'] === 'DERIVED');
    expect(inner.map((step) => String(step['Extra'])).join()).not.toContain('filesort');
    expect(inner.map((step) => step['key'])).not.toContain(null);
  });

  test('cost an idle console one look at the key, not a walk through the mails', async () => {
    await fill(1_000, { priority: '10', scheduled: `${bench.place.d.nowS} + 3600` });
    expect(await reads((db) => glance({ ...bench.place, db }))).toBeLessThan(50);
    const before = await bench.place.db.query(
      "SELECT MIN(scheduled_at) AS due FROM wp_studiou_wcmq_queue WHERE state = 'pending'",
    );
    expect((await glance(bench.place)).dueS).toBe(before[0]?.['due']);
  });
});
