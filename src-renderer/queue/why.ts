import type { TFunction } from 'i18next';
import { heldForGood } from '../../src-main/contract/orders.ts';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { told } from '../i18n.ts';
import { span, when } from '../ui/format.ts';

/** Why a mail is where it is and until when, in one sentence: what it waits for, or what went wrong. Empty where all is well. */
export function whyText(row: QueueRow, status: ShopStatus | null, t: TFunction): string {
  if (row.in_doubt)
    return row.last_error ? `${t('why.inDoubt')} ${capital(told(row.last_error))}` : t('why.inDoubt');
  switch (row.state) {
    case 'failed':
      return row.last_error === null ? t('why.noReason') : told(row.last_error);
    case 'sending':
      return t('why.sending');
    case 'sent':
      return told(row.last_error ?? '');
    case 'pending':
      return waitText(row, status, t);
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Wording of receiving servers that turn unknown senders away for some minutes (as mail/outcome-words has it). */
const greylisting = /gr[ea]y-?\s?list|postgrey|4\.7\.1.*(try|later)/i;

function waitText(row: QueueRow, status: ShopStatus | null, t: TFunction): string {
  const now = status?.now ?? Date.now() / 1000;
  if (isHeld(row, now))
    return row.held_until === heldForGood
      ? t('why.heldByHand')
      : t('why.held', { time: when(row.held_until ?? 0) });
  if (row.last_error) {
    const again = row.planned_at ?? row.scheduled_at;
    if (again <= now) return told(row.last_error);
    const domain = domainOf(row.recipient);
    return domain && greylisting.test(row.last_error)
      ? t('why.greylisted', { domain, time: when(again) })
      : t('why.again', { reason: told(row.last_error), time: when(again) });
  }
  if (status?.state === 'disabled') return t('why.disabled');
  if (status?.pause)
    return status.pause.by === 'fault'
      ? t('why.pausedFault', { reason: told(status.pause.reason), time: when(status.pause.until) })
      : t('why.paused', { time: when(status.pause.until) });
  if (row.scheduled_at > now + 1) return t('why.notBefore', { time: when(row.scheduled_at) });
  return status ? turnText(status, t) : t('why.turn');
}

/** It is due, and the gate lets others go first: which of its caps does. */
function turnText({ rate }: ShopStatus, t: TFunction): string {
  if (rate.cap_day > 0 && rate.used_day >= rate.cap_day) return t('why.capDay', { cap: rate.cap_day });
  if (rate.cap_hour > 0 && rate.used_hour >= rate.cap_hour) return t('why.capHour', { cap: rate.cap_hour });
  if (rate.uncapped) return t('why.turn');
  if (rate.learned_interval_ms !== null)
    return t('why.turnSlowed', { span: span(rate.learned_interval_ms / 1000) });
  return t('why.turnAtCap', { span: span(rate.interval_ms / 1000) });
}

/** Whether a person holds it back at this moment. */
export function isHeld(row: QueueRow, now: number): boolean {
  return row.state === 'pending' && row.held_until !== null && row.held_until > now;
}

/** Mail domain of the first recipient; null where there is none. */
export function domainOf(recipient: string): string | null {
  return /@([^\s,;<>"]+)/.exec(recipient)?.[1]?.toLowerCase() ?? null;
}

/** Whether a retry by hand may touch it: never a sent mail, one in doubt, or one on its way. */
export function canRetry(row: QueueRow): boolean {
  return (row.state === 'failed' && !row.in_doubt) || row.state === 'pending';
}

/** Whether it may be deleted: anything that is not on its way at this moment. */
export function canDelete(row: QueueRow): boolean {
  return row.state !== 'sending';
}
