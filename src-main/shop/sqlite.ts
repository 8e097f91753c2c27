import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { PostroomError } from '../contract/errors.ts';
import type { Capabilities, Database, Queryable, Row, SqlValue } from './database.ts';
import { errorCode } from './faults.ts';

/** ms that opening waits for a process that is just ending; SQLite waits on our only thread, so not longer */
const busyMs = 1_000;
/** prepared statements kept; all of queue/ fits, and preparing costs twice what a small select does (23 against 8 us) */
const cacheSize = 200;

type Statement = Libsql.Statement<unknown[]>;

/**
 * The embedded database in one file, for one process at a time.
 *
 * `synchronous=FULL`: with NORMAL a WAL commit may vanish in a power cut, and a mail whose "sent" vanished would leave
 * twice (promise 2). The fsync costs about 0.3 ms a commit. `locking_mode=EXCLUSIVE`: the operating system holds the lock, so
 * that a process that died never leaves the file locked.
 * @throws PostroomError `busy` when another process has it open, `disk` when it cannot be made or written, `config` when it is
 *   no database
 */
export function openSqlite(file: string): Database {
  return new SqliteDatabase(file);
}

class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly #file: string;
  readonly #raw: Libsql.Database;
  readonly #statements = new Map<string, Statement>();
  /** which transaction the running code is inside of, to turn a deadlock with itself into an error */
  readonly #inside = new AsyncLocalStorage<Transaction>();
  /** end of the queue: one connection, so one at a time, and nothing slips into another's transaction */
  #tail: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(file: string) {
    this.#file = file;
    let raw: Libsql.Database | null = null;
    try {
      if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
      raw = new Libsql(file);
      this.#raw = raw;
      raw.exec(`PRAGMA busy_timeout = ${busyMs}`);
      // before the first look into the file: only then does WAL do without shared memory and keep the lock
      raw.exec('PRAGMA locking_mode = EXCLUSIVE');
      raw.exec('PRAGMA journal_mode = WAL');
      raw.exec('PRAGMA synchronous = FULL');
      raw.exec('PRAGMA foreign_keys = OFF');
      raw.exec('BEGIN IMMEDIATE; COMMIT'); // takes the lock now, and not at the first mail
    } catch (error) {
      raw?.close();
      throw mapSqliteError(error, file);
    }
  }

  query<T = Row>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return this.#take(() => this.all<T>(sql, params));
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<{ matched: number; insertId: number }> {
    return this.#take(() => this.write(sql, params));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#take(async () => {
      const tx = new Transaction(this);
      this.exec('BEGIN IMMEDIATE');
      try {
        const value = await this.#inside.run(tx, () => work(tx));
        tx.over = true;
        this.exec('COMMIT');
        return value;
      } catch (error) {
        tx.over = true;
        // a full disk can have rolled it back already
        if (this.#raw.inTransaction) this.exec('ROLLBACK');
        throw error;
      }
    });
  }

  async capabilities(): Promise<Capabilities> {
    const [row] = await this.query<{ version: string }>('SELECT sqlite_version() AS version');
    return { version: `SQLite ${row?.version ?? ''}`.trim(), skipLocked: false };
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#take(() => {
      this.#closed = true;
      this.#statements.clear();
      try {
        // the driver frees statements only with the garbage, and SQLite keeps its lock until then: let go of it by hand
        // (the lock can be eased only outside of WAL, and is eased by the next look into the file)
        for (const sql of [
          'PRAGMA journal_mode = DELETE',
          'PRAGMA locking_mode = NORMAL',
          'SELECT 1 FROM sqlite_schema',
        ])
          this.#raw.exec(sql);
      } finally {
        this.#raw.close();
      }
    });
  }

  /** Rows, at once. */
  all<T>(sql: string, params: readonly SqlValue[]): T[] {
    return this.#guard(() => {
      const rows = this.#prepare(sql).all(params.map(toDriver)) as Record<string, unknown>[];
      for (const row of rows) {
        for (const name in row) if (row[name] instanceof ArrayBuffer) row[name] = Buffer.from(row[name]);
      }
      return rows as T[];
    });
  }

  /** A write, at once. */
  write(sql: string, params: readonly SqlValue[]): { matched: number; insertId: number } {
    return this.#guard(() => {
      const { changes, lastInsertRowid } = this.#prepare(sql).run(params.map(toDriver));
      // prepared texts of a table that is not the same any more
      if (/^\s*(CREATE|ALTER|DROP)\b/i.test(sql)) this.#statements.clear();
      const inserted = changes > 0 && /^\s*(INSERT|REPLACE)\b/i.test(sql);
      // SQLite tells the last id, the contract wants the first; with one writer they follow one another
      return { matched: changes, insertId: inserted ? Number(lastInsertRowid) - changes + 1 : 0 };
    });
  }

  exec(sql: string): void {
    this.#guard(() => this.#raw.exec(sql));
  }

  #guard<T>(use: () => T): T {
    if (this.#closed) throw new PostroomError('stopped', 'The database was closed.');
    try {
      return use();
    } catch (error) {
      throw mapSqliteError(error, this.#file);
    }
  }

  #take<T>(use: () => T | Promise<T>): Promise<T> {
    const inside = this.#inside.getStore();
    if (inside && !inside.over) {
      return Promise.reject(
        new Error('Inside a transaction use its own query() and run(): the database waits for its end'),
      );
    }
    const result = this.#tail.then(use);
    this.#tail = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) {
      this.#statements.delete(sql); // to the end of the map: least recently used first
      this.#statements.set(sql, known);
      return known;
    }
    const made: Statement = this.#raw.prepare(sql);
    this.#statements.set(sql, made);
    if (this.#statements.size > cacheSize) {
      const oldest = this.#statements.keys().next();
      if (!oldest.done) this.#statements.delete(oldest.value);
    }
    return made;
  }
}

