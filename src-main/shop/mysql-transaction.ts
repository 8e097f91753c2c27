import { CommitUnknown, type Queryable, type Row, type SqlValue } from './database.ts';
import { isConnectionLoss } from './faults.ts';
import { isContention } from './mysql-faults.ts';
import type { Answer, Session } from './mysql-session.ts';

/** BEGIN to COMMIT on one connection, which is destroyed when it is not certain that no transaction is left open on it. */
export async function transact<T>(
  session: Session,
  work: (tx: Queryable) => Promise<T>,
  begun: () => void,
): Promise<T> {
  const tx = new Transaction(session);
  let value: T;
  try {
    await session.statement('START TRANSACTION');
    begun();
    value = await work(tx);
    tx.check();
  } catch (error) {
    tx.over = true;
    if (!session.dead) await session.statement('ROLLBACK').catch(() => session.destroy());
    // the server has already rolled back what lost against others; what `work` made of that error is beside the point
    throw tx.lost ?? error;
  }
  tx.over = true;
  try {
    await session.statement('COMMIT');
  } catch (error) {
    if (isConnectionLoss(error) || session.dead) {
      session.destroy();
      throw new CommitUnknown(
        'The connection to the database was lost while a change was being committed: it may or may not have happened.',
        { cause: error },
      );
    }
    await session.statement('ROLLBACK').catch(() => session.destroy());
    throw error;
  }
  return value;
}

class Transaction implements Queryable {
  readonly dialect = 'mysql';
  readonly #session: Session;
  /** set once the transaction is ended: a late statement would run, and commit, on its own */
  over = false;
  /** the error by which the server ended the transaction early, with the same consequence */
  lost: unknown = null;

  constructor(session: Session) {
    this.#session = session;
  }

  async query<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<T[]> {
    return rows<T>(await this.#statement(sql, params));
  }

  async run(sql: string, params?: readonly SqlValue[]): Promise<{ matched: number; insertId: number }> {
    return written(await this.#statement(sql, params));
  }

  check(): void {
    if (this.lost !== null) throw this.lost;
  }

  async #statement(sql: string, params?: readonly SqlValue[]): Promise<Answer> {
    if (this.over) throw new Error('A statement was sent after its transaction had ended');
    this.check();
    try {
      return await this.#session.statement(sql, params);
    } catch (error) {
      if (isContention(error) || this.#session.dead) this.lost ??= error;
      throw error;
    }
  }
}

/** @throws TypeError when the statement was no SELECT */
export function rows<T>(answer: Answer): T[] {
  if (!Array.isArray(answer)) throw new TypeError('query() was given a statement that returns no rows');
  return answer as T[];
}

/** @throws TypeError when the statement returns rows */
export function written(answer: Answer): { matched: number; insertId: number } {
  // INSERT ... RETURNING and the like answer with rows: run() has nothing to count then
  if (Array.isArray(answer)) throw new TypeError('run() was given a statement that returns rows');
  return { matched: answer.affectedRows, insertId: Number(answer.insertId) };
}
