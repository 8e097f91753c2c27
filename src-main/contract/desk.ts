import { z } from 'zod';
import type { Acted, Prepared, RowFile, RowOrder, WaitingDelete } from './orders.ts';
import type { Overview } from './overview.ts';
import type {
  ActionResult,
  FilterCounts,
  LogLevel,
  LogLine,
  MailKind,
  MailType,
  OutcomeKind,
  QueueRow,
  RowDetail,
  RowFilter,
  RowId,
  RowPage,
} from './rows.ts';
import { rowFilter, rowId, rowStates } from './rows.ts';
import type { QueueState, Settings } from './settings.ts';
import type { DrainBy, LanePause, ShopStatus, SleepReport } from './status.ts';

/** Which rows an action touches: the ones named, or all that match. */
export const selection = z.union([
  z.strictObject({ ids: z.array(rowId).min(1).max(10_000) }),
  z.strictObject({ filter: rowFilter }),
]);
export type Selection = z.infer<typeof selection>;

/** One mail to be put into the queue by `enqueue` (NDJSON, DESIGN section 6). */
export const mailToEnqueue = z.strictObject({
  to: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  subject: z.string(),
  message: z.string(),
  headers: z.union([z.string(), z.array(z.string())]).optional(),
  attachments: z
    .array(z.union([z.string(), z.looseObject({ name: z.string(), file: z.string() })]))
    .optional(),
  alt: z.string().optional(),
  context: z.string().max(100).optional(),
  title: z.string().max(200).optional(),
  order_id: z.union([z.number().int().nonnegative(), z.string().regex(/^\d{1,20}$/)]).optional(),
  priority: z.number().int().min(-32_768).max(32_767).optional(),
  /** not before, s since 1970 or an ISO 8601 date */
  send_at: z.union([z.number().int(), z.string()]).optional(),
});
export type MailToEnqueue = z.infer<typeof mailToEnqueue>;

export const logQuery = z.object({
  level: z.enum(['debug', 'info', 'warning', 'error']).optional(),
  search: z.string().max(200).optional(),
  queue_id: rowId.optional(),
  limit: z.number().int().min(1).max(1000).default(200),
  /** only lines with a smaller id: paging backwards */
  before: rowId.optional(),
});
export type LogQuery = z.infer<typeof logQuery>;

/** How a person ends a doubt: it arrived, or send it again under the same Message-ID. */
export const resolution = z.enum(['arrived', 'send-again']);
export type Resolution = z.infer<typeof resolution>;

export const pauseOrder = z.object({
  /** minutes, 1 to 30 days */
  minutes: z.number().int().min(1).max(43_200).default(15),
  reason: z.string().max(500).default(''),
});
export type PauseOrder = z.infer<typeof pauseOrder>;

export const stateFilter = z.enum(rowStates);

/** A step of the doctor. `advice` says in plain words what to do when it is not green. */
export interface DoctorStep {
  id: string;
  title: string;
  color: 'green' | 'amber' | 'red' | 'grey';
  /** ms it took */
  ms: number;
  found: string;
  advice: string | null;
}

/** What became of a test mail that went through the queue. */
export interface TestMailReport {
  id: RowId;
  /** the mail server took it */
  ok: boolean;
  /** the server's answer, or why it failed */
  words: string;
  /** the server's queue id, for its log */
  serverId: string | null;
  /** s from the queue to the server */
  tookS: number;
}

export interface SchemaReport {
  /** what is there and what lacks, one entry per table */
  tables: { name: string; exists: boolean; missingColumns: string[]; missingKeys: string[] }[];
  complete: boolean;
  /** statements that `apply` ran, or would run */
  statements: string[];
}

/** What happens while the desk is open. Every one is a hint to look again; the truth is in the tables. */
export interface DeskEvents {
  /** rows, state or lane changed */
  changed: [];
  /** a row became terminal; raised once for each end */
  ended: [{ id: RowId; outcome: OutcomeKind; reason: string | null; recipient: string; subject: string }];
  /** the lane was paused or resumed */
  lane: [LanePause | null];
  /** another console has taken over and drains alone (who), or this one drains again (null) */
  aside: [DrainBy | null];
  /** this machine has slept while it drained: what was found */
  woke: [SleepReport];
  /** the way to the shop was lost (with the cause in plain words), or is back (null) */
  connection: [string | null];
}

