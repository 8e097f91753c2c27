/** Reading for people: counts, pages, one row with its history. Nothing here writes. */
import { heldForGood } from '../contract/orders.ts';
import type {
  Attempt,
  FilterCounts,
  MailKind,
  QueueRow,
  RowCounts,
  RowDetail,
  RowFilter,
  RowId,
  RowPage,
  RowState,
} from '../contract/rows.ts';
import { apartFromTabs, rowStates } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { filterSql, orderSql, sortOf } from './filter.ts';
import type { Place } from './place.ts';
import { readAddressList } from './remember.ts';
import {
  countFilteredShopRows,
  countShopRows,
  listShopRows,
  readShopRow,
  shopRowsNamed,
  waitingShopRows,
} from './shop-browse.ts';

const rowColumns =
  'id state in_doubt context title order_id recipient subject priority attempts reclaims last_error created_at scheduled_at claimed_at sent_at held_until'.split(
    ' ',
  );
const named = (of: string) => rowColumns.map((column) => of + column).join(', ');

const noCounts: RowCounts = { pending: 0, sending: 0, sent: 0, failed: 0, in_doubt: 0 };

/**
 * Rows by state. Two statements that the key of the states answers: one that looked at `in_doubt` of every row would read
 * the whole table, a second apart.
 */
export async function countRows(place: Place): Promise<RowCounts> {
  if (place.shop) return countShopRows(place);
  return sumUp(await countByState(place));
}

const countByState = (place: Place) =>
  place.db.query<{ state: string; n: number; doubtful: number }>(
    `SELECT state, COUNT(*) AS n, 0 AS doubtful FROM ${place.t.queue} GROUP BY state
     UNION ALL SELECT 'failed', 0, COUNT(*) FROM ${place.t.queue} WHERE state = 'failed' AND in_doubt = 1`,
  );

function sumUp(rows: readonly { state: string; n: number; doubtful: number }[]): RowCounts {
  const counts = { ...noCounts };
  for (const row of rows) {
    const state = rowStates.find((known) => known === row.state);
    if (state) counts[state] += Number(row.n);
    counts.in_doubt += Number(row.doubtful);
  }
  return counts;
}

