import { z } from 'zod';

/** A row's key: a number where it is a safe integer, else a string (UUIDs, BIGINT above 2^53). */
export type RowId = number | string;
export const rowId = z.union([z.number().int().nonnegative(), z.string().min(1).max(64)]);

/**
 * States of a row, and every legal move (docs/state_machine.md draws them):
 *
 *   pending -> sending            claim
 *   sending -> sent               settle, journal
 *   sending -> pending            settle (deferred), release, reap
 *   sending -> failed             settle (rejected, last attempt, in doubt), reap
 *   pending -> failed             refused before any conversation (corrupt, hostile, expired)
 *   pending|failed -> sent        journal only (a journaled 2xx outranks the lease); failed -> sent also by `resolve`
 *   failed -> pending             retry, resolve --send-again
 */
export const rowStates = ['pending', 'sending', 'sent', 'failed'] as const;
export type RowState = (typeof rowStates)[number];

/** What a conversation came to (DESIGN section 5). `none`: the transport's fault, counts against no row. */
export const outcomeKinds = ['sent', 'deferred', 'rejected', 'in-doubt', 'none'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

/** One line of the queue screen and of `list`. Times in s since 1970 by the database's clock. */
export interface QueueRow {
  id: RowId;
  state: RowState;
  in_doubt: boolean;
  context: string;
  title: string;
  order_id: RowId;
  recipient: string;
  subject: string;
  priority: number;
  attempts: number;
  reclaims: number;
  last_error: string | null;
  created_at: number;
  scheduled_at: number;
  claimed_at: number | null;
  sent_at: number | null;
  held_until: number | null;
  /** forecast of when a waiting row leaves, s; null where the row does not wait */
  planned_at: number | null;
}

/** One conversation, a line of the ledger. Times in ms since 1970 by the database's clock. */
export interface Attempt {
  id: RowId;
  console_id: string;
  started_ms: number;
  /** when the point of no return was passed */
  body_ms: number | null;
  finished_ms: number | null;
  recipients: number;
  outcome: OutcomeKind | null;
  smtp_code: number | null;
  enhanced_code: string | null;
  response: string | null;
  server_id: string | null;
}

/** Everything about one row, as the drawer and `show` have it. The payload's text stays text: hostile input. */
export interface RowDetail extends QueueRow {
  message_id: string | null;
  attachment_dir: string | null;
  /** addresses already accepted by the mail server when others were refused for now */
  delivered_to: string[];
  /** decoded payload, or the reason why it cannot be decoded */
  payload: { ok: true; value: unknown } | { ok: false; error: string };
  history: Attempt[];
}

export type RowCounts = Record<RowState, number> & { in_doubt: number };
/** Counts of a filter, with the waiting rows that a person holds back. */
export interface FilterCounts extends RowCounts {
  held: number;
  /** whatever their state, also one that nobody knows */
  all: number;
}

/** A mail type that rows of the queue have. */
export interface MailKind {
  context: string;
  title: string;
}

/** A mail type that the shop has, whether mails of it are queued or not (DESIGN section 4, `email_types`). */
export interface MailType {
  id: string;
  title: string;
}

/** s since 1970 by the database's clock; up to the end of the year 9999 */
const second = z.number().int().min(0).max(253_402_300_799);

export const rowFilter = z.object({
  state: z.enum(rowStates).optional(),
  in_doubt: z.boolean().optional(),
  /** waits, and is held back by a person */
  held: z.boolean().optional(),
  /** matches recipient or subject, anywhere */
  search: z.string().max(200).optional(),
  context: z.string().max(100).optional(),
  /** mail domain of a recipient, without the @ */
  domain: z.string().max(253).optional(),
  order_id: z.union([z.number().int().nonnegative(), z.string().regex(/^\d{1,20}$/)]).optional(),
  /** from the first moment on, and before the second one */
  created_from: second.optional(),
  created_to: second.optional(),
  sent_from: second.optional(),
  sent_to: second.optional(),
});
export type RowFilter = z.infer<typeof rowFilter>;

/** What a filter says besides state, doubt and hold, by which the tabs above the list are apart. */
export function apartFromTabs({
  state: _state,
  in_doubt: _doubt,
  held: _held,
  ...rest
}: RowFilter): RowFilter {
  return rest;
}

/** What rows can be sorted by; `departure` is the gate's own order. Equal ones follow their ids in the same direction. */
export const rowSortKeys = [
  'id',
  'departure',
  'scheduled_at',
  'created_at',
  'sent_at',
  'recipient',
  'subject',
  'attempts',
  'priority',
] as const;
export type RowSortKey = (typeof rowSortKeys)[number];
export const rowSort = z.object({ by: z.enum(rowSortKeys), descending: z.boolean().default(false) });
export type RowSort = z.infer<typeof rowSort>;

export const rowPage = z.object({
  filter: rowFilter.default({}),
  limit: z.number().int().min(1).max(1000).default(100),
  offset: z.number().int().min(0).default(0),
  /** without it: what waits in the order in which it leaves, all else newest first */
  sort: rowSort.optional(),
});
export type RowPage = z.infer<typeof rowPage>;

export const logLevels = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogLine {
  id: RowId;
  level: LogLevel;
  queue_id: RowId | null;
  message: string;
  created_at: number;
}

/** What an action by hand did: how many rows matched the guard, and why others did not. */
export interface ActionResult {
  done: number;
  refused: { id: RowId; reason: string }[];
}
