/** Words of a drain: its progress line and its summary. Pure. */
import type { DrainSummary } from '../contract/desk.ts';
import type { ShopStatus } from '../contract/status.ts';
import { pauseWords } from './commands/status.ts';
import type { Paint } from './paint.ts';
import type { Tally } from './tally.ts';
import { factLines } from './text.ts';
import { duration, shortTime } from './times.ts';

export function progressWords(status: ShopStatus, tally: Tally): string {
  const { now, pause } = status;
  const words = [status.state, `${tally.sent} sent`, `${tally.failed} failed`];
  if (tally.inDoubt > 0) words.push(`${tally.inDoubt} in doubt`);
  words.push(`${status.remaining} waiting`);
  if (pause) words.push(`paused ${pauseWords(pause, now)}`);
  else if (status.next_at !== null)
    words.push(status.next_at > now ? `next at ${shortTime(status.next_at, now)}` : 'next now');
  if (status.empty_at !== null)
    words.push(`empty at ${shortTime(status.empty_at, now)} (${duration(status.empty_at - now)})`);
  return words.join(' · ');
}

/** The books of a drain. */
export function summaryLines(summary: DrainSummary, paint: Paint): string[] {
  const bad = (number: number) => (number > 0 ? paint('red', String(number)) : String(number));
  const cap = summary.cap_per_60s === null ? 'no cap' : `cap ${summary.cap_per_60s}`;
  const most = `${summary.most_in_60s} (${cap})`;
  const over = summary.cap_per_60s !== null && summary.most_in_60s > summary.cap_per_60s;
  return factLines([
    ['sent', String(summary.sent)],
    ['failed', bad(summary.failed)],
    ['deferred', `${summary.deferred} tries, each of them made again later`],
    ['in doubt', bad(summary.in_doubt)],
    ['still waiting', String(summary.remaining)],
    ['longest wait', duration(summary.longest_wait_s)],
    ['most in any 60 s', over ? paint('red', most) : most],
    ['duplicates', bad(summary.duplicates)],
    ['took', duration(summary.took_s)],
  ]);
}
