/**
 * `jobs` and `failed_jobs`: a general job table with named queues, of which some carry mail. A sent row is deleted, a row that
 * failed for good is moved to the dead letters under its own id.
 *
 * The table is other programs' too. Rows of other queues, and rows of ours that are no mail (jobs-payload.ts), are in none of
 * the lists and counts, and every statement that writes leaves them out (`mine`).
 */
import type { MailToEnqueue } from '../../contract/desk.ts';
import type { Layout } from '../../contract/profile.ts';
import { type Queryable, type SqlValue, within } from '../../shop/database.ts';
import { marks } from '../dialect.ts';
import { type JobsFacts, lockRows, orderedUuid, readFacts, without } from './jobs-facts.ts';
import { type JobsNames, namesOf } from './jobs-names.ts';
import { readJob, writeJob } from './jobs-payload.ts';
import type { Move, Shape, ShopTable } from './shape.ts';
import { clockOf, nextLookSql, type WallClock } from './wall-clock.ts';

export const jobs: Shape = {
  name: 'jobs',
  words: { pending: 'available', sending: 'reserved', sent: 'deleted', failed: 'failed' },
  // The document has "a limit" without a number: 5 as in that of wp-email-queue, so that the last try comes after the hours
  // that a full mailbox takes. A sent row is gone at once; its days are those of our own books.
  settings: { max_attempts: 5, retention_sent_days: 7, retention_failed_days: 30 },
  // LIMIT 1
  most: 1,
  // 5, 20, 45 min, then an hour: what greylisters want (DESIGN section 5); the document has none
  backoffS: (attempts) => Math.min(3_600, 300 * attempts ** 2),
  sqlite: true,
  read: readJob,
  open: (_prefix, layout, dialect) => new JobsTable(layout, dialect),
};

const spare = 16; // candidates looked at above those wanted: workers race for the same head
const mostLooks = 10; // looks for candidates in one go; the next call looks on
const mostOdd = 1_000; // ids kept of rows that SQL takes for a mail and the reading does not; a handful, really

class JobsTable implements ShopTable {
  readonly #n: JobsNames;
  readonly tables;
  readonly sources;
  readonly #odd = new Set<string>();
  readonly #clock: WallClock;
  /** condition of a job that was never tried */
  readonly #fresh: string;
  #lockWord: string;
  #facts: Promise<JobsFacts> | null = null;

