import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capsBelow, knownHosts } from '../../src-main/contract/host-limits.ts';

const none = { minute: null, hour: null, day: null };

describe('caps below a host’s limits', () => {
  it.each([
    ['an hour', { ...none, hour: 200 }, { rate_per_minute: 5, rate_per_hour: 160, rate_per_day: 0 }],
    ['a small hour', { ...none, hour: 20 }, { rate_per_minute: 2, rate_per_hour: 16, rate_per_day: 0 }],
    ['a minute', { ...none, minute: 30 }, { rate_per_minute: 24, rate_per_hour: 0, rate_per_day: 0 }],
    ['a fast minute', { ...none, minute: 500 }, { rate_per_minute: 60, rate_per_hour: 0, rate_per_day: 0 }],
    ['one', { minute: 1, hour: 1, day: 1 }, { rate_per_minute: 1, rate_per_hour: 1, rate_per_day: 1 }],
    ['a day', { ...none, day: 2_000 }, { rate_per_minute: 5, rate_per_hour: 0, rate_per_day: 1_600 }],
    ['nothing', none, { rate_per_minute: 5, rate_per_hour: 0, rate_per_day: 0 }],
  ])('of %s', (_what, limits, caps) => {
    expect(capsBelow(limits, { rate_per_minute: 5 })).toEqual(caps);
  });

  it('are never above a limit that is stated, and always let mail through', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 1_000_000 }));
    fc.assert(
      fc.property(
        fc.record({ minute: limit, hour: limit, day: limit }),
        fc.integer({ min: 1, max: 60 }),
        (limits, rate) => {
          const caps = capsBelow(limits, { rate_per_minute: rate });
          expect(caps.rate_per_minute).toBeGreaterThanOrEqual(1);
          if (limits.minute !== null) expect(caps.rate_per_minute).toBeLessThanOrEqual(limits.minute);
          if (limits.hour !== null) expect(caps.rate_per_hour).toBeLessThanOrEqual(limits.hour);
          if (limits.day !== null) expect(caps.rate_per_day).toBeLessThanOrEqual(limits.day);
          if (limits.hour === null) expect(caps.rate_per_hour).toBe(0);
        },
      ),
    );
  });

  it('knows each host once', () => {
    expect(new Set(knownHosts.map(({ id }) => id)).size).toBe(knownHosts.length);
  });
});
