import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src-main/contract/settings.ts';
import { decide, effectiveIntervalMs, windowsOf } from '../../src-main/engine/gate.ts';
import type { GateFacts } from '../../src-main/queue/claim.ts';

const now = 1_800_000_000_000;
const none = { conversations: 0, recipients: 0 };

function facts(
  change: Partial<Omit<GateFacts, 'settings'>> & { settings?: Record<string, unknown> } = {},
): GateFacts {
  return {
    nowMs: now,
    state: 'enabled',
    pace: { lastStartMs: 0, learnedIntervalMs: null, pause: null },
    drainBy: null,
    used: { minute: 0, hour: 0, day: 0, minuteFreeMs: null, hourFreeMs: null, dayFreeMs: null },
    ...change,
    settings: readSettings(change.settings ?? {}),
  };
}
const pace = (change: Partial<GateFacts['pace']>) => ({
  lastStartMs: 0,
  learnedIntervalMs: null,
  pause: null,
  ...change,
});
const used = (change: Partial<GateFacts['used']>) => ({ ...facts().used, ...change });

describe('the gate', () => {
  it('opens when an interval has passed, to the millisecond', () => {
    const at = (age: number) => decide(facts({ pace: pace({ lastStartMs: now - age }) }), none, 1, false);
    expect(at(12_000)).toEqual({ open: true });
    expect(at(11_999)).toEqual({ open: false, why: 'interval', waitMs: 1 });
  });

  it('rounds the distance up: 7 a minute are 9 s apart, and 0, -1, abc and 9999 are bounded', () => {
    const interval = (rate: unknown) =>
      effectiveIntervalMs(readSettings({ rate_per_minute: rate }), null, false);
    expect([7, 60, 1, 0, -1, 9999, 'abc', '30'].map(interval)).toEqual([
      9000, 1000, 60_000, 60_000, 60_000, 1000, 12_000, 2000,
    ]);
  });

  it('counts the minute, whatever the distance says', () => {
    const full = facts({
      settings: { rate_per_minute: 60 },
      used: used({ minute: 60, minuteFreeMs: now + 700 }),
    });
    expect(decide(full, none, 1, false)).toEqual({ open: false, why: 'minute', waitMs: 700 });
    expect(decide({ ...full, used: used({ minute: 59 }) }, none, 1, false)).toEqual({ open: true });
    // filled by conversations that are still going on: nobody knows when one ends
    expect(decide({ ...full, used: used({ minute: 60 }) }, none, 1, false)).toMatchObject({ waitMs: 250 });
  });

  it('counts recipients for the hour and the day, also of an uncapped profile', () => {
    const settings = { rate_per_hour: 100, rate_per_day: 1000 };
    const at = (hour: number, day: number, recipients: number) =>
      decide(
        facts({ settings, used: used({ hour, day, hourFreeMs: now + 60, dayFreeMs: now + 90 }) }),
        none,
        recipients,
        true,
      );
    expect(at(97, 0, 3)).toEqual({ open: true });
    expect(at(98, 0, 3)).toEqual({ open: false, why: 'hour', waitMs: 60 });
    expect(at(0, 998, 3)).toEqual({ open: false, why: 'day', waitMs: 90 });
    expect(at(0, 0, 101)).toMatchObject({ open: false, why: 'never' });
  });

  it('counts what the same transaction let start already', () => {
    const settings = { rate_per_hour: 10 };
    expect(decide(facts({ settings }), { conversations: 3, recipients: 8 }, 2, true)).toEqual({ open: true });
    expect(decide(facts({ settings }), { conversations: 3, recipients: 9 }, 2, true)).toMatchObject({
      why: 'hour',
    });
    expect(decide(facts(), { conversations: 1, recipients: 1 }, 1, false)).toMatchObject({ why: 'interval' });
  });

  it('uncapped opens the minute alone, and a learned distance closes it again', () => {
    const recent = pace({ lastStartMs: now - 10 });
    expect(decide(facts({ pace: recent, used: used({ minute: 999 }) }), none, 1, true)).toEqual({
      open: true,
    });
    const learned = facts({ pace: { ...recent, learnedIntervalMs: 2000 } });
    expect(decide(learned, none, 1, true)).toEqual({ open: false, why: 'interval', waitMs: 1990 });
    // never faster than the set rate
    expect(effectiveIntervalMs(readSettings({ rate_per_minute: 5 }), 2000, false)).toBe(12_000);
    expect(windowsOf(readSettings({}), true)).toEqual({ minute: false, hour: false, day: false });
  });

  it('is closed while paused: a person’s pause ends by its time, a fault’s only by the probe', () => {
    const until = Math.floor(now / 1000);
    const at = (by: 'person' | 'fault', seconds: number) =>
      decide(facts({ pace: pace({ pause: { by, reason: 'x', until: until + seconds } }) }), none, 1, false);
    expect(at('person', 3)).toEqual({ open: false, why: 'paused', waitMs: 3000 });
    expect(at('person', 0)).toEqual({ open: true });
    expect(at('fault', -600)).toMatchObject({ open: false, why: 'paused' });
  });

  it('drains while draining and does nothing while disabled', () => {
    expect(decide(facts({ state: 'draining' }), none, 1, false)).toEqual({ open: true });
    expect(decide(facts({ state: 'disabled' }), none, 1, false)).toMatchObject({
      open: false,
      why: 'disabled',
    });
  });
});
