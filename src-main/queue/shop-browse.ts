/** Counts, pages and single rows of a shop's own table, with what our cards add. Nothing here writes. */
import type { QueueRow, RowCounts, RowFilter, RowId, RowPage, RowState } from '../contract/rows.ts';
import { rowStates } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { likeAnywhere } from './log.ts';
import type { Place } from './place.ts';
import {
  elsewhere,
  readRows,
  refusalIn,
  type ShopRow,
  type ShopRows,
  sourcesOf,
  toShopRow,
} from './shop-rows.ts';

/** All of a source's columns but the payload, which no list shows and every sort would carry along (FINDINGS 10). */
const listed = 'id, state, recipient, subject, attempts, scheduled_at, created_at, last_error';

/** What a card adds to a row. */
type Card = Record<string, SqlValue>;

export async function countShopRows(place: Place): Promise<RowCounts> {
  const shop = place.shop as ShopRows;
  const counts: RowCounts = { pending: 0, sending: 0, sent: 0, failed: 0, in_doubt: 0 };
  for (const state of rowStates)
    for (const { source, where } of sourcesOf(shop.table, state)) {
      const rows = await shop.db.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (${source.select} WHERE ${where}) v`,
      );
      counts[state] += Number(rows[0]?.n ?? 0);
    }
  const [doubts] = await place.db.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE in_doubt = 1`,
  );
  counts.in_doubt = Number(doubts?.n ?? 0);
  return counts;
}

export async function listShopRows(
  place: Place,
  page: RowPage,
): Promise<{ rows: QueueRow[]; total: number }> {
  const shop = place.shop as ShopRows;
  const { sql, values } = await selection(place, page.filter);
  if (sql === null) return { rows: [], total: 0 };
  const [count] = await shop.db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM (${sql}) v`, values);
  // what waits is shown in the order in which it leaves, all else newest first
  const order = page.filter.state === 'pending' ? 'scheduled_at, id' : 'id DESC';
  const rows = await shop.db.query(
    `SELECT ${listed} FROM (${sql}) v ORDER BY ${order} LIMIT ${Math.trunc(page.limit)} OFFSET ${Math.trunc(page.offset)}`,
    values,
  );
  const found = rows.map(toShopRow);
  const cards = await readCards(
    place,
    found.map((row) => row.id),
  );
  return { rows: withCards(found, cards), total: Number(count?.n ?? 0) };
}

export async function selectShopIds(place: Place, filter: RowFilter): Promise<string[]> {
  const shop = place.shop as ShopRows;
  const { sql, values } = await selection(place, filter);
  if (sql === null) return [];
  const rows = await shop.db.query(`SELECT id FROM (${sql}) v ORDER BY id`, values);
  return rows.map((row) => String(row['id']));
}

/** Waiting rows in their order, for the forecast. */
export async function waitingShopRows(
  place: Place,
  limit: number,
): Promise<{ id: RowId; priority: number; scheduledAt: number; heldUntil: number | null }[]> {
  const { rows } = await listShopRows(place, { filter: { state: 'pending' }, limit, offset: 0 });
  return rows.map((row) => ({
    id: row.id,
    priority: row.priority,
    scheduledAt: row.scheduled_at,
    heldUntil: row.held_until,
  }));
}

/** One row and its card, null where neither is there. */
export async function readShopRow(
  place: Place,
  id: string,
): Promise<{ row: QueueRow; payload: string; card: Card | null } | null> {
  const shop = place.shop as ShopRows;
  const [found] = await readRows(shop, shop.db, [id]);
  const cards = await readCards(place, [id]);
  const card = cards.get(id) ?? null;
  const shown = found ?? (card ? toShopRow(card) : null);
  if (!shown) return null;
  const [row] = withCards([shown], cards);
  // what cannot be read is shown as the shop wrote it
  return row ? { row, payload: refusalIn(shown.payload) ?? shown.payload, card } : null;
}

async function selection(
  place: Place,
  filter: RowFilter,
): Promise<{ sql: string | null; values: SqlValue[] }> {
  const shop = place.shop as ShopRows;
  // the shop's rows know no mail types
  if (filter.context) return { sql: null, values: [] };
  const doubts = filter.in_doubt === undefined ? null : await doubtfulIds(place);
  if (filter.in_doubt === true && doubts?.length === 0) return { sql: null, values: [] };
  const values: SqlValue[] = [];
  const parts = sourcesOf(shop.table, filter.state).map(({ source, where }) => {
    let condition = where;
    if (doubts && doubts.length > 0) {
      condition += ` AND ${source.id} ${filter.in_doubt ? '' : 'NOT '}IN (${marks(doubts.length)})`;
      values.push(...doubts);
    }
    return `${source.select} WHERE ${condition}`;
  });
  if (parts.length === 0) return { sql: null, values: [] };
  const all = parts.join(' UNION ALL ');
  if (!filter.search) return { sql: all, values };
  const pattern = likeAnywhere(filter.search);
  return {
    sql: `SELECT * FROM (${all}) w WHERE (recipient LIKE ? ESCAPE '!' OR subject LIKE ? ESCAPE '!')`,
    values: [...values, pattern, pattern],
  };
}

async function doubtfulIds(place: Place): Promise<string[]> {
  const rows = await place.db.query<{ id: string }>(
    `SELECT id FROM ${place.t.queue} WHERE in_doubt = 1 ORDER BY id LIMIT 10000`,
  );
  return rows.map((row) => row.id);
}

async function readCards(place: Place, ids: readonly string[]): Promise<Map<string, Card>> {
  if (ids.length === 0) return new Map();
  const cards = await place.db.query(
    `SELECT * FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`,
    ids,
  );
  return new Map(cards.map((card) => [String(card['id']), card]));
}

function withCards(rows: readonly ShopRow[], cards: ReadonlyMap<string, Card>): QueueRow[] {
  return rows.map((row) => {
    const card = cards.get(row.id);
    const orNull = (name: string) => (card?.[name] == null ? null : Number(card[name]));
    const doubt = Number(card?.['in_doubt'] ?? 0) === 1;
    // a row that another worker never let go of is shown as what we know of it
    const state: RowState = doubt && row.state === 'sending' ? 'failed' : row.state;
    return {
      id: row.id,
      state,
      in_doubt: doubt,
      context: '',
      title: '',
      order_id: 0,
      recipient: row.recipient,
      subject: row.subject,
      priority: 10,
      attempts: row.attempts,
      reclaims: Number(card?.['reclaims'] ?? 0),
      last_error: row.lastError ?? (card?.['last_error'] == null ? null : String(card['last_error'])),
      created_at: row.createdAt,
      scheduled_at: row.scheduledAt,
      claimed_at:
        card?.['state'] === 'sending' || card?.['state'] === elsewhere ? orNull('claimed_at') : null,
      sent_at: orNull('sent_at'),
      held_until: orNull('held_until'),
      planned_at: null,
    };
  });
}
