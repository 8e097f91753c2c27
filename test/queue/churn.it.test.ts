/** Consoles that claim, guard, settle, die and are reaped, all at once on a real server; then the books are checked. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RowId } from '../../src-main/contract/rows.ts';
import { defaultSettings } from '../../src-main/contract/settings.ts';
import { type Claim, grantAndClaim } from '../../src-main/queue/claim.ts';
import { passPointOfNoReturn } from '../../src-main/queue/guard.ts';
import { reap } from '../../src-main/queue/reap.ts';
import { settle, settleFromJournal } from '../../src-main/queue/settle.ts';
import { deferred, nothingSaid, sent } from '../../src-main/queue/transitions.ts';
import { ageClaim, type Bench, clear, linesOf, mariadbBench, order, put } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mariadbBench();
});
beforeEach(() => clear(bench));
afterAll(() => bench.close());

test('every row ends once, and no dot is sent for a row that somebody else may have sent', async () => {
  const { place, other } = bench;
  const ids: number[] = [];
  for (let n = 0; n < 120; n += 1) ids.push(await put(place, { attempts: 0 }));
  /** the mail server's own record: Message-IDs in the order in which their dot came */
  const accepted: string[] = [];
  let random = 20_261;
  const dice = (sides: number) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return (random >>> 8) % sides;
  };
  const ended = { recipients: 1, ...nothingSaid };
  const tally = { stolen: 0, died: 0, refusedByGuard: 0, journal: 0 };

  async function converse(at: Bench['place'], claim: Claim): Promise<void> {
    const fate = dice(10);
    if (fate === 0) {
      tally.died += 1; // before its dot; the reaper comes when the claim is old
      return ageClaim(at, claim.id, 1_000);
    }
    if (fate === 1) {
      await settle(at, [deferred(claim, ended, { delayS: 0, reason: '450 later', deliveredTo: null })]);
      return;
    }
    if (fate === 2) {
      tally.stolen += 1; // a laptop that slept: the claim is old, its holder does not know
      await ageClaim(at, claim.id, 1_000);
      await new Promise((resolve) => setTimeout(resolve, dice(40)));
    }
    if (!(await passPointOfNoReturn(at, [claim])).has(claim.claimId)) {
      tally.refusedByGuard += 1;
      return;
    }
    accepted.push(claim.messageId);
    if (fate === 3) await ageClaim(at, claim.id, 1_000); // reaped between the answer and the settling
    if (fate === 3) await new Promise((resolve) => setTimeout(resolve, dice(60)));
    const end = sent(claim, ended, null);
    if (!(await settle(at, [end])).has(claim.claimId)) {
      tally.journal += 1;
      await settleFromJournal(at, end);
    }
  }

  let open = true;
  const worker = async (at: Bench['place'], n: number) => {
    while (open) {
      const { claims } = await grantAndClaim(
        at,
        order({ uncapped: true, most: 1 + (n % 3), consoleId: `console-${n}` }),
      );
      for (const claim of claims) await converse(at, claim);
      if (claims.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const reaper = async (at: Bench['place']) => {
    while (open) {
      // a row that crashed often waits longer each time: here it may go at once
      await at.db.run(
        `UPDATE ${at.t.queue} SET scheduled_at = 1 WHERE state = 'pending' AND scheduled_at > 1`,
      );
      await reap(at, { ...defaultSettings, max_reclaims: 100 }, { consoleIds: [], dots: new Map() });
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  };
  const until = async () => {
    const end = Date.now() + 20_000;
    while (Date.now() < end) {
      const [left] = await place.db.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE state IN ('pending', 'sending')`,
      );
      if (left?.n === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    open = false;
  };
  await Promise.all([worker(place, 1), worker(place, 2), worker(other, 3), reaper(other), until()]);

  const rows = await place.db.query<{
    id: RowId;
    state: string;
    message_id: string;
    attempts: number;
    in_doubt: number;
  }>(`SELECT id, state, message_id, attempts, in_doubt FROM ${place.t.queue} ORDER BY id`);
  expect(rows.map((row) => row.id)).toEqual(ids);
  for (const row of rows) {
    const times = accepted.filter((messageId) => messageId === row.message_id).length;
    expect(row, `row ${row.id} was accepted ${times} times`).toMatchObject({ state: 'sent', in_doubt: 0 });
    expect(times).toBe(1);
    const lines = await linesOf(place, row.id);
    expect(lines.filter((line) => line['outcome'] === 'sent')).toHaveLength(1);
    expect(lines.every((line) => line['finished_ms'] !== null)).toBe(true);
    // completed conversations, each once: what was deferred and what was sent
    const completed = lines.filter(
      (line) => line['outcome'] === 'sent' || line['outcome'] === 'deferred',
    ).length;
    expect(row.attempts).toBe(completed);
  }
  for (const [fault, times] of Object.entries(tally))
    expect(times, `${fault} must have happened`).toBeGreaterThan(0);
});
