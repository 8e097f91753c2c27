/**
 * What a jobs table's columns are: the document leaves open whether ids are numbers, and other programs keep times as integers.
 */
import { randomUUID } from 'node:crypto';
import { PostroomError } from '../../contract/errors.ts';
import type { Queryable, SqlValue } from '../../shop/database.ts';
import { marks } from '../dialect.ts';
import { isNumber, refuseTime } from './column-types.ts';
import type { JobsNames } from './jobs-names.ts';

export interface JobsFacts {
  /** UUIDs, made by whoever inserts */
  idIsText: boolean;
  /** ids as the column has them, which a key serves; what cannot be one is left out */
  keys(ids: Iterable<string>): SqlValue[];
  /** what fits into the column of the failure's reason */
  fit(text: string): string;
}

/** @throws PostroomError `schema` where a table is not there or keeps its times as numbers */
export async function readFacts(on: Queryable, { queue, dead, c }: JobsNames): Promise<JobsFacts> {
  const bare = (name: string) => name.slice(1, -1);
  const found = await readColumns(on, bare(queue));
  const graves = await readColumns(on, bare(dead));
  for (const [table, columns] of [
    [queue, found],
    [dead, graves],
  ] as const)
    if (columns.size === 0) throw new PostroomError('schema', `The database has no table ${bare(table)}.`);
  for (const name of [c.reserved_at, c.available_at].map(bare)) {
    const why = refuseTime('jobs', `${bare(queue)}.${name}`, found.get(name.toLowerCase())?.type ?? '');
    if (why) throw new PostroomError('schema', why);
  }
  const error = graves.get(bare(c.error).toLowerCase());
  const narrow = error?.charset != null && error.charset !== 'utf8mb4';
  const idIsText = !isNumber(found.get(bare(c.id).toLowerCase())?.type ?? 'int');
  return {
    idIsText,
    keys: (ids) => (idIsText ? [...ids] : [...ids].filter((id) => /^\d{1,19}$/.test(id)).map(BigInt)),
    fit: (text) =>
      // a reason that does not fit must not keep a dead row among the waiting ones
      (narrow ? text.replace(/[^\n -~]/gu, '?') : text).slice(0, error?.length ?? 5_000),
  };
}

interface ColumnFacts {
  type: string;
  /** characters, null = no limit that matters */
  length: number | null;
  charset: string | null;
}

async function readColumns(on: Queryable, table: string): Promise<Map<string, ColumnFacts>> {
  const rows =
    on.dialect === 'mysql'
      ? await on.query<{ name: string; type: string; length: number | null; charset: string | null }>(
          `SELECT COLUMN_NAME AS name, DATA_TYPE AS type, CHARACTER_MAXIMUM_LENGTH AS length, CHARACTER_SET_NAME AS charset
           FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`,
          [table],
        )
      : await on.query<{ name: string; type: string; length: null; charset: null }>(
          'SELECT name, type, NULL AS length, NULL AS charset FROM pragma_table_info(?)',
          [table],
        );
  return new Map(
    rows.map(({ name, type, length, charset }) => [
      name.toLowerCase(),
      { type: String(type), length: length == null ? null : Math.min(Number(length), 5_000), charset },
    ]),
  );
}

/** Locks those of the ids that are in `state`; answers their keys. */
export async function lockRows(
  tx: Queryable,
  { c, w }: JobsNames,
  table: string,
  keys: readonly SqlValue[],
  state: string,
): Promise<SqlValue[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ id: SqlValue }>(
    `SELECT ${c.id} AS id FROM ${table} WHERE ${c.id} IN (${marks(keys.length)}) AND ${state} ORDER BY ${c.id}${w.forUpdate}`,
    keys,
  );
  return rows.map(({ id }) => id);
}

/** A further condition: none of these. */
export const without = (column: string, keys: readonly SqlValue[]): string =>
  keys.length > 0 ? ` AND ${column} NOT IN (${marks(keys.length)})` : '';

let lastMs = 0;

/** A UUID that sorts behind those made before (RFC 9562, version 7): rows leave by their ids' order. */
export function orderedUuid(): string {
  lastMs = Math.max(lastMs + 1, Date.now());
  const ms = lastMs.toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}
