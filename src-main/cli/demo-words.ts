/** The summary of the demo: what the queue says, proved by what the mail server saw. Pure. */
import type { DrainSummary } from '../contract/desk.ts';
import type { QueueRow } from '../contract/rows.ts';
import type { SinkProof } from '../demo/sink.ts';
import type { Paint } from './paint.ts';
import { factLines, plain } from './text.ts';
import { duration, shortTime } from './times.ts';

export interface DemoBooks {
  /** mails that waited at the beginning */
  mails: number;
  /** mails a minute */
  rate: number;
  summary: DrainSummary;
  /** what the mail server saw, by its own clock */
  proof: SinkProof;
  /** rows that a greylisting server asked to come back with */
  left: QueueRow[];
}

export function demoLines({ rate, summary, proof, left }: DemoBooks, paint: Paint): string[] {
  const now = Date.now() / 1000;
  const verdict = (kept: boolean, words: string) => paint(kept ? 'green' : 'red', words);
  const until = left.map(
    (row) => `${plain(row.recipient)} is tried again at ${shortTime(row.scheduled_at, now)}`,
  );
  return factLines([
    ['sent', String(summary.sent)],
    ['failed', `${summary.failed}${summary.failed > 0 ? ' (full and unknown mailboxes, as planned)' : ''}`],
    ['deferred', until.length > 0 ? `${until.length} (greylisted: ${until.join(', ')})` : '0'],
    ['longest wait', duration(summary.longest_wait_s)],
    ['most in any 60 s', verdict(proof.mostIn60s <= rate, `${proof.mostIn60s} of at most ${rate}`)],
    ['duplicates', verdict(proof.duplicates === 0, String(proof.duplicates))],
  ]);
}

/** Promises that the demo saw broken, in words; none when all is well. */
export function demoFaults({ mails, rate, summary, proof, left }: DemoBooks): string[] {
  const faults: string[] = [];
  if (proof.mostIn60s > rate)
    faults.push(`the mail server saw ${proof.mostIn60s} in 60 s, the cap is ${rate}`);
  if (proof.duplicates > 0) faults.push(`${proof.duplicates} mails arrived more than once`);
  if (summary.in_doubt > 0) faults.push(`${summary.in_doubt} mails are in doubt`);
  if (proof.arrived !== summary.sent)
    faults.push(`${summary.sent} are recorded as sent, ${proof.arrived} arrived`);
  if (summary.failed !== proof.refusedForGood)
    faults.push(`${summary.failed} failed, the mail server refused ${proof.refusedForGood} for good`);
  if (left.length !== summary.remaining)
    faults.push(`${summary.remaining - left.length} mails wait without a reason`);
  const accounted = summary.sent + summary.failed + summary.in_doubt + summary.remaining;
  if (accounted < mails) faults.push(`${mails - accounted} mails were lost`);
  return faults;
}
