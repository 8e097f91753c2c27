/** DATETIME columns that say when a row is due, as the shops' programs write them: by a clock on the wall. */
import type { Queryable, SqlValue } from '../../shop/database.ts';

/**
 * What is said of a DATETIME that the shop's programs write as their wall clock shows it. The database alone compares and
 * writes it, in the session's zone. On the embedded database it is text in UTC.
 */
export interface WallClock {
  now: string;
  /**
   * Condition: due. A row without a time, or with none that can be read, would never leave: it is due. In the night that has
   * one hour twice a time of that hour is read as its first one for a row that was never tried (`fresh`, a condition), which
   * keeps the order of what was due before the clock went back; a retry waits for the later one, since it may come late, never
   * early.
   */
  isDue(column: string, fresh: string): string;
  /** condition: due by the first of two hours alone (part of `isDue`) */
  isDueByFirstHour(column: string, fresh: string): string;
  /** now + s, with `afterValues(s)` */
  after: string;
  afterValues(seconds: number): SqlValue[];
  /** s since 1970 (now where null), with `atValues` */
  at: string;
  atValues(seconds: number | null): SqlValue[];
  /** condition: older than ? seconds */
  isOlder(column: string): string;
  /** s since 1970, 0 = not known; for the eye, since a DST night has one hour twice */
  epoch(column: string): string;
  /** s since 1970 of the next look at a row that is due at `column`: never past while it is not due */
  nextLook(column: string): string;
}

/** h that clocks are set back at most, anywhere; bounds what is read beyond now, so that the key still serves */
const mostBackH = 2;
// of a time that a named zone has twice the server answers the first
const byFirstHour = (column: string, fresh: string): string =>
  `${column} > NOW() AND ${column} <= NOW() + INTERVAL ${mostBackH} HOUR AND ${fresh} AND UNIX_TIMESTAMP(${column}) <= UNIX_TIMESTAMP()`;

const mysqlClock: WallClock = {
  now: 'NOW()',
  isDue: (column, fresh) =>
    `(${column} IS NULL OR (${column} <= NOW() + INTERVAL ${mostBackH} HOUR AND (${column} <= NOW() OR (${byFirstHour(column, fresh)}))))`,
  isDueByFirstHour: byFirstHour,
  // In the night that skips an hour the first is up to an hour short, in the night that repeats one the second is: a retry
  // or a lease may come late by that hour, never early.
  after: 'GREATEST(NOW() + INTERVAL ? SECOND, FROM_UNIXTIME(UNIX_TIMESTAMP() + ?))',
  afterValues: (seconds) => [whole(seconds), whole(seconds)],
  at: 'COALESCE(FROM_UNIXTIME(?), NOW())',
  // older servers answer NULL beyond 2038
  atValues: (seconds) => [seconds === null ? null : Math.min(seconds, 2_147_483_647)],
  isOlder: (column) => `${column} < NOW() - INTERVAL ? SECOND`,
  epoch: (column) => `CAST(COALESCE(UNIX_TIMESTAMP(${column}), 0) AS SIGNED)`,
  nextLook: (column) => {
    const stamp = `UNIX_TIMESTAMP(${column})`;
    const byWall = `UNIX_TIMESTAMP() + TIMESTAMPDIFF(SECOND, NOW(), ${column})`;
    return `CAST(CASE WHEN ${column} IS NULL THEN UNIX_TIMESTAMP()
      WHEN ${column} <= NOW() THEN LEAST(${stamp}, UNIX_TIMESTAMP())
      WHEN ${stamp} > UNIX_TIMESTAMP() THEN LEAST(${stamp}, ${byWall}) ELSE ${byWall} END AS SIGNED)`;
  },
};

const sqliteClock: WallClock = {
  now: "datetime('now')",
  isDue: (column) => `COALESCE(datetime(${column}) <= datetime('now'), 1)`,
  isDueByFirstHour: () => '1 = 0', // UTC has no such night
  after: "datetime('now', '+' || ? || ' seconds')",
  afterValues: (seconds) => [whole(seconds)],
  at: "COALESCE(datetime(?, 'unixepoch'), datetime('now'))",
  atValues: (seconds) => [seconds],
  isOlder: (column) => `datetime(${column}) < datetime('now', '-' || ? || ' seconds')`,
  epoch: (column) => `COALESCE(CAST(strftime('%s', ${column}) AS INTEGER), 0)`,
  nextLook: (column) => `COALESCE(CAST(strftime('%s', ${column}) AS INTEGER), unixepoch())`,
};

export const clockOf = (dialect: Queryable['dialect']): WallClock =>
  dialect === 'mysql' ? mysqlClock : sqliteClock;

const whole = (seconds: number): number => Math.max(0, Math.ceil(seconds));

/** When to look again, s since 1970, for the waiting rows of one table: no row where none waits. */
export function nextLookSql(
  clock: WallClock,
  { table, waiting, due, fresh }: Record<'table' | 'waiting' | 'due' | 'fresh', string>,
): string {
  const dueAlready = `EXISTS (SELECT 1 FROM ${table} WHERE ${waiting} AND ${clock.isDueByFirstHour(due, fresh)})`;
  return `SELECT CASE WHEN ${dueAlready} THEN 0 ELSE ${clock.nextLook(due)} END AS at FROM ${table}
    WHERE ${waiting} ORDER BY ${due} LIMIT 1`;
}
