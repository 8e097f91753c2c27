import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FailureGroup, FailureGrouping } from '../../src-main/app/grouping.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const ended = (id: number, outcome: 'sent' | 'rejected' | 'deferred' | 'in-doubt' = 'rejected') => ({
  id,
  outcome,
  reason: 'mailbox unavailable',
  recipient: `c${id}@shop.example`,
  subject: 'Order',
});

function gather(): { told: FailureGroup[]; grouping: FailureGrouping } {
  const told: FailureGroup[] = [];
  return { told, grouping: new FailureGrouping((group) => told.push(group)) };
}

describe('failures', () => {
  it('within ten seconds are told of once', () => {
    const { told, grouping } = gather();
    for (let id = 1; id <= 7; id++) {
      grouping.add('shop', ended(id));
      vi.advanceTimersByTime(1000);
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(3000);
    expect(told).toHaveLength(1);
    expect(told[0]?.failed.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('that keep coming do not put the telling off', () => {
    const { told, grouping } = gather();
    for (let second = 0; second < 25; second++) {
      grouping.add('shop', ended(second));
      vi.advanceTimersByTime(1000);
    }
    expect(told.map(({ failed }) => failed.length)).toEqual([10, 10]);
  });

  it('are told of by shop, and in doubt apart; what was sent is none', () => {
    const { told, grouping } = gather();
    grouping.add('one', ended(1));
    grouping.add('two', ended(2, 'in-doubt'));
    grouping.add('one', ended(3, 'sent'));
    grouping.add('one', ended(4, 'deferred'));
    vi.advanceTimersByTime(10_000);
    expect(told.map(({ profile, failed, inDoubt }) => [profile, failed.length, inDoubt.length])).toEqual([
      ['one', 2, 0],
      ['two', 0, 1],
    ]);
  });

  it('are forgotten when the app ends', () => {
    const { told, grouping } = gather();
    grouping.add('shop', ended(1));
    grouping.stop();
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });
});
