/**
 * Books that lay with the console move into the shop's database, once, before anything uses them there: without them a
 * mail in doubt would look like a failed one, and the minute's cap would begin anew.
 */
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import { definitionsOf, type TableName } from './tables.ts';

const batch = 200;
/** What counts, what is known, what was set. The log stays behind: it is the console's own story. */
const carried: readonly TableName[] = ['settings', 'pace', 'queue', 'attempts'];

/** Copies what `to` does not have. Safe to repeat until the old books are put away. */
export async function carryBooks(from: Place, to: Place): Promise<void> {
  for (const name of carried) {
    const definition = definitionsOf(to.books).find((one) => one.name === name);
    if (!definition) continue;
    const columns = definition.columns.map((column) => column.name);
    // ledger lines are numbered by their table; one that is there already is known by its claim
    const written = definition.primary.auto ? columns.filter((column) => column !== 'id') : columns;
    const rows = await from.db.query(`SELECT ${columns.join(', ')} FROM ${from.t[name]} ORDER BY 1`);
    for (let at = 0; at < rows.length; at += batch) {
      const part = rows.slice(at, at + batch);
      await to.db.transaction(async (tx) => {
        const known = name === 'attempts' ? await knownClaims(to, part) : new Set<string>();
        for (const row of part) {
          if (known.has(String(row['claim_id']))) continue;
          await tx.run(
            `${to.d.insertIgnore} ${to.t[name]} (${written.join(', ')}) VALUES (${marks(written.length)})`,
            written.map((column) => row[column] ?? null),
          );
          if (name === 'pace') await raisePace(to, tx, row);
        }
      });
    }
  }
}

async function knownClaims(to: Place, rows: readonly Record<string, SqlValue>[]): Promise<Set<string>> {
  const found = await to.db.query<{ claim_id: string }>(
    `SELECT claim_id FROM ${to.t.attempts} WHERE claim_id IN (${marks(rows.length)})`,
    rows.map((row) => String(row['claim_id'])),
  );
  return new Set(found.map((row) => row.claim_id));
}

/** The pace row is there from the installation on: the later start and the longer pause win. */
async function raisePace(to: Place, tx: Queryable, row: Record<string, SqlValue>): Promise<void> {
  const [last, learned, until, reason] = [
    'last_start_ms',
    'learned_interval_ms',
    'paused_until',
    'pause_reason',
  ].map((column) => row[column] ?? null) as [SqlValue, SqlValue, SqlValue, SqlValue];
  await tx.run(
    `UPDATE ${to.t.pace} SET last_start_ms = CASE WHEN last_start_ms < ? THEN ? ELSE last_start_ms END,
       learned_interval_ms = COALESCE(learned_interval_ms, ?), pause_reason = CASE WHEN paused_until IS NULL THEN ? ELSE pause_reason END,
       paused_until = COALESCE(paused_until, ?)
     WHERE id = 1`,
    [last, last, learned, reason, until],
  );
}
