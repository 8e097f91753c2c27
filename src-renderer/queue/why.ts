import type { TFunction } from 'i18next';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { when } from '../ui/format.ts';

/** Why a mail is where it is, in words: what it waits for, or what went wrong. Empty where all is well. */
export function whyText(row: QueueRow, status: ShopStatus | null, t: TFunction): string {
  if (row.in_doubt) return row.last_error ? `${t('why.inDoubt')} ${row.last_error}` : t('why.inDoubt');
  switch (row.state) {
    case 'failed':
      return row.last_error ?? t('why.noReason');
    case 'sending':
      return t('why.sending');
    case 'sent':
      return row.last_error ?? '';
    case 'pending':
      return waitText(row, status, t);
  }
}

function waitText(row: QueueRow, status: ShopStatus | null, t: TFunction): string {
  const now = status?.now ?? Date.now() / 1000;
  if (row.held_until !== null && row.held_until > now) return t('why.held', { time: when(row.held_until) });
  if (row.last_error && row.attempts > 0) {
    const again = row.planned_at ?? row.scheduled_at;
    return again > now ? t('why.again', { reason: row.last_error, time: when(again) }) : row.last_error;
  }
  if (status?.state === 'disabled') return t('why.disabled');
  if (status?.pause) return t('why.paused', { time: when(status.pause.until) });
  if (row.scheduled_at > now + 1) return t('why.notBefore', { time: when(row.scheduled_at) });
  return t('why.turn');
}

/** Whether a retry by hand may touch it: never a sent mail, one in doubt, or one on its way. */
export function canRetry(row: QueueRow): boolean {
  return (row.state === 'failed' && !row.in_doubt) || row.state === 'pending';
}

/** Whether it may be deleted: anything that is not on its way at this moment. */
export function canDelete(row: QueueRow): boolean {
  return row.state !== 'sending';
}
