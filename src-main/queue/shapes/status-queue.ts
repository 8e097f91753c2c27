/**
 * Tables whose rows say in a column of words where they stand and in a DATETIME when they are due: what two of the shapes
 * have in common. They have no column for a claim's time, so the due time of a held row is its lease.
 */
import type { RowState } from '../../contract/rows.ts';
import { type Queryable, type SqlValue, within } from '../../shop/database.ts';
import { marks } from '../dialect.ts';
import type { ShopTable } from './shape.ts';
import { clockOf, nextLookSql } from './wall-clock.ts';

/** The table and its columns, quoted; how it spells our states. */
export interface StatusColumns {
  table: string;
  id: string;
  status: string;
  attempts: string;
  due: string;
  words: { pending: string; sending: string; sent: string; failed: string | null };
  /** a claim counts as a try: the counter of a held row is one ahead of the tries that came to an end */
  countsAtClaim: boolean;
}

/**
 * Ids as the integers that they are here, so that a BIGINT key is never compared as a floating-point number; what is none
 * names no row (and would be an error in strict mode).
 */
export const keys = (ids: readonly string[]): SqlValue[] =>
  ids.map((id) => (/^\d{1,19}$/.test(id) ? BigInt(id) : -1));

/** CASE that turns the table's word into ours; a word that nobody knows shows as failed and is never touched. */
export function stateOf(q: StatusColumns): string {
  const { pending, sending, sent } = q.words;
  return `CASE ${q.status} WHEN '${pending}' THEN 'pending' WHEN '${sending}' THEN 'sending' WHEN '${sent}' THEN 'sent' ELSE 'failed' END`;
}

/** Why a row shows as failed although its status is none of the shape's; NULL for all others. */
export function strangeStatus(q: StatusColumns, dialect: Queryable['dialect']): string {
  const known = Object.values(q.words).flatMap((word) => (word === null ? [] : [`'${word}'`]));
  const status = `COALESCE(${q.status}, 'NULL')`;
  const words =
    dialect === 'mysql' ? `CONCAT('unknown status: ', ${status})` : `'unknown status: ' || ${status}`;
  return `CASE WHEN ${q.status} IN (${known.join(', ')}) THEN NULL ELSE ${words} END`;
}

export const whereState = (q: StatusColumns, state: RowState): string | null =>
  q.words[state] === null ? null : `${q.status} = '${q.words[state]}'`;

