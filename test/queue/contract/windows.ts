import { describe, expect, test } from 'vitest';
import { grantAndClaim } from '../../../src-main/queue/claim.ts';
import { mergeSettings } from '../../../src-main/queue/settings-table.ts';
import { countWindows } from '../../../src-main/queue/windows.ts';
import { type Bench, claimOne, get, linesOf, mailTo, order, put, putLine, restPace } from '../bench.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The gate's windows as the ledger has them (promise 3). */
export function windowsContract(bench: () => Bench): void {
  const all = { minute: true, hour: true, day: true };
  const used = async (windows: Partial<typeof all> = {}) => {
    const { place } = bench();
    const [row] = await place.db.query<{ now: number }>(`SELECT ${place.d.nowMs} AS now`);
    return countWindows(place, place.db, Number(row?.now), { ...all, ...windows });
  };
  /** what the gate answers with nothing in the way but the windows */
  const ask = async () => {
    await restPace(bench().place);
    return grantAndClaim(bench().place, order());
  };

  describe('windows', () => {
    test('count lines in the minute, recipients in the hour and the day, by when they were finished', async () => {
      const { place } = bench();
      const counts = { minute: 0, hour: 0, day: 0 };
      expect(await used()).toMatchObject(counts);
      await putLine(place, { started_ms: 90_000, finished_ms: 55_000, recipients: 3 });
      await putLine(place, { started_ms: 90_000, finished_ms: 65_000, recipients: 5 });
      await putLine(place, { started_ms: hour + 5_000, finished_ms: hour - 60_000, recipients: 7 });
      await putLine(place, { started_ms: hour + 5_000, finished_ms: hour + 4_000, recipients: 11 });
      await putLine(place, { started_ms: 24 * hour, finished_ms: 24 * hour - minute, recipients: 13 });
      await putLine(place, { started_ms: 25 * hour, finished_ms: 24 * hour + 1_000, recipients: 17 });
      expect(await used()).toMatchObject({ minute: 1, hour: 3 + 5 + 7, day: 3 + 5 + 7 + 11 + 13 });
    });

    test('count a line that is not finished however long ago it began, whatever its outcome', async () => {
      const { place } = bench();
      await putLine(place, { started_ms: 40 * hour, finished_ms: null, recipients: 2 });
      await putLine(place, { finished_ms: 10, outcome: 'deferred' });
      await putLine(place, { finished_ms: 10, outcome: 'rejected' });
      await putLine(place, { finished_ms: 10, outcome: 'in-doubt' });
      await putLine(place, { finished_ms: 10, outcome: 'none' });
      expect(await used()).toMatchObject({ minute: 5, hour: 6, day: 6 });
    });

    test('do not count a conversation that never came to MAIL FROM', async () => {
      const { place } = bench();
      await putLine(place, { finished_ms: 10, recipients: 0, outcome: 'none' });
      await putLine(place, { finished_ms: null, recipients: 0 });
      expect(await used()).toMatchObject({ minute: 0, hour: 0, day: 0 });
    });

    test('tell when the first finished line leaves', async () => {
      const { place } = bench();
      await putLine(place, { finished_ms: null });
      expect(await used()).toMatchObject({ minuteFreeMs: null, hourFreeMs: null, dayFreeMs: null });
      await putLine(place, { finished_ms: 50_000 });
      await putLine(place, { finished_ms: 20_000 });
      const { minuteFreeMs } = await used();
      const [row] = await place.db.query<{ now: number }>(`SELECT ${place.d.nowMs} AS now`);
      expect(Number(minuteFreeMs) - Number(row?.now)).toBeGreaterThan(8_000);
      expect(Number(minuteFreeMs) - Number(row?.now)).toBeLessThanOrEqual(10_000);
    });

    test('the minute closes at the cap and opens when one leaves it', async () => {
      const { place } = bench();
      await mergeSettings(place, { rate_per_minute: 3 });
      await put(place);
      const ids = [
        await putLine(place, { finished_ms: 59_000 }),
        await putLine(place, { finished_ms: 30_000, outcome: 'rejected' }),
        await putLine(place, { started_ms: 500_000, finished_ms: null }),
      ];
      expect(await ask()).toMatchObject({ claims: [], closed: { why: 'minute' } });
      await place.db.run(`UPDATE ${place.t.attempts} SET finished_ms = finished_ms - 2000 WHERE id = ?`, [
        ids[0] ?? 0,
      ]);
      expect((await ask()).claims).toHaveLength(1);
    });

    test.each([
      ['hour', 'rate_per_hour', hour],
      ['day', 'rate_per_day', 24 * hour],
    ] as const)(
      'the %s counts recipients and has room for all of a row or for none',
      async (why, setting, length) => {
        const { place } = bench();
        await mergeSettings(place, { [setting]: 10 });
        const line = await putLine(place, { started_ms: length, finished_ms: length - 5_000, recipients: 7 });
        const many = await put(place, {
          payload: mailTo('a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'),
          priority: 1,
        });
        const small = await put(place);
        // the first in order is the first to leave: the small one does not pass it by
        expect(await ask()).toMatchObject({ claims: [], refused: [], closed: { why } });
        expect(await get(place, small)).toMatchObject({ state: 'pending' });
        await place.db.run(`UPDATE ${place.t.attempts} SET finished_ms = finished_ms - 10000 WHERE id = ?`, [
          line,
        ]);
        expect((await ask()).claims.map((claim) => claim.id)).toEqual([many]);
        expect((await ask()).claims.map((claim) => claim.id)).toEqual([small]);
      },
    );

    test('a row with more recipients than an hour may ever have fails with the reason and holds nobody up', async () => {
      const { place } = bench();
      await mergeSettings(place, { rate_per_hour: 2 });
      const never = await put(place, { payload: mailTo('a@x.test', 'b@x.test', 'c@x.test'), priority: 1 });
      const fine = await put(place);
      const { claims, refused } = await ask();
      expect(claims.map((claim) => claim.id)).toEqual([fine]);
      expect(refused).toMatchObject([
        { id: never, reason: expect.stringContaining('more than the cap of 2') },
      ]);
      expect(await get(place, never)).toMatchObject({ state: 'failed', attempts: 0 });
      expect(await linesOf(place, never)).toEqual([]);
    });

    test('several rows of one grant count one another', async () => {
      const { place } = bench();
      await mergeSettings(place, { rate_per_hour: 5 });
      const pair = { payload: mailTo('a@x.test', 'b@x.test') };
      for (let n = 0; n < 4; n += 1) await put(place, pair);
      const { claims, closed } = await grantAndClaim(place, order({ uncapped: true, most: 4 }));
      expect(claims).toHaveLength(2);
      expect(closed).toMatchObject({ why: 'hour' });
    });

    test('an uncapped profile has no minute, but its hour still holds', async () => {
      const { place } = bench();
      await mergeSettings(place, { rate_per_hour: 70 });
      for (let n = 0; n < 70; n += 1) await putLine(place, { finished_ms: 1_000 + n });
      await put(place);
      expect((await grantAndClaim(place, order({ uncapped: true }))).closed).toMatchObject({ why: 'hour' });
      await mergeSettings(place, { rate_per_hour: 71 });
      expect(await claimOne(place)).toMatchObject({ recipients: 1 });
    });

    test('a change of the rate holds for the very next grant', async () => {
      const { place } = bench();
      await put(place);
      await place.db.run(`UPDATE ${place.t.pace} SET last_start_ms = ${place.d.nowMs} - 7000`);
      expect((await grantAndClaim(place, order())).closed).toMatchObject({ why: 'interval' });
      await mergeSettings(place, { rate_per_minute: 10 });
      expect((await grantAndClaim(place, order())).claims).toHaveLength(1);
    });
  });
}