export interface DrainSummary {
  sent: number;
  failed: number;
  /** deferred conversations, each of which was tried again later */
  deferred: number;
  in_doubt: number;
  /** rows that still wait */
  remaining: number;
  /** s between created (or due) and sent, the longest */
  longest_wait_s: number;
  /** most conversations in any 60 s by the ledger's stamps, and what the cap allows */
  most_in_60s: number;
  cap_per_60s: number | null;
  /** Message-IDs that were accepted twice by the ledger: must be 0 */
  duplicates: number;
  took_s: number;
}

/**
 * What can be done with one shop. The app's channels and the CLI's commands are two views of this one desk.
 * Every method may reject with a PostroomError.
 */
export interface Desk {
  status(): Promise<ShopStatus>;
  overview(): Promise<Overview>;
  /** disabled|draining -> enabled */
  enable(): Promise<QueueState>;
  /** enabled -> draining, or disabled at once when nothing is pending or sending (plan section 7) */
  disable(): Promise<QueueState>;
  /** drains alone from now on, while this console draws breath. @throws PostroomError `refused` when it does not drain */
  takeOver(): Promise<void>;
  /** whoever drains shares the cap with the others again */
  shareAgain(): Promise<void>;
  pause(order: PauseOrder): Promise<LanePause>;
  resume(): Promise<void>;
  list(page: RowPage): Promise<{ rows: QueueRow[]; total: number }>;
  /** these rows as they stand now; those that are gone are missing */
  named(ids: RowId[]): Promise<QueueRow[]>;
  /** rows by state, doubt and hold among those that a filter finds, whatever it says of these three */
  counts(filter: RowFilter): Promise<FilterCounts>;
  /** mail types that rows have */
  kinds(): Promise<MailKind[]>;
  /** mail types that the shop has, as its connector tells; empty where it has told none */
  mailTypes(): Promise<MailType[]>;
  show(id: RowId): Promise<RowDetail>;
  /** the files of a row as they lie in the shop; `checksum` reads them to their end */
  files(id: RowId, checksum: boolean): Promise<RowFile[]>;
  /** small embedded images of a row by Content-ID, as data: addresses */
  images(id: RowId): Promise<Record<string, string>>;
  /** looks at what an order would touch, and fixes it for `act` */
  prepare(what: Selection, order: RowOrder): Promise<Prepared>;
  /** does what was prepared, once; a delete waits for its undo */
  act(token: string): Promise<Acted>;
  /** does an order at once */
  change(what: Selection, order: RowOrder): Promise<ActionResult>;
  /** deletes that can still be undone */
  waitingDeletes(): WaitingDelete[];
  /** calls a waiting delete off; false when it is too late */
  undo(token: string): Promise<boolean>;
  /** before the shop is closed: a delete that still waits is dropped, and that is logged */
  leave(): Promise<void>;
  /** failed (not in doubt) and pending rows, and claims past their timeout: to pending, counters reset. Never sent, never a live claim. */
  retry(what: Selection): Promise<ActionResult>;
  /** any row but a live claim; its attachments with it */
  remove(what: Selection): Promise<ActionResult>;
  resolve(id: RowId, how: Resolution): Promise<void>;
  enqueue(mails: MailToEnqueue[]): Promise<RowId[]>;
  log(query: LogQuery): Promise<LogLine[]>;
  /** how many lines match, whatever `limit` and `before` say */
  countLog(query: LogQuery): Promise<number>;
  /** deletes all log lines in batches; returns how many, also when `signal` stops it between two */
  clearLog(signal?: AbortSignal): Promise<number>;
  writeLog(level: LogLevel, message: string, queueId?: RowId): Promise<void>;
  /** settings as sanitised after the write */
  saveSettings(patch: Partial<Record<keyof Settings, unknown>>): Promise<Settings>;
  schema(apply: boolean): Promise<SchemaReport>;
}
