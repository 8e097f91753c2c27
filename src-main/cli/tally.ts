import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';

/** Ends of rows that this process brought about, counted as they happen. */
export interface Tally {
  sent: number;
  failed: number;
  inDoubt: number;
}

export function tallyOf(
  events: EventEmitter<DeskEvents>,
  onEnd?: (ended: DeskEvents['ended'][0]) => void,
): Tally {
  const tally: Tally = { sent: 0, failed: 0, inDoubt: 0 };
  events.on('ended', (ended) => {
    if (ended.outcome === 'sent') tally.sent += 1;
    else if (ended.outcome === 'in-doubt') tally.inDoubt += 1;
    else tally.failed += 1;
    onEnd?.(ended);
  });
  return tally;
}
