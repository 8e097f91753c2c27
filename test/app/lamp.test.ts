import { describe, expect, it } from 'vitest';
import { lampFor, mustStayAwake, Wakefulness } from '../../src-main/app/lamp.ts';
import { emptyStatus as status } from './status.ts';

const green = { color: 'green' as const, cause: null };
const red = { color: 'red' as const, cause: 'gone' };

describe('the tray icon', () => {
  it('is idle without a shop, and where nothing waits or leaves', () => {
    expect(lampFor(null)).toBe('idle');
    expect(lampFor(status({ remaining: 0 }))).toBe('idle');
    expect(lampFor(status({ state: 'disabled', remaining: 9 }))).toBe('idle');
  });

  it('tells draining, a pause by a person, and trouble apart', () => {
    expect(lampFor(status({ remaining: 9 }))).toBe('draining');
    expect(lampFor(status({ remaining: 9, pause: { by: 'person', reason: '', until: 1 } }))).toBe('paused');
    expect(lampFor(status({ remaining: 9, pause: { by: 'fault', reason: '', until: 1 } }))).toBe('failing');
    expect(lampFor(status({ lights: { shop: green, database: red, mail: green } }))).toBe('failing');
  });
});

describe('the computer', () => {
  it('stays awake only while mail waits that may leave', () => {
    expect(mustStayAwake(status({ remaining: 1 }))).toBe(true);
    expect(mustStayAwake(status({ remaining: 0 }))).toBe(false);
    expect(mustStayAwake(status({ remaining: 1, state: 'disabled' }))).toBe(false);
    expect(mustStayAwake(status({ remaining: 1, pause: { by: 'person', reason: '', until: 1 } }))).toBe(
      false,
    );
    expect(mustStayAwake(status({ remaining: 1, pause: { by: 'fault', reason: '', until: 1 } }))).toBe(true);
  });
});

describe('the power-save blocker', () => {
  const waiting = (sent = 0) =>
    status({ remaining: 9, counts: { pending: 9, sending: 0, sent, failed: 0, in_doubt: 0 } });

  it('is kept awake while mail leaves, and not for a mail server that takes nothing for half an hour', () => {
    const wakefulness = new Wakefulness();
    const minute = 60_000;
    expect(wakefulness.needed([['shop', waiting()]], 0)).toBe(true);
    expect(wakefulness.needed([['shop', waiting()]], 29 * minute)).toBe(true);
    expect(wakefulness.needed([['shop', waiting()]], 31 * minute)).toBe(false);
    // one mail left: it may be worth it again
    expect(wakefulness.needed([['shop', waiting(1)]], 32 * minute)).toBe(true);
    expect(wakefulness.needed([], 33 * minute)).toBe(false);
  });

  it('may sleep while another console has taken over', () => {
    const drain_by = { id: 'other', name: 'PC 2', since: 1 };
    expect(mustStayAwake({ ...waiting(), drain_by })).toBe(false);
  });
});
