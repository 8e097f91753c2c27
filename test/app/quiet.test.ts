import { describe, expect, it } from 'vitest';
import { type Announcement, Announcements } from '../../src-main/app/announcements.ts';
import { isQuiet } from '../../src-main/app/quiet.ts';
import type { NotifyLevel, QuietHours } from '../../src-main/contract/preferences.ts';

const at = (time: string) => new Date(`2026-03-09T${time}:00`);
const night = { from: '22:00', to: '07:00' };

describe('quiet hours', () => {
  it('go over midnight', () => {
    for (const time of ['22:00', '23:59', '00:00', '06:59']) expect(isQuiet(night, at(time))).toBe(true);
    for (const time of ['21:59', '07:00', '12:00']) expect(isQuiet(night, at(time))).toBe(false);
  });

  it('lie within a day, take it whole, or are none', () => {
    expect(isQuiet({ from: '12:00', to: '13:00' }, at('12:30'))).toBe(true);
    expect(isQuiet({ from: '12:00', to: '13:00' }, at('13:00'))).toBe(false);
    expect(isQuiet({ from: '08:00', to: '08:00' }, at('03:00'))).toBe(true);
    expect(isQuiet(null, at('03:00'))).toBe(false);
  });
});

describe('announcements', () => {
  function make(notifications: NotifyLevel, quietHours: QuietHours | null = null) {
    const shown: Announcement[] = [];
    const world = { now: at('12:00'), wanted: { notifications, quietHours } };
    const announcements = new Announcements({
      wanted: () => world.wanted,
      show: (one) => shown.push(one),
      now: () => world.now,
    });
    return { announcements, shown, world };
  }
  const news = { kind: 'news', title: '7 mails failed', body: '', place: null } as const;
  const problem = {
    kind: 'problem',
    title: '1 mail may or may not have arrived',
    body: '',
    place: { profile: 'p', screen: 'queue' },
  } as const;

  it('come at once, as far as they are wanted', () => {
    for (const [level, expected] of [
      ['all', [news, problem]],
      ['problems', [problem]],
      ['none', []],
    ] as const) {
      const { announcements, shown } = make(level);
      announcements.tell(news);
      announcements.tell(problem);
      expect(shown).toEqual(expected);
    }
  });

  it('of quiet hours come as one at their end, the problem first, leading to it', () => {
    const { announcements, shown, world } = make('all', night);
    world.now = at('23:00');
    announcements.tell(news);
    announcements.tell(problem);
    announcements.look();
    expect(shown).toEqual([]);
    world.now = at('07:00');
    announcements.look();
    expect(shown).toEqual([
      {
        kind: 'problem',
        title: 'While it was quiet: 2 messages',
        body: '1 mail may or may not have arrived\n7 mails failed',
        place: problem.place,
      },
    ]);
    announcements.look();
    expect(shown).toHaveLength(1);
  });

  it('of quiet hours that stand alone come as they are, and not at all once they are not wanted', () => {
    const { announcements, shown, world } = make('all', night);
    world.now = at('23:00');
    announcements.tell(news);
    world.now = at('08:00');
    announcements.look();
    expect(shown).toEqual([news]);
    world.now = at('23:30');
    announcements.tell(news);
    world.wanted = { notifications: 'problems', quietHours: null };
    announcements.look();
    expect(shown).toHaveLength(1);
  });
});