/** Rows by state, doubt and hold among those that a filter finds, whatever it says of these three. One pass. */
export async function countFiltered(place: Place, filter: RowFilter): Promise<FilterCounts> {
  const rest = apartFromTabs(filter);
  if (place.shop) return countFilteredShopRows(place, rest);
  const { where, values } = filterSql(rest, place.d);
  if (where === '') {
    const [held] = await place.db.query<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE state = 'pending' AND held_until > ${place.d.nowS}`,
    );
    const rows = await countByState(place);
    const all = rows.reduce((sum, { n }) => sum + Number(n), 0);
    return { ...sumUp(rows), held: Number(held?.n ?? 0), all };
  }
  const sum = (name: string, condition: string) => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS ${name}`;
  // sums and no GROUP BY: grouping by state goes through the key of the states and fetches each row by itself, 134 ms
  // against 35 over 50,000 rows of 30 KB, 1,546 against 555 where they are of 3 KB and do not fit into the server's memory
  const [found] = await place.db.query<Record<string, SqlValue>>(
    `SELECT ${rowStates.map((state) => sum(state, `state = '${state}'`)).join(', ')}, ${sum('in_doubt', "state = 'failed' AND in_doubt = 1")},
       ${sum('held', `state = 'pending' AND held_until > ${place.d.nowS}`)}, COUNT(*) AS everything
     FROM ${place.t.queue} ${where}`,
    values,
  );
  const counted = (name: string) => Number(found?.[name] ?? 0);
  return {
    pending: counted('pending'),
    sending: counted('sending'),
    sent: counted('sent'),
    failed: counted('failed'),
    in_doubt: counted('in_doubt'),
    held: counted('held'),
    all: counted('everything'),
  };
}

/**
 * How many rows a filter finds, out of the counts under its other conditions; null for a combination that no tab shows, which is
 * to be counted by itself.
 */
export function totalIn(counts: FilterCounts, { state, in_doubt: doubt, held }: RowFilter): number | null {
  if (held !== undefined)
    return held && doubt === undefined && state !== 'sent' && state !== 'failed' && state !== 'sending'
      ? counts.held
      : null;
  if (doubt !== undefined && state !== 'failed') return null;
  if (doubt !== undefined) return doubt ? counts.in_doubt : counts.failed - counts.in_doubt;
  return state ? counts[state] : counts.all;
}

/** Mail types that rows have, for a filter to choose from. */
export async function mailKinds(place: Place): Promise<MailKind[]> {
  if (place.shop) return [];
  const rows = await place.db.query(
    `SELECT context, MAX(title) AS title FROM ${place.t.queue} GROUP BY context ORDER BY context LIMIT 200`,
  );
  return rows
    .map((row) => ({ context: String(row['context']), title: String(row['title'] ?? '') }))
    .filter((kind) => kind.context !== '');
}

/**
 * One page. `total` counts all that match.
 * @param counting the counts of the filter, where somebody asks for them at this moment anyway: a walk over the table less
 */
export async function listRows(
  place: Place,
  page: RowPage,
  counting?: () => Promise<FilterCounts>,
): Promise<{ rows: QueueRow[]; total: number }> {
  if (place.shop) return listShopRows(place, page);
  const [rows, total] = await Promise.all([pageOf(place, page), totalOf(place, page.filter, counting)]);
  return { rows, total };
}

async function totalOf(
  place: Place,
  filter: RowFilter,
  counting: (() => Promise<FilterCounts>) | undefined,
): Promise<number> {
  const known = counting && totalIn(await counting(), filter);
  if (typeof known === 'number') return known;
  const { where, values } = filterSql(filter, place.d);
  const [count] = await place.db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${place.t.queue} ${where}`,
    values,
  );
  return Number(count?.n ?? 0);
}

async function pageOf(place: Place, page: RowPage): Promise<QueueRow[]> {
  const { where, values } = filterSql(page.filter, place.d);
  const sort = sortOf(page.filter, page.sort);
  // A page far down by id alone: walking the primary key there would read the payloads of all rows before it.
  const far = place.db.dialect === 'mysql' && sort.by === 'id' && page.offset > 1000;
  const hint = far ? ' IGNORE INDEX FOR ORDER BY (PRIMARY)' : '';
  // ids first: a sort that carries all columns along is what takes seconds (FINDINGS 10)
  const rows = await place.db.query(
    `SELECT ${named('q.')} FROM ${place.t.queue} q JOIN
       (SELECT id FROM ${place.t.queue}${hint} ${where} ORDER BY ${orderSql(sort)}
        LIMIT ${Math.trunc(page.limit)} OFFSET ${Math.trunc(page.offset)}) page ON page.id = q.id
     ORDER BY ${orderSql(sort, 'q.')}`,
    values,
  );
  return rows.map(toQueueRow);
}

/** These rows as they stand now, in no order; those that are gone are missing. */
export async function rowsNamed(place: Place, ids: readonly RowId[]): Promise<QueueRow[]> {
  if (ids.length === 0) return [];
  if (place.shop) return shopRowsNamed(place, ids.map(String));
  const rows = await place.db.query(
    `SELECT ${named('')} FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`,
    ids,
  );
  return rows.map(toQueueRow);
}

const orNull = (value: SqlValue | undefined): number | null => (value == null ? null : Number(value));

export function toQueueRow(row: Record<string, SqlValue>): QueueRow {
  const text = (name: string) => String(row[name] ?? '');
  return {
    id: row['id'] as RowId,
    state: (rowStates as readonly string[]).includes(text('state')) ? (text('state') as RowState) : 'failed',
    in_doubt: Number(row['in_doubt'] ?? 0) === 1,
    context: text('context'),
    title: text('title'),
    order_id: (row['order_id'] ?? 0) as RowId,
    recipient: text('recipient'),
    subject: text('subject'),
    priority: Number(row['priority'] ?? 10),
    attempts: Number(row['attempts'] ?? 0),
    reclaims: Number(row['reclaims'] ?? 0),
    last_error: row['last_error'] == null ? null : text('last_error'),
    created_at: Number(row['created_at'] ?? 0),
    scheduled_at: Number(row['scheduled_at'] ?? 0),
    claimed_at: orNull(row['claimed_at']),
    sent_at: orNull(row['sent_at']),
    held_until: orNull(row['held_until']),
    planned_at: null,
  };
}

/** One row with everything, null where it is gone. */
export async function showRow(place: Place, id: RowId): Promise<RowDetail | null> {
  const known = place.shop ? await readShopRow(place, String(id)) : await readRow(place, id);
  if (!known) return null;
  const { row, payload, card } = known;
  const history = await place.db.query(
    `SELECT id, console_id, started_ms, body_ms, finished_ms, recipients, outcome, smtp_code, enhanced_code, response, server_id
     FROM ${place.t.attempts} WHERE queue_id = ? ORDER BY id DESC LIMIT 100`,
    [id],
  );
  return {
    ...row,
    message_id: card?.['message_id'] == null ? null : String(card['message_id']),
    attachment_dir: card?.['attachment_dir'] == null ? null : String(card['attachment_dir']),
    delivered_to: readAddressList(card?.['delivered_to']),
    payload: decode(payload),
    history: history.map((line) => line as unknown as Attempt),
  };
}

async function readRow(place: Place, id: RowId) {
  const [row] = await place.db.query(
    `SELECT ${named('')}, payload, attachment_dir, message_id, delivered_to FROM ${place.t.queue} WHERE id = ?`,
    [id],
  );
  return row ? { row: toQueueRow(row), payload: String(row['payload'] ?? ''), card: row } : null;
}

function decode(payload: string): RowDetail['payload'] {
  try {
    return { ok: true, value: JSON.parse(payload) as unknown };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Waiting rows in their order, for the forecast: at most `limit`. What is held without an end never leaves. Times in s. */
export async function waitingRows(
  place: Place,
  limit: number,
): Promise<{ id: RowId; priority: number; scheduledAt: number; heldUntil: number | null }[]> {
  if (place.shop) return waitingShopRows(place, limit);
  const rows = await place.db.query(
    `SELECT id, priority, scheduled_at, held_until FROM ${place.t.queue} WHERE state = 'pending'
       AND (held_until IS NULL OR held_until < ${heldForGood})
     ORDER BY priority, scheduled_at, id LIMIT ${Math.trunc(limit)}`,
  );
  return rows.map((row) => ({
    id: row['id'] as RowId,
    priority: Number(row['priority']),
    scheduledAt: Number(row['scheduled_at']),
    heldUntil: orNull(row['held_until']),
  }));
}

/** Ledger lines that matter for the next windows, newest `reachMs`. */
export async function recentLines(
  place: Place,
  nowMs: number,
  reachMs: number,
): Promise<{ startedMs: number; bodyMs: number | null; finishedMs: number | null; recipients: number }[]> {
  const columns = 'started_ms, body_ms, finished_ms, recipients';
  const rows = await place.db.query(
    `SELECT ${columns} FROM ${place.t.attempts} WHERE recipients > 0 AND finished_ms > ?
     UNION ALL SELECT ${columns} FROM ${place.t.attempts} WHERE recipients > 0 AND finished_ms IS NULL`,
    [nowMs - reachMs],
  );
  return rows.map((row) => ({
    startedMs: Number(row['started_ms']),
    bodyMs: orNull(row['body_ms']),
    finishedMs: orNull(row['finished_ms']),
    recipients: Number(row['recipients']),
  }));
}

/**
 * The books of a drain by the ledger alone: most conversations that were finished in any `windowMs`, and Message-IDs
 * that a server accepted more than once (must be none).
 */
export async function auditLedger(
  place: Place,
  sinceMs: number,
  windowMs: number,
): Promise<{ mostInWindow: number; duplicates: number; deferred: number }> {
  const lines = await place.db.query<{ at: number; outcome: string | null; message_id: string | null }>(
    `SELECT finished_ms AS at, outcome, message_id FROM ${place.t.attempts}
     WHERE finished_ms >= ? AND recipients > 0 ORDER BY finished_ms`,
    [sinceMs],
  );
  let most = 0;
  let from = 0;
  const taken = new Map<string, number>();
  let deferred = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (!line) continue;
    while (Number(lines[from]?.at) <= Number(line.at) - windowMs) from += 1;
    most = Math.max(most, at - from + 1);
    if (line.outcome === 'deferred') deferred += 1;
    if (line.outcome === 'sent' && line.message_id)
      taken.set(line.message_id, (taken.get(line.message_id) ?? 0) + 1);
  }
  return {
    mostInWindow: most,
    duplicates: [...taken.values()].filter((times) => times > 1).length,
    deferred,
  };
}

/** s that the row which waited longest had waited when it was sent, among those sent since. */
export async function longestWait(place: Place, sinceS: number): Promise<number> {
  const rows = await place.db.query<{ wait: SqlValue }>(
    `SELECT MAX(sent_at - created_at) AS wait FROM ${place.t.queue} WHERE state = 'sent' AND sent_at >= ? AND created_at > 0`,
    [sinceS],
  );
  return Math.max(0, Number(rows[0]?.wait ?? 0));
}
