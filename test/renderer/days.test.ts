import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf, endOfDay, startOfDay } from '../../src-renderer/ui/days.ts';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Europe/Prague';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('days of a date field', () => {
  it('begin and end in the person’s own zone', () => {
    expect(startOfDay('2026-01-15')).toBe(Date.parse('2026-01-14T23:00:00Z') / 1000);
    expect(endOfDay('2026-01-15')).toBe(Date.parse('2026-01-15T23:00:00Z') / 1000);
  });

  it('are as long as their nights make them', () => {
    const hours = (day: string) => ((endOfDay(day) ?? 0) - (startOfDay(day) ?? 0)) / 3600;
    expect([hours('2026-03-29'), hours('2026-06-01'), hours('2026-10-25')]).toEqual([23, 24, 25]);
  });

  it('come back as they were typed', () => {
    for (const day of ['2026-03-29', '2026-10-25', '2024-02-29', '1999-12-31']) {
      expect(dayOf(startOfDay(day) ?? 0)).toBe(day);
      expect(dayOf((endOfDay(day) ?? 0) - 1)).toBe(day);
    }
  });

  it.each(['', '2026', '2026-1-1', '2026-02-31', '0202-01-01', 'x'])('%j is none', (text) => {
    expect(startOfDay(text)).toBeNull();
    expect(endOfDay(text)).toBeNull();
  });
});
