import { describe, expect, it } from 'vitest';
import { type Seen, StandstillWatch, standstillMs } from '../../src-main/app/standstill.ts';
import { emptyStatus } from './status.ts';

const due = { remaining: 5, next_at: 999_999 };
const open = (some: Parameters<typeof emptyStatus>[0]): Seen => ({
  phase: 'open',
  status: emptyStatus(some),
});
const minute = 60_000;

/** What is told at the end of half an hour in which the same is seen. */
function heard(seen: Seen, forMs = standstillMs) {
  const watch = new StandstillWatch();
  for (let nowMs = 0; nowMs < forMs; nowMs += minute) expect(watch.look('p', seen, nowMs)).toBeNull();
  return watch.look('p', seen, forMs);
}

describe('a lane that stands still', () => {
  it('is told of after half an hour, once', () => {
    const watch = new StandstillWatch();
    const seen = open(due);
    expect(watch.look('p', seen, 0)).toBeNull();
    expect(watch.look('p', seen, standstillMs - 1)).toBeNull();
    expect(watch.look('p', seen, standstillMs)).toBe('stands');
    expect(watch.look('p', seen, standstillMs * 2)).toBeNull();
  });

  it('is told of anew after something has moved', () => {
    const watch = new StandstillWatch();
    const counts = emptyStatus().counts;
    watch.look('p', open(due), 0);
    watch.look('p', open({ ...due, counts: { ...counts, sent: 1 } }), standstillMs - minute);
    expect(watch.look('p', open({ ...due, counts: { ...counts, sent: 1 } }), standstillMs)).toBeNull();
    expect(watch.look('p', open({ ...due, counts: { ...counts, sent: 1 } }), standstillMs * 2)).toBe(
      'stands',
    );
  });

  it('is none where nothing is due, or a person or a fault has paused it', () => {
    expect(heard(open({ ...due, state: 'disabled' }))).toBeNull();
    expect(heard(open({ remaining: 0, next_at: null }))).toBeNull();
    expect(heard(open({ remaining: 5, next_at: 1_003_600 }))).toBeNull();
    expect(heard(open({ ...due, pause: { by: 'person', reason: '', until: 2_000_000 } }))).toBeNull();
    expect(heard(open({ ...due, pause: { by: 'fault', reason: 'x', until: 2_000_000 } }))).toBeNull();
    expect(heard({ phase: 'closed', status: null })).toBeNull();
    expect(heard({ phase: 'connecting', status: null })).toBeNull();
  });
});

describe('a mail that is on its way', () => {
  it('for half an hour is no excuse', () => {
    expect(heard(open({ ...due, in_flight: [1] }))).toBe('stands');
    expect(heard(open({ remaining: 1, next_at: null, in_flight: [1] }))).toBe('stands');
  });
});

describe('a shop that cannot be reached', () => {
  it('is told of after half an hour, whether it was ever open or not', () => {
    const red = { color: 'red' as const, cause: 'gone' };
    const { lights } = emptyStatus();
    expect(heard({ phase: 'failed', status: null })).toBe('unreached');
    expect(heard({ phase: 'failed', status: emptyStatus(due) })).toBe('unreached');
    expect(heard(open({ ...due, lights: { ...lights, shop: red } }))).toBe('unreached');
  });
});
