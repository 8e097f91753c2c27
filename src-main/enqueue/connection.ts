/**
 * The caller's connection, whatever driver it is of. Nothing here opens, commits or rolls back: whether the mail exists is
 * the caller's transaction's word.
 */
import { refuse } from './check.ts';
import type { RowId } from './types.ts';

type Values = readonly (string | number)[];
/** Runs one statement; answers what the driver has for its result. */
export type Run = (sql: string, values: Values) => Promise<unknown>;
type DriverCall = (sql: string, values: Values, done: (error: unknown, result?: unknown) => void) => unknown;

/** @throws TypeError for what is no single connection */
export function runnerOf(connection: unknown): Run {
  const given = Object(connection) as Record<string, unknown>;
  // a pool would write the mail through any of its connections, outside of the caller's transaction
  if (typeof given['getConnection'] === 'function')
    throw new TypeError(
      'Expected the connection that holds the transaction, got a pool (use getConnection())',
    );
  // mysql2 with callbacks has its promises behind this door
  const promising = typeof given['promise'] === 'function' ? given['promise'].call(connection) : connection;
  const { execute, query } = Object(promising) as Record<string, unknown>;
  // execute first: values that travel apart from the text are safe under every sql_mode, NO_BACKSLASH_ESCAPES included
  const call = typeof execute === 'function' ? execute : query;
  if (typeof call !== 'function')
    return refuse('a connection with execute(sql, values) or query(sql, values)', connection);
  return async (sql, values) =>
    resultOf(await called((...given) => (call as DriverCall).apply(promising, given), sql, values));
}

/** Whether it promises or calls back cannot be seen beforehand: both are offered, the first answer counts. */
function called(call: DriverCall, sql: string, values: Values): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const promised = call(sql, [...values], (error, result) => (error ? reject(error) : resolve(result)));
    if (typeof (promised as PromiseLike<unknown> | undefined)?.then === 'function')
      (promised as PromiseLike<unknown>).then(resolve, reject);
  });
}

/** mysql2 promises `[result, fields]`, others the result; a result is rows or an object with `insertId`. */
function resultOf(answer: unknown): unknown {
  return Array.isArray(answer) && answer.length === 2 && (answer[1] === undefined || Array.isArray(answer[1]))
    ? answer[0]
    : answer;
}

/** Warnings that mean: what stands in the table is not what was written. Only servers that are not strict have them. */
const bent = new Set([1264, 1265, 1366, 1406]);

/**
 * Inserts one row; answers its id.
 * @throws Error when the database bent a value to make it fit; what the driver throws
 */
export async function insert(run: Run, sql: string, values: Values): Promise<RowId> {
  const result = Object(await run(sql, values)) as Record<string, unknown>;
  // mysql2 and mariadb call it warningStatus, mysql warningCount
  if (Number(result['warningStatus'] ?? result['warningCount'] ?? 0) > 0) await refuseBent(run);
  const id = String(result['insertId'] ?? '');
  if (!/^\d+$/.test(id)) throw new Error('The driver told no insertId of the row that it wrote');
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

async function refuseBent(run: Run): Promise<void> {
  const rows = await run('SHOW WARNINGS', []);
  for (const row of Array.isArray(rows) ? rows : []) {
    const { Code, Message } = Object(row) as { Code?: unknown; Message?: unknown };
    if (bent.has(Number(Code)))
      throw new Error(`The database would not store the mail as it is (${String(Message)}): roll back`);
  }
}