/** The part of a row's life that is spelled in one table. */
export function statusQueue(
  q: StatusColumns,
  dialect: Queryable['dialect'],
): Pick<ShopTable, 'due' | 'nextDue' | 'claim' | 'renew' | 'held' | 'waits'> {
  const { table, id, status, attempts, due, words } = q;
  const clock = clockOf(dialect);
  const waiting = `${status} = '${words.pending}'`;
  const fresh = `COALESCE(${attempts}, 0) = 0`;
  const held = `${status} = '${words.sending}'`;
  const locked = lockingSelect(q, dialect);
  const unsorted = dialect === 'mysql' ? ' IGNORE INDEX FOR ORDER BY (PRIMARY)' : '';

  return {
    /**
     * By id, as the documents have it: times of a DST night are no order. No key serves that, and a locking read that
     * sorts would lock all that is due, also against other workers. So ids are read in pages, without a lock and from
     * the key alone (10 ms at 30,000 due rows; 250 ms where the optimizer walks the primary key past 40,000 sent ones,
     * which it likes to), and then locked by primary key.
     */
    async due(on, limit, not) {
      const found: string[] = [];
      const without = not.length > 0 ? ` AND ${id} NOT IN (${marks(not.length)})` : '';
      for (let last: string | null = null; found.length < limit; ) {
        const size = Math.trunc(limit - found.length);
        const page: { id: SqlValue }[] = await on.query(
          `SELECT ${id} AS id FROM ${table}${unsorted} WHERE ${waiting} AND ${clock.isDue(due, fresh)}${without}
           ${last === null ? '' : `AND ${id} > ?`} ORDER BY ${id} LIMIT ${size}`,
          [...keys(not), ...(last === null ? [] : keys([last]))],
        );
        const ids = page.map((row) => String(row.id));
        found.push(...(await locked(on, ids, `${waiting} AND ${clock.isDue(due, fresh)}`, { skip: true })));
        if (page.length < size) break;
        last = ids.at(-1) ?? null;
      }
      return found;
    },

    async nextDue(on) {
      const [row] = await on.query<{ at: SqlValue }>(nextLookSql(clock, { table, waiting, due, fresh }));
      return row ? Number(row.at) : null;
    },

    claim: (on, ids, leaseS) =>
      within(on, async (tx) => {
        const free = await locked(tx, ids, waiting, { skip: false });
        if (free.length === 0) return new Set();
        const counter = q.countsAtClaim ? `, ${attempts} = ${attempts} + 1` : '';
        await tx.run(
          `UPDATE ${table} SET ${status} = '${words.sending}', ${due} = ${clock.after}${counter}
           WHERE ${id} IN (${marks(free.length)}) AND ${waiting}`,
          [...clock.afterValues(leaseS), ...keys(free)],
        );
        return new Set(free);
      }),

    /** One statement where all are held still, which is the rule: a mail's final dot waits for it. */
    async renew(on, ids, leaseS) {
      const write = async (some: readonly string[]) => {
        if (some.length === 0) return true;
        const { matched } = await on.run(
          `UPDATE ${table} SET ${due} = ${clock.after} WHERE ${id} IN (${marks(some.length)}) AND ${held}`,
          [...clock.afterValues(leaseS), ...keys(some)],
        );
        return matched === some.length;
      };
      if (await write(ids)) return new Set(ids);
      const still = new Set<string>();
      if (ids.length > 1) for (const one of ids) if (await write([one])) still.add(one);
      return still;
    },

    async held(on, limit) {
      const rows = await on.query<{ id: SqlValue; due: SqlValue; attempts: SqlValue }>(
        `SELECT ${id} AS id, ${due} AS due, ${attempts} AS attempts FROM ${table} WHERE ${held}
         ORDER BY ${due}, ${id} LIMIT ${Math.trunc(limit)}`,
      );
      return rows.map((row) => ({ id: String(row.id), mark: `${row.due}|${row.attempts}` }));
    },

    async waits(on, move) {
      await on.run(
        `UPDATE ${table} SET ${status} = '${words.pending}', ${attempts} = ?, ${due} = ${clock.after}
         WHERE ${id} = ? AND ${held}`,
        [counted(move.attempts), ...clock.afterValues(move.delayS), ...keys([move.id])],
      );
    },
  };
}

/** A counter as the narrowest column (TINYINT UNSIGNED) can hold it. */
export const counted = (attempts: number): number => Math.min(255, Math.max(0, Math.trunc(attempts)));

type LockingSelect = (
  on: Queryable,
  ids: readonly string[],
  condition: string,
  how: { skip: boolean },
) => Promise<string[]>;

/** Locks those of `ids` for which `condition` holds, in the order of their keys; `skip`: leaves out what others have locked. */
export function lockingSelect(
  { table, id }: Pick<StatusColumns, 'table' | 'id'>,
  dialect: Queryable['dialect'],
): LockingSelect {
  // MariaDB before 10.6 and MySQL before 8.0 do not know the words
  let knowsSkip = true;
  return async function locked(on, ids, condition, how): Promise<string[]> {
    if (ids.length === 0) return [];
    const skip = how.skip && knowsSkip;
    const lock = dialect === 'mysql' ? ` FOR UPDATE${skip ? ' SKIP LOCKED' : ''}` : '';
    // by the primary key, or entries of other rows are locked with them
    const hint = dialect === 'mysql' ? ' FORCE INDEX (PRIMARY)' : '';
    try {
      const rows = await on.query<{ id: SqlValue }>(
        `SELECT ${id} AS id FROM ${table}${hint} WHERE ${id} IN (${marks(ids.length)}) AND ${condition} ORDER BY ${id}${lock}`,
        keys(ids),
      );
      return rows.map((row) => String(row.id));
    } catch (error) {
      if (!skip || (error as { errno?: number }).errno !== 1064) throw error;
      knowsSkip = false;
      return locked(on, ids, condition, how);
    }
  };
}
