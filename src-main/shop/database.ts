/**
 * What the rooms above need of a database, whichever it is. Statements use `?` placeholders only.
 * mysql.ts and sqlite.ts are the two drivers; nothing above them imports a driver package.
 */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Queryable {
  readonly dialect: 'mysql' | 'sqlite';
  /** Rows of a SELECT. */
  query<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
  /**
   * A statement that writes. `matched` counts the rows that its WHERE *matched*, whether or not their values changed
   * (FINDINGS 11b); `insertId` is the first id that an INSERT made, 0 without one.
   */
  run(sql: string, params?: readonly SqlValue[]): Promise<{ matched: number; insertId: number }>;
}

export interface Database extends Queryable {
  /** What the server can do; read at the first connection. */
  capabilities(): Promise<Capabilities>;
  /**
   * Runs `work` in one transaction on one connection. Deadlocks and lock-wait timeouts (1213, 1205; a Galera
   * certification failure is a 1213) are run again, up to 5 times with jitter: `work` must be free of outside effects.
   * A connection that is lost in COMMIT throws `CommitUnknown`: the caller cannot know whether it happened.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** One round trip; throws when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** `work` in one transaction, whatever it is called on: the one that `on` is already, or one of its own. */
export function within<T>(on: Queryable | Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return 'transaction' in on ? on.transaction(work) : work(on);
}

export interface Capabilities {
  /** as `10.11.14-MariaDB`, `8.0.36`, `SQLite 3.45` */
  version: string;
  /** SELECT ... FOR UPDATE SKIP LOCKED, proven by a probe */
  skipLocked: boolean;
}

/** The connection was lost while COMMIT was on its way: it may or may not have happened. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
