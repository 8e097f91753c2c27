/** The log table. Writers redact: no mail address, password or key ever stands in a log line (promise 12). */
import type { LogQuery } from '../contract/desk.ts';
import { redact } from '../contract/redact.ts';
import type { LogLevel, LogLine, RowId } from '../contract/rows.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import type { Place } from './place.ts';

export interface NewLogLine {
  level: LogLevel;
  queueId: RowId | null;
  message: string;
}

/** TEXT holds 65,535 bytes; 4,000 characters of up to 4 bytes stay far below. */
const longestMessage = 4000;
/** Cut before redacting, since hostile texts can be megabytes, but not so close that half an address is left over. */
const longestAddress = 1000;

export async function writeLog(
  place: Place,
  lines: readonly NewLogLine[],
  on: Queryable = place.db,
): Promise<void> {
  if (lines.length === 0) return;
  const values: SqlValue[] = [];
  for (const line of lines)
    values.push(
      line.level,
      line.queueId,
      place.spell(redact(line.message.slice(0, longestMessage + longestAddress)).slice(0, longestMessage)),
    );
  const tuples = lines.map(() => `(?, ?, ?, ${place.d.nowS})`).join(', ');
  await on.run(`INSERT INTO ${place.t.log} (level, queue_id, message, created_at) VALUES ${tuples}`, values);
}

/** A page of lines, the newest first. */
export async function readLog(place: Place, query: LogQuery): Promise<LogLine[]> {
  const { where, values } = conditions(query);
  return place.db.query<LogLine & Record<string, SqlValue>>(
    `SELECT id, level, queue_id, message, created_at FROM ${place.t.log}
     ${where} ORDER BY id DESC LIMIT ${Math.trunc(query.limit)}`,
    values,
  );
}

/** How many lines match, on all pages together. */
export async function countLog(place: Place, { before: _page, ...query }: LogQuery): Promise<number> {
  const { where, values } = conditions(query);
  const [found] = await place.db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${place.t.log} ${where}`,
    values,
  );
  return Number(found?.n ?? 0);
}

function conditions(query: LogQuery): { where: string; values: SqlValue[] } {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...more: SqlValue[]) => {
    where.push(condition);
    values.push(...more);
  };
  if (query.level) add('level = ?', query.level);
  if (query.queue_id !== undefined) add('queue_id = ?', query.queue_id);
  if (query.before !== undefined) add('id < ?', query.before);
  if (query.search) add("message LIKE ? ESCAPE '!'", likeAnywhere(query.search));
  return { where: where.length ? `WHERE ${where.join(' AND ')}` : '', values };
}

/** A LIKE pattern that finds the text itself anywhere: wildcards in it are escaped by `!`. */
export function likeAnywhere(text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`;
}
