/** Real deadlocks between two connections: tried again by themselves, they cost nobody an attempt. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src-main/contract/settings.ts';
import { grantAndClaim } from '../../src-main/queue/claim.ts';
import { reap } from '../../src-main/queue/reap.ts';
import { settle } from '../../src-main/queue/settle.ts';
import { nothingSaid, sent } from '../../src-main/queue/transitions.ts';
import type { Queryable } from '../../src-main/shop/database.ts';
import { sharedMariadb } from '../support/mariadb.ts';
import { ageClaim, type Bench, claimOne, clear, get, linesOf, mariadbBench, order, put } from './bench.ts';
import { holding, untilWaiting } from './locks.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mariadbBench();
});
beforeEach(() => clear(bench));
afterAll(() => bench.close());

async function deadlocks(): Promise<number> {
  const [row] = await (await sharedMariadb()).admin("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
  return Number(row?.['Value']);
}

describe('a deadlock', () => {
  /** makes this transaction the heavier one, so that the server ends the other */
  const weigh = (tx: Queryable) => tx.run(`UPDATE ${bench.other.t.log} SET message = CONCAT(message, 'x')`);
  beforeEach(async () => {
    const rows = Array.from({ length: 200 }, () => "('info', '', 1)").join(', ');
    await bench.place.db.run(`INSERT INTO ${bench.place.t.log} (level, message, created_at) VALUES ${rows}`);
  });

  test('in the claim is tried again: one claim, one line, no attempt', async () => {
    const { place, other } = bench;
    const id = await put(place, { attempts: 1 });
    const before = await deadlocks();
    const held = await holding(bench, async (tx) => {
      await weigh(tx);
      await tx.query(`SELECT id FROM ${other.t.queue} WHERE id = ? FOR UPDATE`, [id]);
    });
    const answer = grantAndClaim({ ...place, skipLocked: false }, order());
    await untilWaiting(); // it has the pace row and wants the queue row; now the other way round:
    await held.tx.query(`SELECT id FROM ${other.t.pace} WHERE id = 1 FOR UPDATE`);
    await held.commit();
    expect((await answer).claims).toMatchObject([{ id, attempts: 1 }]);
    expect(await deadlocks()).toBe(before + 1);
    expect(await get(place, id)).toMatchObject({ state: 'sending', attempts: 1, reclaims: 0 });
    expect(await linesOf(place, id)).toHaveLength(1);
  });

  test('in the reaper is tried again: taken over once', async () => {
    const { place, other } = bench;
    const id = await put(place);
    await claimOne(place);
    await ageClaim(place, id, 1_000);
    const before = await deadlocks();
    const held = await holding(bench, async (tx) => {
      await weigh(tx);
      await tx.query(`SELECT id FROM ${other.t.attempts} WHERE queue_id = ? FOR UPDATE`, [id]);
    });
    const answer = reap(place, defaultSettings, { consoleIds: [], dots: new Map() });
    await untilWaiting();
    await held.tx.query(`SELECT id FROM ${other.t.queue} WHERE id = ? FOR UPDATE`, [id]);
    await held.commit();
    expect(await answer).toMatchObject([{ id, to: 'pending' }]);
    expect(await deadlocks()).toBe(before + 1);
    expect(await get(place, id)).toMatchObject({ state: 'pending', reclaims: 1, attempts: 0 });
  });

  test('in settling is tried again: counted once', async () => {
    const { place, other } = bench;
    const id = await put(place);
    const claim = await claimOne(place);
    const before = await deadlocks();
    const held = await holding(bench, async (tx) => {
      await weigh(tx);
      await tx.query(`SELECT id FROM ${other.t.attempts} WHERE queue_id = ? FOR UPDATE`, [id]);
    });
    const answer = settle(place, [sent(claim, { ...nothingSaid, recipients: 1 }, null)]);
    await untilWaiting();
    await held.tx.query(`SELECT id FROM ${other.t.queue} WHERE id = ? FOR UPDATE`, [id]);
    await held.commit();
    expect(await answer).toEqual(new Set([claim.claimId]));
    expect(await deadlocks()).toBe(before + 1);
    expect(await get(place, id)).toMatchObject({ state: 'sent', attempts: 1 });
  });
});
