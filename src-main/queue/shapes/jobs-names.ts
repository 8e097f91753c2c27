/** How one shop's jobs tables are spelled in SQL: its names, which rows are ours, and the words in which the databases differ. */
import type { Layout } from '../../contract/profile.ts';
import type { Queryable } from '../../shop/database.ts';
import { isMailSql } from './jobs-payload.ts';
import { columnsOf, quoted, type ShapeTable, type Source } from './shape.ts';

const queueColumns = [
  'id',
  'queue',
  'payload',
  'attempts',
  'reserved_at',
  'available_at',
  'created_at',
  'updated_at',
] as const;
const deadColumns = ['id', 'queue', 'payload', 'attempts', 'error', 'failed_at'] as const;

/** The queue that the document's own claim reads. */
const usualQueues = ['default'];

/** Times are the database's own, in its session's zone, or in UTC where it has none; `s` is a number or a placeholder. */
interface Words {
  now: string;
  later(s: string): string;
  ago(s: string): string;
  /** a stored time that can be compared */
  at(column: string): string;
  /** s since 1970 */
  unix(time: string): string;
  /** a time of `s` since 1970 */
  time(s: string): string;
  /** a value for people out of a payload */
  json(payload: string, key: string): string;
  /** text as a literal, for conditions that have no placeholders */
  text(value: string): string;
  forUpdate: string;
}

const hex = (value: string): string => Buffer.from(value).toString('hex');
/** `["a@x", "b@x"]` as people write it */
const list = (json: string): string => `REPLACE(REPLACE(REPLACE(${json}, '["', ''), '"]', ''), '"', '')`;

const mysql: Words = {
  now: 'NOW()',
  // a night that skips or repeats an hour makes a retry late by it, never early (status-queue has the reason)
  later: (s) => `GREATEST(NOW() + INTERVAL ${s} SECOND, FROM_UNIXTIME(UNIX_TIMESTAMP() + ${s}))`,
  ago: (s) => `NOW() - INTERVAL ${s} SECOND`,
  at: (column) => column,
  unix: (time) => `UNIX_TIMESTAMP(${time})`,
  time: (s) => `FROM_UNIXTIME(${s})`,
  // converted, or a search in it would heed upper and lower case
  json: (payload, key) =>
    `CONVERT(CASE WHEN JSON_VALID(${payload}) THEN ${list(`JSON_UNQUOTE(JSON_EXTRACT(${payload}, '$.${key}'))`)} ELSE '' END USING utf8mb4)`,
  text: (value) => `_utf8mb4 X'${hex(value)}'`,
  forUpdate: ' FOR UPDATE',
};

const sqlite: Words = {
  now: "datetime('now')",
  later: (s) => `datetime('now', ${s} || ' seconds')`,
  ago: (s) => `datetime('now', '-' || ${s} || ' seconds')`,
  at: (column) => `datetime(${column})`,
  unix: (time) => `CAST(strftime('%s', ${time}) AS INTEGER)`,
  time: (s) => `datetime(${s}, 'unixepoch')`,
  json: (payload, key) =>
    `CASE WHEN json_valid(${payload}) THEN ${list(`json_extract(${payload}, '$.${key}')`)} ELSE '' END`,
  text: (value) => `CAST(X'${hex(value)}' AS TEXT)`,
  forUpdate: '',
};

export interface JobsNames {
  queue: string;
  dead: string;
  /** one spelling for both tables */
  c: Record<(typeof queueColumns)[number] | (typeof deadColumns)[number], string>;
  w: Words;
  /** the named queues that carry mail; a new row goes into the first */
  queues: readonly string[];
  inQueues: string;
  isMail: string;
  /** condition of a row that is ours */
  mine: string;
  waits: string;
  held: string;
  /** condition of a dead letter that is ours, and whose id no job has: another program may number its own there by itself */
  buried: string;
  tables: readonly ShapeTable[];
  sources: readonly Source[];
}

export function namesOf(layout: Layout, dialect: Queryable['dialect']): JobsNames {
  // the document's names have no prefix
  const [queue, dead] = [quoted(layout.table ?? 'jobs'), quoted(layout.failedTable ?? 'failed_jobs')];
  const c = columnsOf([...queueColumns, ...deadColumns], layout);
  const w = dialect === 'mysql' ? mysql : sqlite;
  const queues = layout.queues ?? usualQueues;
  const inQueues = `${c.queue} IN (${queues.map(w.text).join(', ')})`;
  const isMail = isMailSql(c.payload, dialect);
  const mine = `${inQueues} AND ${isMail}`;
  const buried = `${mine} AND NOT EXISTS (SELECT 1 FROM ${queue} j WHERE j.${c.id} = ${dead}.${c.id})`;
  const bare = (names: readonly (keyof typeof c)[]) => names.map((name) => c[name].slice(1, -1));

  const common = `${c.id} AS id, ${w.json(c.payload, 'to')} AS recipient, ${w.json(c.payload, 'subject')} AS subject,
    ${c.payload} AS payload, ${c.attempts} AS attempts`;
  const s = (column: string) => `COALESCE(${w.unix(column)}, 0)`;
  return {
    ...{ queue, dead, c, w, queues, inQueues, isMail, mine, buried },
    waits: `${mine} AND ${c.reserved_at} IS NULL`,
    held: `${mine} AND ${c.reserved_at} IS NOT NULL`,
    tables: [
      // no key: the document has none, and the primary one soon finds a waiting row, since sent ones are deleted
      { role: 'queue', name: queue.slice(1, -1), columns: bare(queueColumns), optional: [], key: null },
      { role: 'failed', name: dead.slice(1, -1), columns: bare(deadColumns), optional: [], key: null },
    ],
    sources: [
      {
        select: `SELECT ${common}, CASE WHEN ${c.reserved_at} IS NULL THEN 'pending' ELSE 'sending' END AS state,
          ${s(c.available_at)} AS scheduled_at, ${s(c.created_at)} AS created_at, NULL AS last_error
          FROM (SELECT * FROM ${queue} WHERE ${mine}) q`,
        id: c.id,
        where: (state) =>
          state === 'pending'
            ? `${c.reserved_at} IS NULL`
            : state === 'sending'
              ? `${c.reserved_at} IS NOT NULL`
              : null,
      },
      {
        select: `SELECT ${common}, 'failed' AS state, 0 AS scheduled_at, ${s(c.failed_at)} AS created_at,
          ${c.error} AS last_error FROM (SELECT * FROM ${dead} WHERE ${buried}) f`,
        id: c.id,
        where: (state) => (state === 'failed' ? '1 = 1' : null),
      },
    ],
  };
}
