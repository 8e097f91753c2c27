import { describe, expect, it } from 'vitest';
import { shopWords, type TrayActions, type TrayShop, trayMenu } from '../../src-main/app/tray-menu.ts';
import { emptyStatus } from './status.ts';

const done: string[] = [];
const note = (what: string) => (id: string) => void done.push(`${what} ${id}`);
const actions: TrayActions = {
  open: () => void done.push('open'),
  show: ({ profile, row }) => void done.push(`show ${profile} ${row}`),
  enable: note('enable'),
  disable: note('disable'),
  pause: note('pause'),
  resume: note('resume'),
  quit: () => void done.push('quit'),
};
const shop = (id: string, some: Partial<TrayShop> = {}): TrayShop => ({
  id,
  name: `Shop ${id}`,
  status: emptyStatus(),
  failures: [],
  ...some,
});
const labels = (items: ReturnType<typeof trayMenu>) => items.map(({ label, type }) => label ?? type);

describe('the words of a shop', () => {
  it('say how many wait and when the next one leaves, and do not tick', () => {
    const waiting = { remaining: 5, now: 1_000_000 };
    expect(shopWords(null)).toBe('not connected');
    expect(shopWords(emptyStatus())).toBe('0 mails remaining');
    expect(shopWords(emptyStatus({ ...waiting, next_at: 1_000_008 }))).toBe(
      '5 mails remaining, next within a minute',
    );
    expect(shopWords(emptyStatus({ ...waiting, next_at: 1_000_600 }))).toMatch(
      /^5 mails remaining, next at \d/,
    );
    expect(shopWords(emptyStatus({ ...waiting, state: 'disabled', next_at: 1_000_008 }))).toBe(
      '5 mails remaining',
    );
    expect(
      shopWords(emptyStatus({ ...waiting, pause: { by: 'person', reason: '', until: 1_000_900 } })),
    ).toBe('paused, 5 mails remaining');
  });
});

describe('the menu', () => {
  it('of one shop has its things at once, and those that fit its state', () => {
    const items = trayMenu([shop('a')], actions);
    expect(labels(items)).toEqual([
      'Open Postroom',
      'separator',
      '0 mails remaining',
      'Disable',
      'Pause 15 minutes',
      'separator',
      'Quit',
    ]);
    const paused = emptyStatus({ state: 'draining', pause: { by: 'person', reason: '', until: 1 } });
    expect(labels(trayMenu([shop('a', { status: paused })], actions)).slice(3, 5)).toEqual([
      'Enable',
      'Resume',
    ]);
  });

  it('of several shops has a part for each', () => {
    const items = trayMenu([shop('a'), shop('b', { status: null })], actions);
    expect(labels(items)).toEqual([
      'Open Postroom',
      'separator',
      'Shop a: 0 mails remaining',
      'Shop b: not connected',
      'separator',
      'Quit',
    ]);
  });

  it('leads to each of the last failures', () => {
    const failures = [{ id: 7, recipient: 'a&b@x.example', reason: 'mailbox full' }];
    const items = trayMenu([shop('a', { failures })], actions);
    const last = items.find(({ label }) => label === 'Last failures')?.submenu as typeof items;
    expect(labels(last)).toEqual(['a&&b@x.example: mailbox full']);
    const click = last[0]?.click as (() => void) | undefined;
    click?.();
    expect(done).toEqual(['show a 7']);
  });
});
