/** Two consoles on one shop at the same moment: real locks on two connections to a real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src-main/contract/settings.ts';
import { type Claim, grantAndClaim } from '../../src-main/queue/claim.ts';
import { passPointOfNoReturn, renewLeases } from '../../src-main/queue/guard.ts';
import { deleteRows, retryRows } from '../../src-main/queue/operate.ts';
import { pruneRows } from '../../src-main/queue/prune.ts';
import { type DeadConsoles, reap } from '../../src-main/queue/reap.ts';
import { moveState } from '../../src-main/queue/settings-table.ts';
import type { Database } from '../../src-main/shop/database.ts';
import {
  ageClaim,
  type Bench,
  claimOne,
  clear,
  exists,
  get,
  mariadbBench,
  order,
  put,
  restPace,
} from './bench.ts';
import { holding, sleep, untilWaiting } from './locks.ts';

const nobody: DeadConsoles = { consoleIds: [], dots: new Map() };

let bench: Bench;
beforeAll(async () => {
  bench = await mariadbBench();
});
beforeEach(() => clear(bench));
afterAll(() => bench.close());

describe('the gate', () => {
  test('waits for the pace row, and then decides by what the other console started and by the later clock', async () => {
    const { place, other } = bench;
    await put(place);
    const held = await holding(bench, (tx) =>
      tx.query(`SELECT 1 FROM ${other.t.pace} WHERE id = 1 FOR UPDATE`),
    );
    const answer = grantAndClaim(place, order());
    await untilWaiting();
    await sleep(300);
    await held.tx.run(`UPDATE ${other.t.pace} SET last_start_ms = ${other.d.nowMs} WHERE id = 1`);
    await held.commit();
    const { claims, closed, facts } = await answer;
    expect(claims).toEqual([]);
    expect(closed).toMatchObject({ why: 'interval' });
    expect(facts.nowMs).toBeGreaterThanOrEqual(facts.pace.lastStartMs);
    expect(closed?.waitMs).toBeLessThanOrEqual(12_000);
  });

  // REPEATABLE READ is what a server with a statement binlog leaves us
  test.each(['READ-COMMITTED', 'REPEATABLE-READ'])(
    'counts what was started while it waited, under %s',
    async (isolation) => {
      const one = await mariadbBench([`SET SESSION tx_isolation = '${isolation}'`]);
      try {
        await clear(one);
        await put(one.place);
        const held = await holding(one, (tx) =>
          tx.query(`SELECT 1 FROM ${one.other.t.pace} WHERE id = 1 FOR UPDATE`),
        );
        const answer = grantAndClaim(one.place, order());
        await untilWaiting();
        const lines = Array.from({ length: 5 }, () => `(0, 'c', 1)`).join(', ');
        await held.tx.run(
          `INSERT INTO ${one.other.t.attempts} (queue_id, claim_id, started_ms) VALUES ${lines}`,
        );
        await held.commit();
        expect(await answer).toMatchObject({
          claims: [],
          closed: { why: 'minute' },
          facts: { used: { minute: 5 } },
        });
      } finally {
        await one.close();
      }
    },
  );

  test('obeys a state and a rate that were changed while it waited', async () => {
    const { place, other } = bench;
    await put(place);
    const held = await holding(bench, (tx) =>
      tx.query(`SELECT 1 FROM ${other.t.pace} WHERE id = 1 FOR UPDATE`),
    );
    const answer = grantAndClaim(place, order());
    await untilWaiting();
    await held.tx.run(`UPDATE ${other.t.settings} SET value = '"disabled"' WHERE name = 'state'`);
    await held.commit();
    expect(await answer).toMatchObject({ claims: [], closed: { why: 'disabled' } });
  });

  test('does not wait for somebody who is writing settings', async () => {
    const { place, other } = bench;
    await put(place);
    const held = await holding(bench, (tx) => tx.run(`UPDATE ${other.t.settings} SET updated_at = 1`));
    const answer = await Promise.race([grantAndClaim(place, order()), sleep(3_000)]);
    await held.commit();
    expect(answer).toMatchObject({ claims: [{}] });
  });

  test('skips a row that somebody is writing, and takes it when nobody is', async () => {
    const { place, other } = bench;
    const first = await put(place);
    const second = await put(place);
    expect(place.skipLocked).toBe(true);
    const held = await holding(bench, (tx) =>
      tx.run(`UPDATE ${other.t.queue} SET state = 'failed' WHERE id = ?`, [first]),
    );
    expect((await grantAndClaim(place, order({ uncapped: true }))).claims.map((claim) => claim.id)).toEqual([
      second,
    ]);
    // without SKIP LOCKED it waits for the row, and then sees that the row waits no more
    const answer = grantAndClaim({ ...place, skipLocked: false }, order({ uncapped: true }));
    await untilWaiting();
    await held.commit();
    expect((await answer).claims).toEqual([]);
  });
});

describe('the guard', () => {
  test('is one statement where all still hold: a multi-table UPDATE counts what it matched in both tables', async () => {
    const { place } = bench;
    const claims: Claim[] = [];
    for (let n = 0; n < 3; n += 1) {
      await put(place);
      claims.push(await claimOne(place));
    }
    const statements: { sql: string; matched: number }[] = [];
    const { db } = place;
    const listening: Database = {
      dialect: db.dialect,
      capabilities: () => db.capabilities(),
      ping: () => db.ping(),
      close: () => db.close(),
      transaction: (work) => db.transaction(work),
      query: (sql, params) => {
        statements.push({ sql, matched: -1 });
        return db.query(sql, params);
      },
      run: async (sql, params) => {
        const result = await db.run(sql, params);
        statements.push({ sql, matched: result.matched });
        return result;
      },
    };
    // the second time nothing changes within the same second, and it matches all the same
    for (let time = 0; time < 2; time += 1) {
      expect((await passPointOfNoReturn({ ...place, db: listening }, claims)).size).toBe(3);
    }
    expect(statements.map(({ matched }) => matched)).toEqual([6, 6]);
  });
});

describe('in the same moment', () => {
  test('a lease is renewed: the reaper leaves the row', async () => {
    const { place, other } = bench;
    const id = await put(place);
    const claim = await claimOne(place);
    await ageClaim(place, id, 1_000);
    const held = await holding(bench, (tx) =>
      renewLeases({ ...other, db: { ...other.db, ...tx, run: tx.run.bind(tx), query: tx.query.bind(tx) } }, [
        claim,
      ]),
    );
    const answer = reap(place, defaultSettings, nobody); // sees the old stamp, waits for the row
    await untilWaiting();
    await held.commit();
    expect(await answer).toEqual([]);
    expect(await get(place, id)).toMatchObject({ state: 'sending', claim_id: claim.claimId, reclaims: 0 });
  });

  test('a failed row is put back: retention leaves it and its folder', async () => {
    const { place, other } = bench;
    const dir = (letter: string) => letter.repeat(32);
    const old = { state: 'failed', created_at: 90 * 86_400, notified_at: 0 };
    const gone = await put(place, { ...old, attachment_dir: dir('a') });
    const back = await put(place, { ...old, attachment_dir: dir('b') });
    const held = await holding(bench, (tx) =>
      tx.run(`UPDATE ${other.t.queue} SET state = 'pending' WHERE id = ?`, [back]),
    );
    const answer = pruneRows(place, 'failed', 30);
    await untilWaiting();
    await held.commit();
    expect(await answer).toEqual({ rows: 1, folders: [dir('a')] });
    expect([await exists(place, gone), await exists(place, back)]).toEqual([false, true]);
  });

  test('a row is claimed: a hand that retries or deletes it is refused', async () => {
    const { place, other } = bench;
    const id = await put(place);
    const held = await holding(bench, (tx) =>
      tx.run(
        `UPDATE ${other.t.queue} SET state = 'sending', claim_id = 'c', claimed_at = ${other.d.nowS} WHERE id = ?`,
        [id],
      ),
    );
    const both = Promise.all([retryRows(place, { ids: [id] }, 900), deleteRows(place, { ids: [id] }, 900)]);
    await untilWaiting(2);
    await held.commit();
    const refused = [{ id, reason: 'it is being sent right now' }];
    expect(await both).toMatchObject([
      { done: 0, refused },
      { done: 0, refused },
    ]);
    expect(await get(place, id)).toMatchObject({ state: 'sending', claim_id: 'c' });
  });

  test('two consoles disable and enable: each edge is gone once', async () => {
    const { place, other } = bench;
    const moves = await Promise.all([
      moveState(place, ['enabled'], 'draining'),
      moveState(other, ['enabled'], 'draining'),
      moveState(place, ['enabled'], 'draining'),
    ]);
    expect(moves.filter(Boolean)).toHaveLength(1);
    await restPace(place);
  });
});
