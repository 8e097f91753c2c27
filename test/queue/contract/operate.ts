import { describe, expect, test } from 'vitest';
import { deleteRows, resolveDoubt, retryRows } from '../../../src-main/queue/operate.ts';
import type { SqlValue } from '../../../src-main/shop/database.ts';
import { type Bench, claimOne, exists, get, linesOf, logText, nowS, put, putLine } from '../bench.ts';

const timeout = 900;
const failed = {
  state: 'failed',
  attempts: 3,
  reclaims: 2,
  last_error: '550 no',
  notified_at: 0,
  scheduled_at: 5000,
};
const doubtful = { ...failed, in_doubt: 1, message_id: '<kept@x.test>' };

export function operateContract(bench: () => Bench): void {
  const retry = (...ids: number[]) => retryRows(bench().place, { ids }, timeout);
  const remove = (...ids: number[]) => deleteRows(bench().place, { ids }, timeout);
  const reasons = (refused: { id: SqlValue; reason: string }[]) =>
    refused.map(({ id, reason }) => `${id}: ${reason}`).join('\n');

  describe('retry by hand', () => {
    test('a failed row waits again from now on, with fresh counters and nothing told', async () => {
      const { place } = bench();
      const id = await put(place, { ...failed, held_until: 9e9, message_id: '<kept@x.test>' });
      const from = await nowS(place);
      expect(await retry(id)).toEqual({ done: 1, refused: [] });
      const row = await get(place, id);
      const fresh = {
        attempts: 0,
        reclaims: 0,
        last_error: null,
        notified_at: null,
        held_until: null,
        claim_id: null,
      };
      expect(row).toMatchObject({ state: 'pending', message_id: '<kept@x.test>', ...fresh });
      // not at its old place before everything that waits
      expect(Number(row['scheduled_at'])).toBeGreaterThanOrEqual(from);
      expect(await logText(place)).toBe(`info: Row ${id} was put back into the queue by hand`);
    });

    test('a waiting row is let go now, and one that is due keeps its place', async () => {
      const { place } = bench();
      const later = await put(place, { scheduled_at: -3600, attempts: 2 });
      const due = await put(place, { scheduled_at: 700 });
      const place0 = (await get(place, due))['scheduled_at'];
      const now = await nowS(place);
      expect((await retry(later, due)).done).toBe(2);
      expect(Number((await get(place, later))['scheduled_at'])).toBeLessThanOrEqual(now + 2);
      expect(await get(place, later)).toMatchObject({ attempts: 0, state: 'pending' });
      expect((await get(place, due))['scheduled_at']).toBe(place0);
    });

    test('never a sent row, a live claim, a doubt or a dead claim; all others of the selection go', async () => {
      const { place } = bench();
      const sent = await put(place, { state: 'sent', sent_at: 5 });
      const live = await put(place, { state: 'sending', claimed_at: timeout - 5, claim_id: 'c' });
      const dead = await put(place, { state: 'sending', claimed_at: timeout + 5, claim_id: 'd' });
      const doubt = await put(place, doubtful);
      const fine = await put(place, failed);
      const guarded = [sent, live, dead, doubt];
      const before = await Promise.all(guarded.map((id) => get(place, id)));
      const { done, refused } = await retry(sent, live, dead, doubt, fine, 424_242);
      expect(done).toBe(1);
      expect(reasons(refused)).toContain(`${sent}: it was sent already`);
      expect(reasons(refused)).toContain(`${live}: it is being sent right now`);
      expect(reasons(refused)).toContain(`${dead}: its worker died`);
      expect(reasons(refused)).toContain(`${doubt}: it is in doubt`);
      expect(reasons(refused)).toContain('424242: it is not there any more');
      expect(await Promise.all(guarded.map((id) => get(place, id)))).toEqual(before);
      expect(await get(place, fine)).toMatchObject({ state: 'pending' });
    });

    test('"all" means what matched when it was said', async () => {
      const { place } = bench();
      const ids = [await put(place, failed), await put(place, { ...failed, subject: '50 % off' })];
      const other = await put(place, { ...failed, subject: '500 off' });
      const result = await retryRows(place, { filter: { state: 'failed', search: '50 %' } }, timeout);
      expect(result).toEqual({ done: 1, refused: [] });
      expect(await get(place, ids[1] ?? 0)).toMatchObject({ state: 'pending' });
      expect(await get(place, other)).toMatchObject({ state: 'failed' });
      // more than one batch, of which a part is refused: the filter's result shrinks under way and nothing is left out
      const columns = 'state, subject, payload, in_doubt';
      await place.db.run(`DELETE FROM ${place.t.queue}`);
      for (let n = 0; n < 12; n += 1) {
        const rows = Array.from({ length: 50 }, (_, at) => `('failed', '', '', ${at === 0 ? 1 : 0})`);
        await place.db.run(`INSERT INTO ${place.t.queue} (${columns}) VALUES ${rows.join(', ')}`);
      }
      const all = await retryRows(place, { filter: { state: 'failed' } }, timeout);
      expect(all.done).toBe(588);
      expect(all.refused).toHaveLength(12);
      const [left] = await place.db.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE state = 'failed'`,
      );
      expect(left?.n).toBe(12);
    });

    test('an id named twice, or as text, counts once', async () => {
      const { place } = bench();
      const id = await put(place, failed);
      expect(await retryRows(place, { ids: [id, id, String(id)] }, timeout)).toMatchObject({
        done: 1,
        refused: [],
      });
      expect(await retryRows(place, { ids: ['1 OR 1=1', "x'--"] }, timeout)).toMatchObject({ done: 0 });
    });
  });

  describe('delete by hand', () => {
    test('any row but a live claim, with its folder and its ledger lines older than a day', async () => {
      const { place } = bench();
      const live = await put(place, {
        state: 'sending',
        claimed_at: timeout - 5,
        attachment_dir: 'f'.repeat(32),
      });
      const ids: number[] = [];
      for (const state of ['pending', 'sent', 'failed']) ids.push(await put(place, { state }));
      const dead = await put(place, {
        state: 'sending',
        claimed_at: timeout + 5,
        attachment_dir: 'a'.repeat(32),
      });
      await putLine(place, { queue_id: dead, finished_ms: 90_000_000 });
      await putLine(place, { queue_id: dead, finished_ms: 80_000_000 });
      const { done, refused, folders } = await remove(live, ...ids, dead);
      expect(done).toBe(4);
      expect(refused).toEqual([{ id: live, reason: 'it is being sent right now' }]);
      expect(folders).toEqual(['a'.repeat(32)]);
      for (const id of [...ids, dead]) expect(await exists(place, id)).toBe(false);
      expect(await exists(place, live)).toBe(true);
      // lines of the last day carry the cap: deleting mail must not open the gate
      expect(await linesOf(place, dead)).toHaveLength(1);
      expect(await logText(place)).toContain(`info: Row ${dead} (sending) was deleted by hand`);
    });

    test('a filter deletes what it matches and nothing else', async () => {
      const { place } = bench();
      const gone = await put(place, { context: 'a_b' });
      const kept = await put(place, { context: 'axb' });
      expect((await deleteRows(place, { filter: { context: 'a_b' } }, timeout)).done).toBe(1);
      expect([await exists(place, gone), await exists(place, kept)]).toEqual([false, true]);
    });
  });

  describe('resolve', () => {
    test('it arrived: sent, the attempts as they were', async () => {
      const { place } = bench();
      const id = await put(place, doubtful);
      expect(await resolveDoubt(place, id, true)).toBe(true);
      const row = await get(place, id);
      expect(row).toMatchObject({
        state: 'sent',
        in_doubt: 0,
        attempts: 3,
        notified_at: null,
        last_error: null,
      });
      expect(Number(row['sent_at'])).toBeGreaterThan(0);
      expect(await resolveDoubt(place, id, true)).toBe(false);
      expect(await resolveDoubt(place, id, false)).toBe(false);
      expect(await get(place, id)).toEqual(row);
    });

    test('send it again: waits with fresh counters under the same Message-ID', async () => {
      const { place } = bench();
      const id = await put(place, doubtful);
      expect(await resolveDoubt(place, id, false)).toBe(true);
      expect(await get(place, id)).toMatchObject({
        state: 'pending',
        in_doubt: 0,
        attempts: 0,
        reclaims: 0,
        notified_at: null,
      });
      expect(await claimOne(place)).toMatchObject({ id, messageId: '<kept@x.test>' });
      expect(await logText(place)).toContain('same Message-ID');
    });

    test.each(['pending', 'sending', 'sent', 'failed'])(
      'a %s row without a doubt is not touched',
      async (state) => {
        const { place } = bench();
        const id = await put(place, { state });
        const before = await get(place, id);
        expect(await resolveDoubt(place, id, true)).toBe(false);
        expect(await resolveDoubt(place, id, false)).toBe(false);
        expect(await get(place, id)).toEqual(before);
      },
    );
  });
}
