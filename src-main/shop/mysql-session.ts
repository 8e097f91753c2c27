import type { Duplex } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import type { SqlValue } from './database.ts';
import { endsConnection, mapMysqlError, tooLarge } from './mysql-faults.ts';
import type { Pooled } from './pool.ts';

/** ms that an idle connection has to answer a ping before it is replaced: a healthy mobile network needs under 1 s */
const pingMs = 5_000;
/** ms for the goodbye packet; nobody waits longer to close a window */
const goodbyeMs = 1_000;

/** What came back of a statement: rows, or the driver's header of a write. */
export type Answer = Record<string, SqlValue>[] | { affectedRows: number; insertId: number | string };

type Done<T> = (error: Error | null | undefined, result?: T) => void;

/** What is used of the driver's connection; written out here, so that one file alone imports the driver. */
export interface Wire {
  on(event: 'error' | 'end', listener: () => void): unknown;
  connect(done: Done<void>): void;
  query(statement: { sql: string; values: unknown[] }, done: Done<Answer>): void;
  ping(done: Done<void>): void;
  end(done: Done<void>): void;
  destroy(): void;
}

/** How a session is opened. */
export interface SessionOptions {
  connect(way: Duplex): Wire;
  /** the way to the server; ours even for plain TCP, since the driver's destroy() leaves a frozen socket half-closed */
  way(): Duplex;
  /** ms */
  connectMs: number;
  /** ms for one statement, after which the connection is cut so that nothing hangs on a frozen way (FINDINGS 11a) */
  deadlineMs: number;
  /** as `the database at 10.0.0.5:3306` */
  place: string;
}

/** One connection to the server. Errors are mapped to words; an error that ends it marks it dead. */
export class Session implements Pooled {
  readonly #raw: Wire;
  readonly #way: Duplex;
  readonly #options: SessionOptions;
  /** what waits for an answer: the driver forgets its callbacks when a connection is destroyed */
  readonly #open = new Set<(error: Error) => void>();
  /** bytes that one statement may have, as the server says */
  maxPacket = Number.POSITIVE_INFINITY;
  #dead = false;

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#way = options.way();
    this.#raw = options.connect(this.#way);
    // an 'error' that nobody listens to would end the process; what waits gets its own rejection
    this.#raw.on('error', () => this.#cut());
    this.#raw.on('end', () => this.#cut());
  }

  /** @throws PostroomError `unreachable` or `login`; within `connectMs` */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    try {
      await session.#call<void>(options.connectMs, (done) => session.#raw.connect(done));
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** One statement; `?` are filled in here, not on the server. @throws PostroomError or the driver's error, mapped */
  statement(sql: string, params: readonly SqlValue[] = []): Promise<Answer> {
    const values = params.map(toDriver);
    const bytes = sizeOf(sql, values);
    if (bytes > this.maxPacket) return Promise.reject(tooLarge(bytes, this.maxPacket));
    return this.#call<Answer>(
      this.#options.deadlineMs,
      (done) => this.#raw.query({ sql, values }, done),
      sql,
    );
  }

  async check(): Promise<boolean> {
    try {
      await this.#call<void>(Math.min(pingMs, this.#options.connectMs), (done) => this.#raw.ping(done));
      return !this.#dead;
    } catch {
      return false;
    }
  }

  destroy(): void {
    this.#cut();
    this.#raw.destroy();
    this.#way.destroy();
    for (const reject of this.#open) reject(this.#lost('The connection was closed on this side.'));
    this.#open.clear();
  }

  async end(): Promise<void> {
    try {
      if (!this.#dead) await this.#call<void>(goodbyeMs, (done) => this.#raw.end(done));
    } catch {
      // it is being thrown away: that it did not say goodbye interests nobody
    } finally {
      this.destroy();
    }
  }

  #cut(): void {
    this.#dead = true;
  }

  #lost(why: string): PostroomError {
    return new PostroomError('unreachable', `The connection to ${this.#options.place} was lost.`, {
      detail: why,
    });
  }

  #call<T>(ms: number, start: (done: Done<T>) => void, sql?: string): Promise<T> {
    if (this.#dead) return Promise.reject(this.#lost('It was closed before the statement was sent.'));
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open.delete(fail);
        reject(
          new PostroomError(
            'unreachable',
            `The database did not answer within ${ms / 1000} s (${this.#options.place}).`,
          ),
        );
        this.destroy();
      }, ms);
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#open.add(fail);
      start((error, value) => {
        clearTimeout(timer);
        this.#open.delete(fail);
        if (!error) return resolve(value as T);
        if (endsConnection(error)) this.#cut();
        reject(mapMysqlError(error, this.#options.place, sql));
      });
    });
  }
}

/** Bytes of a statement on the wire, with a backslash before what is escaped; as a rough upper bound where that is small, since most are. */
function sizeOf(sql: string, values: readonly ReturnType<typeof toDriver>[]): number {
  const rough = values.reduce<number>((sum, value) => sum + widest(value), sql.length * 3);
  if (rough < 1_048_576) return 0;
  return values.reduce<number>((sum, value) => {
    if (typeof value !== 'string') return sum + (Buffer.isBuffer(value) ? value.length * 2 + 3 : 8);
    return sum + Buffer.byteLength(value) + (value.match(/[\p{Cc}"'\\]/gu)?.length ?? 0) + 2;
  }, Buffer.byteLength(sql));
}

function widest(value: ReturnType<typeof toDriver>): number {
  return typeof value === 'string' ? value.length * 3 : Buffer.isBuffer(value) ? value.length * 2 : 24;
}

/**
 * A value as the driver's escaper takes it. Only what a column can hold: the escaper would spread an object or a nested
 * array into SQL text, and values come from shop rows (promise 10).
 */
function toDriver(value: SqlValue): string | number | bigint | Buffer | null {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`A ${typeof value} cannot be a value in SQL`);
}
