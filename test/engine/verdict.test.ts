import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src-main/contract/settings.ts';
import { lanePauseS, reconnectDelayMs, retryDelayS } from '../../src-main/engine/backoff.ts';
import { verdict } from '../../src-main/engine/verdict.ts';
import type { Conversation } from '../../src-main/mail/conversation.ts';
import type { Outcome } from '../../src-main/mail/outcome.ts';
import type { Claim } from '../../src-main/queue/claim.ts';

const claim = (change: Partial<Claim> = {}): Claim => ({
  id: 7,
  claimId: 'c',
  messageId: '<m@shop.example>',
  payload: '',
  attachmentDir: null,
  deliveredTo: [],
  context: '',
  recipient: 'a@example.test',
  subject: 's',
  attempts: 0,
  reclaims: 0,
  refusedBefore: null,
  recipients: 2,
  createdAt: 0,
  ...change,
});
const conversation: Conversation = {
  phase: 'done',
  reply: { code: 250, enhanced: null, text: 'ok' },
  accepted: [],
  refused: [],
  fault: null,
  guardRefused: false,
  serverId: null,
  tookMs: 1,
};
const outcome = (change: Partial<Outcome>): Outcome => ({
  kind: 'sent',
  lane: 'goes-on',
  reached: true,
  accepted: ['a@example.test'],
  refusedForGood: [],
  refusedForNow: [],
  reason: '',
  lostInBody: false,
  ...change,
});
const refused = (address: string) => ({ address, reply: { code: 450, enhanced: null, text: 'later' } });
const settle = (
  of: Claim,
  what: Partial<Outcome>,
  settings: Record<string, unknown> = {},
  lostBefore = false,
) =>
  verdict(of, conversation, outcome(what), {
    settings: readSettings(settings),
    intervalMs: 12_000,
    lostBefore,
  });

describe('verdict', () => {
  it('accepted is sent, with the refused named', () => {
    expect(settle(claim(), {})).toMatchObject({
      to: 'sent',
      note: null,
      ledger: { outcome: 'sent', recipients: 2 },
    });
    expect(settle(claim(), { reason: 'refused: b@example.test' })).toMatchObject({
      to: 'sent',
      note: 'refused: b@example.test',
    });
  });

  it('recipients refused for now go out again alone', () => {
    const again = settle(claim({ deliveredTo: ['x@example.test'] }), {
      refusedForNow: [refused('b@example.test')],
      refusedForGood: [refused('c@example.test')],
    });
    expect(again).toMatchObject({
      to: 'pending',
      counted: true,
      deliveredTo: ['x@example.test', 'a@example.test', 'c@example.test'],
    });
  });

  it('deferred waits longer each time and fails after max_attempts', () => {
    expect(settle(claim(), { kind: 'deferred', reason: '450' })).toMatchObject({
      to: 'pending',
      counted: true,
      delayS: 300,
    });
    expect(settle(claim({ attempts: 1 }), { kind: 'deferred' })).toMatchObject({
      to: 'pending',
      delayS: 1200,
    });
    expect(settle(claim({ attempts: 2 }), { kind: 'deferred' })).toMatchObject({
      to: 'failed',
      inDoubt: false,
      counted: true,
    });
  });

  it('refused by a server burns an attempt, refused by us does not', () => {
    expect(settle(claim(), { kind: 'rejected' })).toMatchObject({ to: 'failed', counted: true });
    expect(settle(claim(), { kind: 'rejected', reached: false })).toMatchObject({
      to: 'failed',
      counted: false,
      ledger: { recipients: 0 },
    });
  });

  it('the transport’s fault counts against no row, except the second loss of the same body', () => {
    expect(settle(claim({ attempts: 2 }), { kind: 'none' })).toMatchObject({
      to: 'pending',
      counted: false,
      delayS: 0,
    });
    expect(settle(claim(), { kind: 'none', lostInBody: true })).toMatchObject({
      to: 'pending',
      counted: false,
    });
    expect(settle(claim(), { kind: 'none', lostInBody: true }, {}, true)).toMatchObject({
      to: 'pending',
      counted: true,
    });
  });

  it('a doubt is held for a person, or sent again as the setting says, up to max_attempts', () => {
    expect(settle(claim(), { kind: 'in-doubt' })).toMatchObject({
      to: 'failed',
      inDoubt: true,
      counted: true,
    });
    expect(settle(claim(), { kind: 'in-doubt' }, { in_doubt: 'retry' })).toMatchObject({
      to: 'pending',
      counted: true,
    });
    expect(settle(claim({ attempts: 2 }), { kind: 'in-doubt' }, { in_doubt: 'retry' })).toMatchObject({
      to: 'failed',
      inDoubt: true,
    });
  });
});

describe('backoff', () => {
  it('is max(interval * 2^attempts, 5 min * attempts^2), at most an hour', () => {
    expect([1, 2, 3, 4, 10].map((attempts) => retryDelayS(12, attempts))).toEqual([
      300, 1200, 2700, 3600, 3600,
    ]);
    // 2 ** n, not XOR: an interval of 60 s after 4 attempts
    expect(retryDelayS(200, 2)).toBe(1200);
    expect(retryDelayS(600, 1)).toBe(1200);
  });

  it('of the lane goes from 5 s to 5 min, with jitter on top that never passes it', () => {
    expect([1, 2, 3, 7, 40].map((faults) => lanePauseS(faults, 0))).toEqual([5, 10, 20, 300, 300]);
    expect(lanePauseS(2, 0.999)).toBeGreaterThan(12);
    expect(lanePauseS(40, 0.999)).toBe(300);
  });

  it('of the database goes from 0.5 s to 5 s', () => {
    expect([1, 2, 9].map(reconnectDelayMs)).toEqual([500, 1000, 5000]);
  });
});
