/** Counts, pages and single rows of a shop's own table, with what our cards add. Nothing here writes. */
import { heldForGood } from '../contract/orders.ts';
import type {
  FilterCounts,
  QueueRow,
  RowCounts,
  RowFilter,
  RowId,
  RowPage,
  RowSort,
  RowState,
} from '../contract/rows.ts';
import { rowStates } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { orderSql, sortOf, textSql } from './filter.ts';
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
  const order = orderSql(shopSort(sortOf(page.filter, page.sort)));
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

/** Such a table has no priority, and when a mail was sent stands on our cards, if at all. */
function shopSort(sort: RowSort): RowSort {
  if (sort.by === 'departure') return { ...sort, by: 'scheduled_at' };
  return sort.by === 'priority' || sort.by === 'sent_at' ? { ...sort, by: 'id' } : sort;
}

/** Rows by state, doubt and hold among those that a filter finds. */
export async function countFilteredShopRows(place: Place, filter: RowFilter): Promise<FilterCounts> {
  const shop = place.shop as ShopRows;
  const counts: FilterCounts = { pending: 0, sending: 0, sent: 0, failed: 0, in_doubt: 0, held: 0, all: 0 };
  const { sql, values } = await selection(place, filter);
  if (sql !== null)
    for (const row of await shop.db.query(
      `SELECT state, COUNT(*) AS n FROM (${sql}) v GROUP BY state`,
      values,
    )) {
      const state = rowStates.find((known) => known === row['state']);
      if (state) counts[state] += Number(row['n']);
      counts.all += Number(row['n']);
    }
  const among = async (more: RowFilter) => {
    const part = await selection(place, { ...filter, ...more });
    if (part.sql === null) return 0;
    const [row] = await shop.db.query<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (${part.sql}) v`,
      part.values,
    );
    return Number(row?.n ?? 0);
  };
  counts.in_doubt = await among({ in_doubt: true });
  counts.held = await among({ held: true });
  return counts;
}

/** These rows as they stand now; those that are gone are missing. */
export async function shopRowsNamed(place: Place, ids: readonly string[]): Promise<QueueRow[]> {
  const shop = place.shop as ShopRows;
  return withCards(await readRows(shop, shop.db, ids), await readCards(place, ids));
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
  return rows
    .filter((row) => row.held_until !== heldForGood)
    .map((row) => ({
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

/** A filter as a SELECT over the shop's tables; null where it can find nothing. */
export async function selection(
  place: Place,
  filter: RowFilter,
): Promise<{ sql: string | null; values: SqlValue[] }> {
  const shop = place.shop as ShopRows;
  const nothing = { sql: null, values: [] };
  // the shop's rows know no mail types and no orders, and not when they were sent
  if (filter.context || filter.order_id !== undefined) return nothing;
  if (filter.sent_from !== undefined || filter.sent_to !== undefined) return nothing;
  const among: { ids: string[]; in: boolean }[] = [];
  if (filter.in_doubt !== undefined)
    among.push({ ids: await cardIds(place, 'in_doubt = 1'), in: filter.in_doubt });
  if (filter.held !== undefined)
    among.push({
      ids: await cardIds(place, `state = 'pending' AND held_until > ${place.d.nowS}`),
      in: filter.held,
    });
  if (among.some((one) => one.in && one.ids.length === 0)) return nothing;
  const values: SqlValue[] = [];
  const state = filter.held === true ? 'pending' : filter.state;
  const parts = sourcesOf(shop.table, state).map(({ source, where }) => {
    let condition = where;
    for (const { ids, in: inside } of among) {
      if (ids.length === 0) continue;
      condition += ` AND ${source.id} ${inside ? '' : 'NOT '}IN (${marks(ids.length)})`;
      values.push(...ids);
    }
    return `${source.select} WHERE ${condition}`;
  });
  if (parts.length === 0) return nothing;
  const all = parts.join(' UNION ALL ');
  const outer: string[] = [];
  const add = (condition: string, ...more: SqlValue[]) => {
    outer.push(condition);
    values.push(...more);
  };
  if (filter.created_from !== undefined) add('created_at >= ?', filter.created_from);
  if (filter.created_to !== undefined) add('created_at > 0 AND created_at < ?', filter.created_to);
  for (const { condition, patterns } of textSql(filter)) add(condition, ...patterns);
  return { sql: outer.length ? `SELECT * FROM (${all}) w WHERE ${outer.join(' AND ')}` : all, values };
}

async function cardIds(place: Place, condition: string): Promise<string[]> {
  const rows = await place.db.query<{ id: string }>(
    `SELECT id FROM ${place.t.queue} WHERE ${condition} ORDER BY id LIMIT 10000`,
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
