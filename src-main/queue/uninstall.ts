/** What the queue's tables hold before they go, and their going: only when an operator asks for it by name. */
import type { ConnectorTable, ConnectorTables } from '../contract/connector.ts';
import { PostroomError } from '../contract/errors.ts';
import { identifier } from '../contract/profile.ts';
import type { Database } from '../shop/database.ts';
import { bareName, tableNames, tablesFor } from './tables.ts';

/** Those of the six tables that are there, with their rows. @throws PostroomError `unreachable` | `login` | `rights` */
export async function countTables(db: Database, prefix: string): Promise<ConnectorTables> {
  const t = tablesFor(prefix);
  const tables: ConnectorTable[] = [];
  for (const name of tableNames) {
    const bare = bareName(prefix, name);
    const there = await db.query(
      'SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
      [bare],
    );
    if (there.length === 0) continue;
    const [row] = await db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${t[name]}`);
    tables.push({ name: bare, rows: Number(row?.n ?? 0) });
  }
  if (!tables.some(({ name }) => name === bareName(prefix, 'queue'))) return { tables, waiting: 0 };
  const [row] = await db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${t.queue} WHERE state IN ('pending', 'sending')`,
  );
  return { tables, waiting: Number(row?.n ?? 0) };
}

/** @throws PostroomError `refused`, saying how many mails would never leave */
export function refuseWaiting({ waiting }: ConnectorTables, withWaiting: boolean): void {
  if (waiting === 0 || withWaiting) return;
  throw new PostroomError(
    'refused',
    `${waiting} ${waiting === 1 ? 'mail waits' : 'mails wait'} in the queue and would never leave. Disable the queue and let it drain first, or say that they may be lost.`,
  );
}

/**
 * Drops the tables in one statement, and forgets that the connector has ever made them: with its option left behind, it would
 * not make them anew. WordPress's option of cron events stays: it is PHP's own format, and the event ends by itself.
 * Mail that came since it was counted keeps its table.
 * @throws PostroomError `refused` | `rights` (DROP is more than running needs)
 */
export async function dropTables(
  db: Database,
  prefix: string,
  withWaiting: boolean,
): Promise<{ dropped: ConnectorTable[]; optionsGone: boolean }> {
  const found = await countTables(db, prefix);
  refuseWaiting(found, withWaiting);
  if (found.tables.length > 0)
    await db.run(`DROP TABLE IF EXISTS ${found.tables.map(({ name }) => `\`${name}\``).join(', ')}`);
  const options = ['studiou_wcmq_db_version', 'postroom_connector_minute'].flatMap((name) => [
    name,
    `_transient_${name}`,
    `_transient_timeout_${name}`,
  ]);
  const table = `\`${identifier.parse(prefix)}options\``;
  const optionsGone = await db
    .run(`DELETE FROM ${table} WHERE option_name IN (${options.map(() => '?').join(', ')})`, options)
    .then(
      () => true,
      // the tables are gone: that is what has to be told
      () => false,
    );
  return { dropped: found.tables, optionsGone };
}
