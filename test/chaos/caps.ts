/** The cap as the mail server saw it (promise 3): its stamps, on the line of moved time, in every sliding window. */
import { fullestWindow } from './books.ts';
import type { Stage } from './stage.ts';
import type { Accepted } from './words.ts';

/**
 * `heard`: Message-IDs whose 2xx came through. A mail whose connection was lost before its answer is decided upon by the
 * server alone, at a moment that nobody hears of: it is stamped with the moment at which the server had all of it.
 */
function stampsOf(stage: Stage, mails: readonly Accepted[], heard: ReadonlySet<string>) {
  return [
    ...stage.time.earlier.map(({ at, recipients }) => ({ at, weight: recipients })),
    // the minute's cap counts mails, those of hour and day recipients, as hosts do
    ...mails.map((mail) => ({
      at: stage.time.moved(heard.has(mail.messageId ?? '') ? mail.at : mail.handedOverAt),
      weight: stage.plan.mode === 'minute' ? 1 : mail.to.length,
    })),
  ];
}

export function auditCaps(stage: Stage, mails: readonly Accepted[], heard: ReadonlySet<string>): string[] {
  if (stage.caps.length === 0) return [];
  const { most, at } = fullestWindow(stampsOf(stage, mails, heard), stage.windowMs);
  // a lowered cap rules the next grants; what had left before stays in its window
  const allowed = Math.max(...stage.caps.map((cap) => cap.perWindow));
  return most <= allowed ? [] : [`${most} in the ${stage.plan.mode} from ${at} on, the cap is ${allowed}`];
}

/** Whether the cap was felt at all: a window as full as it may be. */
export function capWasReached(stage: Stage, mails: readonly Accepted[], heard: ReadonlySet<string>): boolean {
  if (stage.caps.length === 0) return false;
  const { most } = fullestWindow(stampsOf(stage, mails, heard), stage.windowMs);
  return most >= Math.min(...stage.caps.map((cap) => cap.perWindow)) - 1;
}
