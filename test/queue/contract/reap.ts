import { describe, expect, test } from 'vitest';
import type { RowId } from '../../../src-main/contract/rows.ts';
import { defaultSettings, type Settings } from '../../../src-main/contract/settings.ts';
import { crashedTooOften, type DeadConsoles, reap } from '../../../src-main/queue/reap.ts';
import {
  ageClaim,
  type Bench,
  claimOne,
  exists,
  get,
  linesOf,
  logText,
  nowS,
  put,
  putLine,
} from '../bench.ts';

const timeout = defaultSettings.claim_timeout;
const nobody: DeadConsoles = { consoleIds: [], dots: new Map() };

export function reapContract(bench: () => Bench): void {
  interface Stranded {
    age?: number;
    body?: boolean;
    consoleId?: string;
    columns?: Parameters<typeof put>[1];
  }
  /** a claimed row whose claim is `age` s old, past its point of no return where `body` */
  const stranded = async ({
    age = timeout + 5,
    body = false,
    consoleId = 'console-one',
    columns,
  }: Stranded = {}) => {
    const { place } = bench();
    const id = await put(place, columns);
    await claimOne(place, { consoleId });
    await ageClaim(place, id, age);
    if (body)
      await place.db.run(`UPDATE ${place.t.attempts} SET body_ms = started_ms WHERE queue_id = ?`, [id]);
    return id;
  };
  const sweep = (change: Partial<Settings> = {}, dead = nobody) =>
    reap(bench().place, { ...defaultSettings, ...change }, dead);

  describe('reap', () => {
    test('a stale claim without a dot waits again; its neighbour, just too young, is left alone', async () => {
      const { place } = bench();
      const stale = await stranded({ columns: { attempts: 1, scheduled_at: 7000 } });
      const young = await stranded({ age: timeout - 5 });
      const before = { stale: await get(place, stale), young: await get(place, young) };
      expect(await sweep()).toMatchObject([
        { id: stale, to: 'pending', recipient: 'anna@example.test', subject: 'Hello' },
      ]);
      expect(await get(place, stale)).toEqual({
        ...before.stale,
        state: 'pending',
        reclaims: 1,
        claim_id: null,
        claimed_at: null,
        last_error: expect.stringContaining('had not been sent'),
      });
      expect(await get(place, young)).toEqual(before.young);
      expect(await linesOf(place, stale)).toMatchObject([
        { outcome: 'none', finished_ms: expect.any(Number) },
      ]);
      expect(await linesOf(place, young)).toMatchObject([{ outcome: null, finished_ms: null }]);
      expect(await logText(place)).toMatch(/^warning: Row \d+ was taken over from a worker that died/);
      expect(await sweep()).toEqual([]);
    });

    test('a stale claim whose dot may have been sent is in doubt, counted as an attempt', async () => {
      const { place } = bench();
      const id = await stranded({ body: true, columns: { attempts: 1, reclaims: 1 } });
      const young = await stranded({ body: true, age: timeout - 5 });
      expect(await sweep()).toMatchObject([{ id, to: 'in-doubt' }]);
      const row = await get(place, id);
      expect(row).toMatchObject({
        state: 'failed',
        in_doubt: 1,
        attempts: 2,
        reclaims: 1,
        claim_id: null,
        claimed_at: null,
      });
      expect(String(row['last_error'])).toContain('may have arrived');
      expect(await linesOf(place, id)).toMatchObject([
        { outcome: 'in-doubt', finished_ms: expect.any(Number) },
      ]);
      expect(await get(place, young)).toMatchObject({ state: 'sending' });
      expect(await logText(place)).toMatch(/^error: /);
    });

    test('only the line of this claim tells: an older one with a dot does not put the row in doubt', async () => {
      const { place } = bench();
      const id = await stranded();
      await putLine(place, {
        queue_id: id,
        claim_id: 'earlier',
        body_ms: 90_000,
        finished_ms: 80_000,
        outcome: 'deferred',
      });
      expect(await sweep()).toMatchObject([{ id, to: 'pending' }]);
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'none' }, { outcome: 'deferred' }]);
    });

    test('the setting sends a doubt again, up to max_attempts', async () => {
      const { place } = bench();
      const again = await stranded({ body: true, columns: { attempts: 1 } });
      const last = await stranded({ body: true, columns: { attempts: 2 } });
      const from = await nowS(place);
      expect(await sweep({ in_doubt: 'retry', max_attempts: 3 })).toMatchObject([
        { id: again, to: 'pending' },
        { id: last, to: 'in-doubt' },
      ]);
      const row = await get(place, again);
      expect(row).toMatchObject({ state: 'pending', in_doubt: 0, attempts: 2, reclaims: 0 });
      // later, since it may well have arrived, and never all at once
      expect(Number(row['scheduled_at'])).toBeGreaterThanOrEqual(from + 60);
      expect(await get(place, last)).toMatchObject({ state: 'failed', in_doubt: 1, attempts: 3 });
    });

    test('the same row again and again waits longer, and fails beyond max_reclaims, not max_attempts', async () => {
      const { place } = bench();
      const second = await stranded({ columns: { reclaims: 1, scheduled_at: 500 } });
      const sixth = await stranded({ columns: { reclaims: 5 } });
      const from = await nowS(place);
      expect(await sweep({ max_reclaims: 5, max_attempts: 1 })).toMatchObject([
        { id: second, to: 'pending' },
        { id: sixth, to: 'failed', reason: crashedTooOften },
      ]);
      expect(Number((await get(place, second))['scheduled_at'])).toBeGreaterThan(from);
      expect(await get(place, sixth)).toMatchObject({
        state: 'failed',
        last_error: crashedTooOften,
        attempts: 0,
        reclaims: 6,
        in_doubt: 0,
      });
    });

    test('a counter at its most stays there', async () => {
      const { place } = bench();
      const id = await stranded({ columns: { reclaims: 255, attempts: 255 } });
      await sweep({ max_reclaims: 5 });
      expect(await get(place, id)).toMatchObject({ state: 'failed', reclaims: 255, attempts: 255 });
      const doubtful = await stranded({ body: true, columns: { attempts: 255 } });
      await sweep();
      expect(await get(place, doubtful)).toMatchObject({ state: 'failed', in_doubt: 1, attempts: 255 });
    });

    test('a console that is dead for certain loses its claims at once; a living one keeps its own', async () => {
      const { place } = bench();
      const dead = await stranded({ age: 1, consoleId: 'dead' });
      const doubtful = await stranded({ age: 1, consoleId: 'dead', body: true });
      const living = await stranded({ age: 1, consoleId: 'living' });
      expect(await sweep({}, { ...nobody, consoleIds: ['dead', 'long gone'] })).toMatchObject([
        { id: dead, to: 'pending' },
        { id: doubtful, to: 'in-doubt' },
      ]);
      expect(await get(place, living)).toMatchObject({ state: 'sending' });
    });

    test('past its guard, but by the record of its dead console never sent: it waits again', async () => {
      const { place } = bench();
      const claimOf = async (id: RowId) => String((await get(place, id))['claim_id']);
      const kept = await stranded({ age: 1, consoleId: 'keeper', body: true });
      const dotted = await stranded({ age: 1, consoleId: 'keeper', body: true });
      const unknown = await stranded({ age: 1, consoleId: 'power cut', body: true });
      const other = await stranded({ body: true });
      const dots = new Map([
        ['keeper', new Set([await claimOf(dotted)])],
        ['power cut', null],
      ]);
      const dead = { consoleIds: ['keeper', 'power cut'], dots };
      const moved = new Map((await sweep({}, dead)).map((one) => [one.id, one.to]));
      expect(moved).toEqual(
        new Map<RowId, string>([
          [other, 'in-doubt'],
          [kept, 'pending'],
          [dotted, 'in-doubt'],
          [unknown, 'in-doubt'],
        ]),
      );
      expect(await get(place, kept)).toMatchObject({ reclaims: 1, attempts: 0, in_doubt: 0 });
    });

    test('what a dead console held before, and another holds now, is not touched', async () => {
      const { place } = bench();
      const id = await stranded({ age: 1, consoleId: 'dead' });
      await place.db.run(`UPDATE ${place.t.queue} SET state = 'pending', claim_id = NULL`);
      await claimOne(place, { consoleId: 'living' });
      expect(await sweep({}, { ...nobody, consoleIds: ['dead'] })).toEqual([]);
      expect(await get(place, id)).toMatchObject({ state: 'sending' });
    });

    test('rows that another program left in sending, without a claim or a time, come back too', async () => {
      const { place } = bench();
      const noTime = await put(place, { state: 'sending', claimed_at: null });
      const noClaim = await put(place, { state: 'sending', claimed_at: timeout + 5 });
      const young = await put(place, { state: 'sending', claimed_at: timeout - 5 });
      expect((await sweep()).map(({ id, to }) => [id, to])).toEqual([
        [noTime, 'pending'],
        [noClaim, 'pending'],
      ]);
      expect(await get(place, young)).toMatchObject({ state: 'sending' });
    });

    test('more than one batch comes back in one sweep, each once', async () => {
      const { place } = bench();
      for (let n = 0; n < 230; n += 1) await put(place, { state: 'sending', claimed_at: timeout + 5 });
      const reaped = await sweep();
      expect(new Set(reaped.map(({ id }) => id)).size).toBe(230);
      expect(reaped).toHaveLength(230);
    });

    test('lines left open by rows that are gone stop counting; young ones and lines of living claims do not', async () => {
      const { place } = bench();
      const orphan = { finished_ms: null, started_ms: (timeout + 5) * 1000, queue_id: 999_999 };
      await putLine(place, { ...orphan, claim_id: 'old' });
      await putLine(place, { ...orphan, claim_id: 'old with a dot', body_ms: 900_000 });
      await putLine(place, { ...orphan, claim_id: 'young', started_ms: (timeout - 5) * 1000 });
      await putLine(place, {
        ...orphan,
        claim_id: 'young of a dead one',
        started_ms: 1000,
        console_id: 'dead',
      });
      const slow = await stranded({ age: 10 });
      await place.db.run(
        `UPDATE ${place.t.attempts} SET started_ms = started_ms - 9000000 WHERE queue_id = ?`,
        [slow],
      );
      await sweep({}, { ...nobody, consoleIds: ['dead'] });
      const lines = await place.db.query<{ claim_id: string; outcome: string | null }>(
        `SELECT claim_id, outcome FROM ${place.t.attempts} WHERE queue_id = 999999 ORDER BY id`,
      );
      expect(lines.map((line) => line.outcome)).toEqual(['none', 'in-doubt', null, 'none']);
      expect(await linesOf(place, slow)).toMatchObject([{ finished_ms: null }]);
      expect(await exists(place, slow)).toBe(true);
    });
  });
}