class Transaction implements Queryable {
  readonly dialect = 'sqlite';
  readonly #database: SqliteDatabase;
  /** set once it is ended: a late statement would run, and commit, on its own */
  over = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async query<T = Row>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    this.#check();
    return this.#database.all<T>(sql, params);
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<{ matched: number; insertId: number }> {
    this.#check();
    return this.#database.write(sql, params);
  }

  #check(): void {
    if (this.over) throw new Error('A statement was sent after its transaction had ended');
  }
}

/**
 * A value as the driver takes it: it ends the whole process on a boolean or undefined. Its text ends at the first NUL, so
 * that a hostile subject would lose its rest: a NUL becomes U+FFFD, as HTML and CommonMark have it.
 */
function toDriver(value: SqlValue): string | number | bigint | Buffer | null {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  if (value === null || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value);
  throw new TypeError(`A ${typeof value} cannot be a value in SQL`);
}

function mapSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof PostroomError) return error;
  const code = errorCode(error);
  const options = { detail: `${code}: ${error.message}`, cause: error };
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new PostroomError(
      'busy',
      `Another program has ${file} open. End the other Postroom that uses it first.`,
      options,
    );
  }
  if (code.startsWith('SQLITE_NOTADB'))
    return new PostroomError('config', `${file} is not a database of this kind.`, options);
  if (code.startsWith('SQLITE_CORRUPT'))
    return new PostroomError('disk', `The database ${file} is damaged.`, options);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC')
    return new PostroomError('disk', `The disk with ${file} is full.`, options);
  if (
    /^SQLITE_(IOERR|CANTOPEN|READONLY|PERM)|^E(ACCES|PERM|ROFS|NOTDIR|EXIST)$/.test(code) ||
    /Unable to open/.test(error.message)
  ) {
    return new PostroomError(
      'disk',
      `${file} cannot be opened or written. Check the folder and its rights.`,
      options,
    );
  }
  if (/no such (table|column)|has no column named/.test(error.message)) {
    return new PostroomError(
      'schema',
      `The database lacks a table or column: ${error.message.trim()}.`,
      options,
    );
  }
  return error;
}
