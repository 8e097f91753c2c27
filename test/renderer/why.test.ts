import i18next, { type TFunction } from 'i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import { canDelete, canRetry, whyText } from '../../src-renderer/queue/why.ts';
import { emptyStatus } from '../app/status.ts';

const t = ((key: string, values?: { reason?: string }) =>
  values?.reason ? `${key}(${values.reason})` : key) as unknown as TFunction;
const now = 1_000_000;

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
    ['waits for its turn', {}, {}, 'why.turn'],
    ['waits for its time', { scheduled_at: now + 600 }, {}, 'why.notBefore'],
    ['waits because nothing is enabled', {}, { state: 'disabled' }, 'why.disabled'],
    [
      'waits for the end of a pause',
      {},
      { pause: { by: 'person', reason: '', until: now + 9 } },
      'why.paused',
    ],
    ['is held', { held_until: now + 60 }, {}, 'why.held'],
    [
      'waits for another try',
      { attempts: 1, last_error: '450 greylisted', scheduled_at: now + 300 },
      {},
      'why.again(450 greylisted)',
    ],
    ['failed', { state: 'failed', last_error: '550 no such user' }, {}, '550 no such user'],
    ['failed without a word', { state: 'failed' }, {}, 'why.noReason'],
    ['is in doubt', { state: 'failed', in_doubt: true }, {}, 'why.inDoubt'],
    ['is on its way', { state: 'sending' }, {}, 'why.sending'],
    ['was sent', { state: 'sent' }, {}, ''],
  ])('%s', (_name, some, status, words) => {
    expect(whyText(row(some), emptyStatus({ now, ...status }), t)).toBe(words);
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