  constructor(layout: Layout, dialect: Queryable['dialect']) {
    this.#n = namesOf(layout, dialect);
    this.#clock = clockOf(dialect);
    this.#fresh = `${this.#n.c.attempts} = 0`;
    ({ tables: this.tables, sources: this.sources } = this.#n);
    this.#lockWord = this.#n.w.forUpdate && `${this.#n.w.forUpdate} SKIP LOCKED`;
  }

  async due(on: Queryable, limit: number, not: readonly string[]): Promise<string[]> {
    const { c, queue, waits } = this.#n;
    const due = `${waits} AND ${this.#clock.isDue(c.available_at, this.#fresh)}`;
    const found: string[] = [];
    const seen = new Set([...not, ...this.#odd]);
    for (let look = 0; look < mostLooks && found.length < limit; look += 1) {
      const except = await this.#keys(on, seen);
      // without locks first: what reads past other programs' work must not lock it
      const heads = await on.query<{ id: SqlValue }>(
        `SELECT ${c.id} AS id FROM ${queue} WHERE ${due}${without(c.id, except)}
         ORDER BY ${c.id} LIMIT ${Math.trunc(limit) + spare}`,
        except,
      );
      if (heads.length === 0) break;
      const wanted = limit - found.length;
      const rows = await this.#lockFirst(on, heads, due, wanted);
      for (const { id, payload } of rows) {
        const reading = readJob(String(payload));
        if (reading.ok || 'reason' in reading) found.push(String(id));
        else this.#odd.add(String(id));
        seen.add(String(id));
      }
      // too few could be locked: the others of this look are in other hands
      if (rows.length < wanted) for (const { id } of heads) seen.add(String(id));
    }
    for (const id of this.#odd) if (this.#odd.size > mostOdd) this.#odd.delete(id);
    return found;
  }

  async #lockFirst(on: Queryable, heads: readonly { id: SqlValue }[], due: string, limit: number) {
    const { c, w, queue } = this.#n;
    const select = () =>
      on.query<{ id: SqlValue; payload: SqlValue }>(
        `SELECT ${c.id} AS id, ${c.payload} AS payload FROM ${queue} WHERE ${c.id} IN (${marks(heads.length)}) AND ${due}
         ORDER BY ${c.id} LIMIT ${Math.trunc(limit)}${this.#lockWord}`,
        heads.map(({ id }) => id),
      );
    try {
      return await select();
    } catch (error) {
      if ((error as { errno?: number }).errno !== 1064 || this.#lockWord === w.forUpdate) throw error;
      // a server before SKIP LOCKED: waits for the other worker's short claim instead
      this.#lockWord = w.forUpdate;
      return select();
    }
  }

  async nextDue(on: Queryable): Promise<number | null> {
    const { c, queue, waits } = this.#n;
    const odd = await this.#keys(on, this.#odd);
    const waiting = `${waits}${without(c.id, odd)}`;
    const [row] = await on.query(
      nextLookSql(this.#clock, { table: queue, waiting, due: c.available_at, fresh: this.#fresh }),
      [...odd, ...odd],
    );
    return row?.['at'] == null ? null : Number(row['at']);
  }

  /** `reserved_at` is when; how long a claim lives after it is counted by whoever looks (`held`). */
  claim(on: Queryable, ids: readonly string[]): Promise<Set<string>> {
    return this.#reserve(on, ids, this.#n.waits);
  }
  renew(on: Queryable, ids: readonly string[]): Promise<Set<string>> {
    return this.#reserve(on, ids, this.#n.held);
  }

  #reserve(on: Queryable, ids: readonly string[], state: string): Promise<Set<string>> {
    const { c, w, queue } = this.#n;
    return within(on, async (tx) => {
      const keys = await this.#lock(tx, queue, ids, state);
      if (keys.length > 0)
        await tx.run(
          `UPDATE ${queue} SET ${c.reserved_at} = ${w.now} WHERE ${c.id} IN (${marks(keys.length)}) AND ${state}`,
          keys,
        );
      return new Set(keys.map(String));
    });
  }

  async held(on: Queryable, limit: number): Promise<{ id: string; mark: string }[]> {
    const { c, queue, held } = this.#n;
    const rows = await on.query(
      `SELECT ${c.id} AS id, ${c.reserved_at} AS since, ${c.attempts} AS attempts FROM ${queue} WHERE ${held}
       ORDER BY ${c.id} LIMIT ${Math.trunc(limit)}`,
    );
    return rows.map((row) => ({ id: String(row['id']), mark: `${row['since']}|${row['attempts']}` }));
  }

  sent(on: Queryable, ids: readonly string[]): Promise<void> {
    return this.#delete(on, ids, this.#n.mine);
  }

  async waits(on: Queryable, { id, attempts, delayS }: Move): Promise<void> {
    const { c, w, queue, held } = this.#n;
    const at = delayS > 0 ? `, ${c.available_at} = ${w.later(String(Math.ceil(delayS)))}` : '';
    for (const key of await this.#keys(on, [id]))
      await on.run(
        `UPDATE ${queue} SET ${c.reserved_at} = NULL, ${c.attempts} = ?, ${c.updated_at} = ${w.now}${at} WHERE ${c.id} = ? AND ${held}`,
        [attempts, key],
      );
  }

  failed(on: Queryable, { id, attempts, reason }: Move): Promise<void> {
    const { c, w, queue, dead, mine } = this.#n;
    return within(on, async (tx) => {
      const facts = await this.#know(tx);
      for (const key of await this.#lock(tx, queue, [id], mine)) {
        // under an id that a dead letter has already it goes by a new one, rather than not at all
        const taken = (await tx.query(`SELECT 1 FROM ${dead} WHERE ${c.id} = ?`, [key])).length > 0;
        const id = !taken ? [key] : facts.idIsText ? [orderedUuid()] : [];
        await tx.run(
          `INSERT INTO ${dead} (${id.length ? `${c.id}, ` : ''}${c.queue}, ${c.payload}, ${c.attempts}, ${c.error}, ${c.failed_at})
           SELECT ${id.length ? '?, ' : ''}${c.queue}, ${c.payload}, ?, ?, ${w.now} FROM ${queue} WHERE ${c.id} = ?`,
          [...id, attempts, facts.fit(reason), key],
        );
        await tx.run(`DELETE FROM ${queue} WHERE ${c.id} = ?`, [key]);
      }
    });
  }

  requeue(on: Queryable, ids: readonly string[]): Promise<void> {
    const { c, w, queue, dead, mine, buried } = this.#n;
    return within(on, async (tx) => {
      const back = await this.#lock(tx, dead, ids, buried);
      const stay = await this.#lock(tx, queue, ids, mine);
      if (stay.length > 0)
        await tx.run(
          `UPDATE ${queue} SET ${c.reserved_at} = NULL, ${c.attempts} = 0, ${c.available_at} = ${w.now}, ${c.updated_at} = ${w.now}
           WHERE ${c.id} IN (${marks(stay.length)})`,
          stay,
        );
      if (back.length === 0) return;
      // when it was made is not kept there
      await tx.run(
        `INSERT INTO ${queue} (${c.id}, ${c.queue}, ${c.payload}, ${c.attempts}, ${c.available_at}, ${c.created_at}, ${c.updated_at})
         SELECT ${c.id}, ${c.queue}, ${c.payload}, 0, ${w.now}, ${w.now}, ${w.now} FROM ${dead} WHERE ${c.id} IN (${marks(back.length)})`,
        back,
      );
      await tx.run(`DELETE FROM ${dead} WHERE ${c.id} IN (${marks(back.length)})`, back);
    });
  }

  remove(on: Queryable, ids: readonly string[]): Promise<void> {
    return this.#delete(on, ids, this.#n.waits);
  }

  #delete(on: Queryable, ids: readonly string[], state: string): Promise<void> {
    const { c, queue, dead, buried } = this.#n;
    return within(on, async (tx) => {
      const below = await this.#lock(tx, dead, ids, buried);
      const above = await this.#lock(tx, queue, ids, state);
      for (const [table, keys] of [[dead, below] as const, [queue, above] as const])
        if (keys.length > 0)
          await tx.run(`DELETE FROM ${table} WHERE ${c.id} IN (${marks(keys.length)})`, keys);
    });
  }

  async old(on: Queryable, state: 'sent' | 'failed', seconds: number, limit: number): Promise<string[]> {
    if (state === 'sent') return [];
    const { c, w, dead, buried } = this.#n;
    const rows = await on.query(
      `SELECT ${c.id} AS id FROM ${dead} WHERE ${w.at(c.failed_at)} < ${w.ago(String(Math.trunc(seconds)))} AND ${buried}
       ORDER BY ${c.failed_at} LIMIT ${Math.trunc(limit)}`,
    );
    return rows.map((row) => String(row['id']));
  }

  async insert(on: Queryable, mail: MailToEnqueue, notBefore: number | null): Promise<string> {
    const { c, w, queue, queues } = this.#n;
    const id = (await this.#know(on)).idIsText ? orderedUuid() : null;
    const made = await on.run(
      `INSERT INTO ${queue} (${id ? `${c.id}, ` : ''}${c.queue}, ${c.payload}, ${c.attempts}, ${c.available_at}, ${c.created_at}, ${c.updated_at})
       VALUES (${id ? '?, ' : ''}?, ?, 0, COALESCE(${w.time('?')}, ${w.now}), ${w.now}, ${w.now})`,
      [...(id ? [id] : []), queues[0] ?? 'default', writeJob(mail), notBefore],
    );
    return id ?? String(made.insertId);
  }

  async foreign(on: Queryable): Promise<{ count: number; example: string | null }> {
    const { c, queue, inQueues, isMail } = this.#n;
    const others = `FROM ${queue} WHERE ${inQueues} AND NOT COALESCE(${isMail}, 0)`;
    const [row] = await on.query(`SELECT COUNT(*) AS n ${others}`);
    const [first] = await on.query(`SELECT ${c.payload} AS payload ${others} ORDER BY ${c.id} LIMIT 1`);
    const reading = first && readJob(String(first['payload'] ?? ''));
    return {
      count: Number(row?.['n'] ?? 0),
      example: reading && 'foreign' in reading ? reading.foreign : null,
    };
  }

  #keys = async (on: Queryable, ids: Iterable<string>) => (await this.#know(on)).keys(ids);
  #lock = async (tx: Queryable, table: string, ids: readonly string[], state: string) =>
    lockRows(tx, this.#n, table, await this.#keys(tx, ids), state);
  #know(on: Queryable): Promise<JobsFacts> {
    this.#facts ??= readFacts(on, this.#n).catch((error: unknown) => {
      this.#facts = null;
      throw error;
    });
    return this.#facts;
  }
}
