import i18next, { type TFunction } from 'i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { heldForGood } from '../../src-main/contract/orders.ts';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import { canDelete, canRetry, domainOf, whyText } from '../../src-renderer/queue/why.ts';
import { emptyStatus } from '../app/status.ts';

const t = ((key: string, values: { reason?: string; domain?: string; cap?: number } = {}) => {
  const told = values.reason ?? values.domain ?? values.cap;
  return told === undefined ? key : `${key}(${told})`;
}) as unknown as TFunction;
const now = 1_000_000;
const { rate } = emptyStatus();

beforeAll(async () => {
  vi.stubGlobal('navigator', { language: 'en-GB' });
  await i18next.init({ lng: 'en' });
});

function row(some: Partial<QueueRow>): QueueRow {
  return {
    id: 1,
    state: 'pending',
    in_doubt: false,
    context: 'customer_completed_order',
    title: '',
    order_id: 1,
    recipient: 'eva@shop.example',
    subject: 'Order',
    priority: 10,
    attempts: 0,
    reclaims: 0,
    last_error: null,
    created_at: now,
    scheduled_at: now,
    claimed_at: null,
    sent_at: null,
    held_until: null,
    planned_at: null,
    ...some,
  };
}

describe('why a mail is where it is', () => {
  it.each<[string, Partial<QueueRow>, Parameters<typeof emptyStatus>[0], string]>([
    ['waits for its turn at the cap', {}, {}, 'why.turnAtCap'],
    ['waits for its turn without a cap', {}, { rate: { ...rate, uncapped: true } }, 'why.turn'],
    [
      'waits since the server had us slow down',
      {},
      { rate: { ...rate, learned_interval_ms: 60_000 } },
      'why.turnSlowed',
    ],
    ['waits for room in the hour', {}, { rate: { ...rate, cap_hour: 20, used_hour: 20 } }, 'why.capHour(20)'],
    [
      'waits for room in the day',
      {},
      { rate: { ...rate, cap_hour: 20, used_hour: 20, cap_day: 90, used_day: 91 } },
      'why.capDay(90)',
    ],
    ['waits for its time', { scheduled_at: now + 600 }, {}, 'why.notBefore'],
    ['waits because nothing is enabled', {}, { state: 'disabled' }, 'why.disabled'],
    [
      'waits for the end of a pause',
      {},
      { pause: { by: 'person', reason: '', until: now + 9 } },
      'why.paused',
    ],
    [
      'waits for the end of a pause that a fault made',
      {},
      { pause: { by: 'fault', reason: '535 no', until: now + 9 } },
      'why.pausedFault(535 no)',
    ],
    ['is held', { held_until: now + 60 }, {}, 'why.held'],
    ['is held without an end', { held_until: heldForGood }, {}, 'why.heldByHand'],
    ['was held', { held_until: now - 1 }, {}, 'why.turnAtCap'],
    [
      'is greylisted',
      { attempts: 1, last_error: '450 4.2.0 Greylisted, see you', scheduled_at: now + 300 },
      {},
      'why.greylisted(shop.example)',
    ],
    [
      'waits for another try',
      { attempts: 1, last_error: '450 busy', scheduled_at: now + 300 },
      {},
      'why.again(450 busy)',
    ],
    [
      'waits for another try after a fault of the way',
      { last_error: 'the line broke', planned_at: now + 30 },
      {},
      'why.again(the line broke)',
    ],
    ['is about to be tried again', { attempts: 1, last_error: '450 busy' }, {}, '450 busy'],
    ['failed', { state: 'failed', last_error: '550 no such user' }, {}, '550 no such user'],
    ['failed without a word', { state: 'failed' }, {}, 'why.noReason'],
    ['is in doubt', { state: 'failed', in_doubt: true }, {}, 'why.inDoubt'],
    ['is on its way', { state: 'sending' }, {}, 'why.sending'],
    ['was sent', { state: 'sent' }, {}, ''],
  ])('%s', (_name, some, status, words) => {
    expect(whyText(row(some), emptyStatus({ now, ...status }), t)).toBe(words);
  });
});

describe('the domain of a recipient', () => {
  it.each([
    ['a@Shop.example', 'shop.example'],
    ['A <a@shop.example>, b@else.example', 'shop.example'],
    ['["a@shop.example"]', 'shop.example'],
    ['nobody', null],
  ])('%s', (recipient, domain) => {
    expect(domainOf(recipient)).toBe(domain);
  });
});

describe('what may be done', () => {
  it('never retries what was sent, is on its way, or is in doubt', () => {
    expect(canRetry(row({ state: 'failed' }))).toBe(true);
    expect(canRetry(row({ state: 'pending' }))).toBe(true);
    expect(canRetry(row({ state: 'failed', in_doubt: true }))).toBe(false);
    expect(canRetry(row({ state: 'sent' }))).toBe(false);
    expect(canRetry(row({ state: 'sending' }))).toBe(false);
  });

  it('deletes everything but what is on its way', () => {
    expect(canDelete(row({ state: 'sending' }))).toBe(false);
    expect(canDelete(row({ state: 'sent' }))).toBe(true);
  });
});
