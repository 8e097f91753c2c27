/** What a person can have done to rows, and the two steps in which it happens: prepared, confirmed. */
import { z } from 'zod';
import type { RowId } from './rows.ts';

/** `held_until` of a row that is held without an end: the last second of the year 9999. */
export const heldForGood = 253_402_300_799;

/** `priority` is a SMALLINT; smaller leaves first. */
export const priorityBounds = { least: -32_768, most: 32_767 } as const;

/**
 * - `retry`: failed (not in doubt) and waiting rows go back to the start, counters at 0
 * - `delete`: any row but a live claim
 * - `hold`: waiting rows do not leave before `until` (s since 1970; null = until they are released)
 * - `release`: held rows wait for their turn again
 * - `next`: waiting rows leave before all others, still within the cap
 * - `priority`: waiting rows; smaller leaves first
 * - `readdress`: waiting and failed rows become a new mail to `to`, with a Message-ID of its own
 */
export const rowOrder = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('retry') }),
  z.strictObject({ do: z.literal('delete') }),
  z.strictObject({ do: z.literal('hold'), until: z.number().int().min(0).max(heldForGood).nullable() }),
  z.strictObject({ do: z.literal('release') }),
  z.strictObject({ do: z.literal('next') }),
  z.strictObject({
    do: z.literal('priority'),
    priority: z.number().int().min(priorityBounds.least).max(priorityBounds.most),
  }),
  z.strictObject({ do: z.literal('readdress'), to: z.string().trim().min(1).max(1000) }),
]);
export type RowOrder = z.infer<typeof rowOrder>;

export const orderToken = z.uuid();

/**
 * An order with its rows fixed: what is confirmed is what is touched, whatever moves meanwhile. The token is good for one
 * `act` within ten minutes.
 */
export interface Prepared {
  token: string;
  /** rows that would be touched */
  count: number;
  /** the address as it will stand in the row (`readdress`) */
  to: string | null;
  /** s by which the queue gets longer at the cap (negative: shorter); for `next`, by which all others leave later */
  adds_s: number;
  /** why others would be left alone, and how many */
  refused: { reason: string; count: number }[];
}

/** s between a confirmed delete and its doing, in which it can be undone. */
export const undoSeconds = 10;

/** A confirmed delete that can still be undone. */
export interface WaitingDelete {
  token: string;
  count: number;
  /** the first thousand of its rows, to be shown as going */
  ids: RowId[];
  /** ms until it is done */
  left_ms: number;
}

/** What became of a confirmed order: done, or a delete that waits for its undo. */
export type Acted =
  | { waits: false; done: number; refused: { id: RowId; reason: string }[] }
  | { waits: true; undo: WaitingDelete };

/** A file of a mail as it lies in the shop. */
export interface RowFile {
  kind: 'attachment' | 'embed';
  name: string;
  /** Content-ID of an embedded image */
  cid: string | null;
  /** bytes as the row says, and as the file has them */
  told: number | null;
  size: number | null;
  present: 'yes' | 'no' | 'unknown';
  /** why it is not there, or cannot be told */
  reason: string | null;
  /** whether its checksum is the row's; `unchecked` until asked for, `untold` where the row has none */
  checksum: 'unchecked' | 'untold' | 'matches' | 'differs';
}
