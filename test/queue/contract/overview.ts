import { describe, expect, test } from 'vitest';
import { ages } from '../../../src-main/contract/overview.ts';
import { readBacklog, readErrors, readHistory } from '../../../src-main/queue/overview.ts';
import { type Bench, put, putLine } from '../bench.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The figures of the overview. */
export function overviewContract(bench: () => Bench): void {
  const clock = async () => {
    const { place } = bench();
    const [row] = await place.db.query<{ now: number }>(`SELECT ${place.d.nowMs} AS now`);
    return Number(row?.now);
  };

  describe('overview', () => {
    test('counts conversations by when they ended: minutes by conversations, hours and days by recipients', async () => {
      const { place } = bench();
      await putLine(place, { finished_ms: 30_000, outcome: 'sent', recipients: 2 });
      await putLine(place, { finished_ms: 30_000, outcome: 'deferred' });
      await putLine(place, { finished_ms: 5 * minute + 30_000, outcome: 'rejected' });
      await putLine(place, { finished_ms: 5 * minute + 30_000, outcome: 'in-doubt', recipients: 3 });
      // the transport's fault, one that is not over, and one too old
      await putLine(place, { finished_ms: 30_000, outcome: 'none', recipients: 0 });
      await putLine(place, { finished_ms: null });
      await putLine(place, { finished_ms: 49 * hour, outcome: 'sent' });
      const now = await clock();
      const minutes = await readHistory(place, now, 'minute');
      expect(minutes).toHaveLength(60);
      expect(minutes[59]).toMatchObject({ sent: 1, deferred: 1, failed: 0, counted: 2 });
      expect(minutes[54]).toMatchObject({ sent: 0, failed: 2, counted: 2 });
      expect(minutes.reduce((sum, one) => sum + one.counted, 0)).toBe(4);
      const hours = await readHistory(place, now, 'hour');
      expect(hours[47]).toMatchObject({ sent: 1, deferred: 1, failed: 2, counted: 2 + 1 + 1 + 3 });
      const days = await readHistory(place, now, 'day');
      expect(days.map((one) => one.sent)).toEqual([...Array(11).fill(0), 1, 0, 1]);
      for (const [buckets, bucketS] of [[minutes, 60] as const, [hours, 3600] as const])
        expect((buckets[1]?.at ?? 0) - (buckets[0]?.at ?? 0)).toBe(bucketS);
    });

    test('names who waits by the domain of the first recipient, and how long', async () => {
      const { place } = bench();
      const now = Math.floor((await clock()) / 1000);
      const of = (recipient: string, ageS: number, more = {}) =>
        put(place, { recipient, created_at: ageS, ...more });
      await of('a@Slow.Test', 60);
      await of('b@slow.test, c@other.test', 7 * 60, { attempts: 1 });
      await of('"Novák, Jan" <d@slow.test>', 90_000);
      await of('e@quick.test', 60);
      await of('nobody at all', 60);
      await of('f@slow.test', 60, { state: 'sent' });
      const backlog = await readBacklog(place, now);
      expect(backlog[0]).toEqual({
        domain: 'slow.test',
        total: 3,
        tried: 1,
        byAge: ages.map((_, at) => (at === 0 || at === 1 || at === ages.length - 1 ? 1 : 0)),
      });
      expect(backlog.map(({ domain }) => domain)).toContain('quick.test');
      expect(backlog).toHaveLength(3);
    });

    test('puts the long tail of domains into one line', async () => {
      const { place } = bench();
      const now = Math.floor((await clock()) / 1000);
      for (let n = 0; n < 15; n += 1) await put(place, { recipient: `a@d${n}.test`, created_at: 0 });
      await put(place, { recipient: 'b@d7.test', created_at: 0 });
      const backlog = await readBacklog(place, now);
      expect(backlog[0]).toMatchObject({ domain: 'd7.test', total: 2 });
      expect(backlog).toHaveLength(13);
      expect(backlog[12]).toMatchObject({ domain: '', total: 3 });
    });

    test('gathers refusals by the words that they share', async () => {
      const { place } = bench();
      const say = (response: string, more = {}) =>
        putLine(place, { finished_ms: 1000, outcome: 'rejected', smtp_code: 550, response, ...more });
      await say('550 5.1.1 <***@a.test>: no such user, id 4XQz1y0Kp3zB2');
      await say('<***@b.test>: no such user, id 4XQz1y0Kp9zC7', { enhanced_code: '5.1.1' });
      await say('450 4.7.1 greylisted', { outcome: 'deferred', smtp_code: 450 });
      await say('550 old', { finished_ms: 8 * 24 * hour });
      const errors = await readErrors(place, await clock());
      expect(errors).toHaveLength(2);
      expect(errors[0]).toMatchObject({ count: 2, outcome: 'rejected' });
      expect(errors[0]?.words).toBe('550 5.1.1 … no such user, id …');
      expect(errors[1]).toMatchObject({ count: 1, outcome: 'deferred', words: '450 4.7.1 greylisted' });
    });
  });
}
