import { describe, expect, test } from 'vitest';
import { pauseLane, readPace, resumeLane, slowDown, speedUp } from '../../../src-main/queue/lane.ts';
import { type Bench, nowS } from '../bench.ts';

export function laneContract(bench: () => Bench): void {
  const pause = async () => (await readPace(bench().place)).pause;
  const expire = () =>
    bench().place.db.run(`UPDATE ${bench().place.t.pace} SET paused_until = ${bench().place.d.nowS} - 1`);

  describe('lane', () => {
    test('a pause has an end, a reason and who made it, and all consoles know', async () => {
      const { place, other } = bench();
      const now = await nowS(place);
      const made = await pauseLane(place, 'person', 'fault: no, just lunch', 60.2);
      expect(made).toEqual({ by: 'person', reason: 'fault: no, just lunch', until: expect.any(Number) });
      expect(made.until - now).toBeGreaterThanOrEqual(61);
      expect(made.until - now).toBeLessThan(64);
      expect((await readPace(other)).pause).toEqual(made);
    });

    test("a fault never shortens nor renames a person's pause; a person's replaces any", async () => {
      const { place } = bench();
      await pauseLane(place, 'fault', 'connection refused', 5);
      expect(await pauseLane(place, 'fault', 'login refused', 10)).toMatchObject({
        by: 'fault',
        reason: 'login refused',
      });
      const lunch = await pauseLane(place, 'person', 'lunch', 3600);
      expect(lunch).toMatchObject({ by: 'person', reason: 'lunch' });
      expect(await pauseLane(place, 'fault', 'connection refused', 9999)).toEqual(lunch);
      expect(await pauseLane(place, 'person', 'back soon', 60)).toMatchObject({
        by: 'person',
        reason: 'back soon',
      });
      await expire();
      expect(await pauseLane(place, 'fault', 'connection refused', 5)).toMatchObject({ by: 'fault' });
    });

    test('resuming ends what it may end', async () => {
      const { place } = bench();
      expect(await resumeLane(place)).toBe(false);
      await pauseLane(place, 'person', 'lunch', 60);
      expect(await resumeLane(place, 'fault')).toBe(false);
      expect(await pause()).toMatchObject({ reason: 'lunch' });
      expect(await resumeLane(place, 'person')).toBe(true);
      expect(await pause()).toBeNull();
      await pauseLane(place, 'fault', 'gone', 60);
      expect(await resumeLane(place, 'person')).toBe(false);
      expect(await resumeLane(place, 'fault')).toBe(true);
      await pauseLane(place, 'fault', 'gone', 60);
      expect(await resumeLane(place)).toBe(true);
      expect(await pause()).toBeNull();
    });

    test("a pause that was written by hand, without a reason, is a person's", async () => {
      const { place } = bench();
      await place.db.run(`UPDATE ${place.t.pace} SET paused_until = ${place.d.nowS} + 60`);
      const byHand = await pause();
      expect(byHand).toMatchObject({ by: 'person', reason: '' });
      expect(await pauseLane(place, 'fault', 'gone', 5)).toEqual(byHand);
      expect(await resumeLane(place, 'person')).toBe(true);
      expect(await pause()).toBeNull();
    });

    test('holds where the pace row was missing', async () => {
      const { place } = bench();
      await place.db.run(`DELETE FROM ${place.t.pace}`);
      await pauseLane(place, 'person', 'lunch', 60);
      expect(await pause()).toMatchObject({ by: 'person', reason: 'lunch' });
    });

    test('a long reason in any alphabet is cut', async () => {
      expect(await pauseLane(bench().place, 'fault', 'ř💌'.repeat(50_000), 5)).toMatchObject({ by: 'fault' });
      expect((await pause())?.reason).toMatch(/^(ř💌)+/);
    });

    test('the learned pace halves with each throttling, has an end, and climbs back to the set one', async () => {
      const { place } = bench();
      expect(await speedUp(place, 12_000)).toBeNull();
      expect(await slowDown(place, 12_000)).toBe(24_000);
      expect((await readPace(place)).learnedIntervalMs).toBe(24_000);
      expect(await slowDown(place, 12_000)).toBe(48_000);
      for (let n = 0; n < 20; n += 1) await slowDown(place, 12_000);
      expect((await readPace(place)).learnedIntervalMs).toBe(900_000);
      const steps: number[] = [];
      for (let next = await speedUp(place, 12_000); next !== null; next = await speedUp(place, 12_000))
        steps.push(next);
      expect(steps[0]).toBe(810_000);
      expect(steps).toEqual([...steps].sort((a, b) => b - a));
      expect(steps.at(-1)).toBeGreaterThan(12_000);
      expect((await readPace(place)).learnedIntervalMs).toBeNull();
    });

    test('an uncapped profile learns too, from one second on', async () => {
      expect(await slowDown(bench().place, 0)).toBe(2_000);
      expect(await speedUp(bench().place, 0)).toBe(1_800);
    });

    test('two consoles that are throttled at once both count', async () => {
      const { place, other } = bench();
      await Promise.all([place, other, place, other].map((at) => slowDown(at, 1_000)));
      expect((await readPace(place)).learnedIntervalMs).toBe(16_000);
    });
  });
}
