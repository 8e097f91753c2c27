/** The waiting rows that a claim looks at, in their order and locked, with no more payloads than fit into the memory. */
import type { RowId } from '../contract/rows.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import { bringDue, refusalIn } from './shop-rows.ts';

/** Bytes of a payload that are read at all: what is longer could end the process, and is no mail. */
const mostPayloadBytes = 100 * 1024 * 1024;

/** Bytes of payloads that one claim reads at most, save that one row always comes: a stock of large mails must not fill the memory. */
const mostBytesAtOnce = 8 * 1024 * 1024;

const candidateColumns =
  'id, LENGTH(payload) AS payload_bytes, attachment_dir, delivered_to, context, recipient, subject, attempts, reclaims, message_id, last_error, created_at';
const payloadColumn = `CASE WHEN LENGTH(payload) > ${mostPayloadBytes} THEN '' ELSE payload END AS payload`;

export function unreadable(row: Record<string, SqlValue>): { reason: string } | null {
  const refused = refusalIn(String(row['payload'] ?? ''));
  if (refused !== null) return { reason: refused };
  const bytes = Number(row['payload_bytes'] ?? 0);
  if (bytes <= mostPayloadBytes) return null;
  return { reason: `payload too large: ${Math.ceil(bytes / 1024 / 1024)} MB` };
}

export async function candidates(
  place: Place,
  tx: Queryable,
  nowS: number,
  limit: number,
  seen: readonly RowId[],
): Promise<{ rows: Record<string, SqlValue>[]; more: boolean }> {
  const only = place.shop ? await bringDue(place, tx, { nowS, limit, seen: seen.map(String) }) : null;
  if (only?.length === 0) return { rows: [], more: false };
  const which = only ?? seen;
  const named = which.length ? ` AND id ${only ? '' : 'NOT '}IN (${marks(which.length)})` : '';
  const rows = await tx.query(candidatesSql(place, limit, named), [nowS, nowS, ...which]);
  const fit = limit > 1 ? await withPayloads(place, tx, rows) : rows;
  return { rows: fit, more: rows.length > 0 && fit.length === rows.length };
}

/** The claim's look; its placeholders are now (s), twice, and what `named` has. */
function candidatesSql(place: Place, limit: number, named: string): string {
  // With a key that serves the ORDER BY a claim takes 2 ms at 50,000 rows of 8 KB; with a sort 4.4 s (FINDINGS 10).
  const hint = place.db.dialect === 'mysql' && place.claimKey ? ` FORCE INDEX (\`${place.claimKey}\`)` : '';
  const skip = place.skipLocked && place.d.forUpdate ? ' SKIP LOCKED' : '';
  const columns = limit > 1 ? candidateColumns : `${candidateColumns}, ${payloadColumn}`;
  return `SELECT ${columns} FROM ${place.t.queue}${hint}
     WHERE state = 'pending' AND scheduled_at <= ? AND (held_until IS NULL OR held_until <= ?)${named}
     ORDER BY priority, scheduled_at, id LIMIT ${Math.trunc(limit)}${place.d.forUpdate}${skip}`;
}

/** The key by which the server would really make the claim, and whether it would sort; null key = none. Nothing is locked. */
export async function explainClaim(place: Place): Promise<{ key: string | null; sorts: boolean }> {
  const [plan] = await place.db.query(`EXPLAIN ${candidatesSql(place, 1, '')}`, [0, 0]);
  const key = plan?.['key'];
  return {
    key: key == null ? null : String(key),
    sorts: /filesort/i.test(String(plan?.['Extra'] ?? '')),
  };
}

/** The first of `rows` whose payloads fit into the memory together, with them. */
async function withPayloads(
  place: Place,
  tx: Queryable,
  rows: Record<string, SqlValue>[],
): Promise<Record<string, SqlValue>[]> {
  let bytes = 0;
  const fit = rows.filter((row, index) => {
    bytes += Number(row['payload_bytes'] ?? 0);
    return index === 0 || bytes <= mostBytesAtOnce;
  });
  if (fit.length === 0) return fit;
  const found = await tx.query<{ id: RowId; payload: SqlValue }>(
    `SELECT id, ${payloadColumn} FROM ${place.t.queue} WHERE id IN (${marks(fit.length)})`,
    fit.map((row) => row['id'] as RowId),
  );
  const payloads = new Map(found.map((row) => [String(row.id), row.payload]));
  return fit.map((row) => ({ ...row, payload: payloads.get(String(row['id'])) ?? '' }));
}
