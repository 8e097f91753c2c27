/** The cap as the mail server saw it (promise 3): its stamps, on the line of moved time, in every sliding window. */
import { fullestWindow } from './books.ts';
import type { Stage } from './stage.ts';
import type { Accepted } from './words.ts';

function stampsOf(stage: Stage, mails: readonly Accepted[]) {
  return [
    ...stage.time.earlier.map(({ at, recipients }) => ({ at, weight: recipients })),
    // the minute's cap counts mails, those of hour and day recipients, as hosts do
    ...mails.map((mail) => ({
      at: stage.time.moved(mail.at),
      weight: stage.plan.mode === 'minute' ? 1 : mail.to.length,
    })),
  ];
}

export function auditCaps(stage: Stage, mails: readonly Accepted[]): string[] {
  if (stage.caps.length === 0) return [];
  const { most, at } = fullestWindow(stampsOf(stage, mails), stage.windowMs);
  // a lowered cap rules the next grants; what had left before stays in its window
  const allowed = Math.max(...stage.caps.map((cap) => cap.perWindow));
  return most <= allowed ? [] : [`${most} in the ${stage.plan.mode} from ${at} on, the cap is ${allowed}`];
}

/** Whether the cap was felt at all: a window as full as it may be. */
export function capWasReached(stage: Stage, mails: readonly Accepted[]): boolean {
  if (stage.caps.length === 0) return false;
  const { most } = fullestWindow(stampsOf(stage, mails), stage.windowMs);
  return most >= Math.min(...stage.caps.map((cap) => cap.perWindow)) - 1;
}
