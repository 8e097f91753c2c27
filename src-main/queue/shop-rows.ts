/**
 * A shop's own queue table beside our books. Each row that we touch has a card (`t.queue` of the place) with what its own
 * columns cannot carry: claim, Message-ID, doubt. Cards move by the same statements as the rows of our own shape; this
 * file brings rows onto cards and moves back to rows.
 *
 * Where the books lie in the shop's database both move in one transaction. Where they lie with the console alone, a claim
 * is written into the books first (a crash in between strands a card that was never sent), an end into the shop's table
 * first (a crash in between is told by the journal).
 */
import type { RowId, RowState } from '../contract/rows.ts';
import type { Database, Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import type { Shape, ShopTable, Source } from './shapes/shape.ts';

/** A shop's own table, opened. */
export interface ShopRows {
  shape: Shape;
  table: ShopTable;
  db: Database;
  /** the books lie in the same database: both move in one transaction */
  together: boolean;
  /** s for which a claim holds a row: claim_timeout as the last claim read it */
  leaseS: number;
  /** the place that our books would have in the shop's database, while they lie with the console */
  offered: Place | null;
}

/** One row as the shop's table has it. Times in s since 1970, 0 = not known. */
export interface ShopRow {
  id: string;
  state: RowState;
  recipient: string;
  subject: string;
  payload: string;
  attempts: number;
  scheduledAt: number;
  createdAt: number;
  lastError: string | null;
}

/** The card of a row that another worker holds: never claimed, taken over or put back by us. */
export const elsewhere = 'elsewhere';

/** Where the shop's rows are moved: in the books' transaction if they lie together. */
export const shopSide = (shop: ShopRows, tx: Queryable): Queryable => (shop.together ? tx : shop.db);

/**
 * A payload as the mail room reads it. What the shape cannot read stays what it is and fails with its reason; the reason
 * stands in a payload of its own, which no mail is.
 */
function readable(shop: ShopRows, payload: string): string {
  const read = shop.shape.read?.(payload);
  if (!read) return payload;
  if (read.ok) return read.payload;
  return `${refusedMark}${'reason' in read ? read.reason : `not a mail: ${read.foreign}`}`;
}

/** No JSON begins so: a card's payload that only holds the reason why the row can never be sent. */
const refusedMark = 'refused: ';
export const refusalIn = (payload: string): string | null =>
  payload.startsWith(refusedMark) ? payload.slice(refusedMark.length) : null;

/** All rows with these ids, from every table of the shape. */
export async function readRows(shop: ShopRows, on: Queryable, ids: readonly string[]): Promise<ShopRow[]> {
  if (ids.length === 0) return [];
  const found: ShopRow[] = [];
  for (const source of shop.table.sources) {
    const rows = await on.query(`${source.select} WHERE ${source.id} IN (${marks(ids.length)})`, ids);
    found.push(...rows.map(toShopRow).map((row) => ({ ...row, payload: readable(shop, row.payload) })));
  }
  return found;
}

/** Which of these ids have a row, in any table of the shape. Reads no payloads. */
export async function presentRows(shop: ShopRows, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  if (ids.length === 0) return found;
  for (const { select, id } of shop.table.sources) {
    const rows = await shop.db.query<{ id: SqlValue }>(
      `SELECT v.id FROM (${select} WHERE ${id} IN (${marks(ids.length)})) v`,
      ids,
    );
    for (const row of rows) found.add(String(row.id));
  }
  return found;
}

export function toShopRow(row: Record<string, SqlValue>): ShopRow {
  return {
    id: String(row['id']),
    state: row['state'] as RowState,
    recipient: String(row['recipient'] ?? ''),
    subject: String(row['subject'] ?? ''),
    payload: String(row['payload'] ?? ''),
    attempts: Number(row['attempts'] ?? 0),
    scheduledAt: Number(row['scheduled_at'] ?? 0),
    createdAt: Number(row['created_at'] ?? 0),
    lastError: row['last_error'] == null ? null : String(row['last_error']),
  };
}

/** The sources that hold rows of `state`, with the condition that finds them. */
export function sourcesOf(table: ShopTable, state?: RowState): { source: Source; where: string }[] {
  return table.sources.flatMap((source) => {
    const where = state === undefined ? '1 = 1' : source.where(state);
    return where === null ? [] : [{ source, where }];
  });
}

/**
 * Brings the due rows of the shop onto cards, in the claim's transaction; answers their ids in their order. Cards that are
 * out, or held back by a person, keep their rows from being asked for again and again.
 */
export async function bringDue(
  place: Place,
  tx: Queryable,
  { nowS, limit, seen }: { nowS: number; limit: number; seen: readonly string[] },
): Promise<string[]> {
  const shop = place.shop as ShopRows;
  const on = shopSide(shop, tx);
  const blocked = await tx.query<{ id: string }>(
    `SELECT id FROM ${place.t.queue} WHERE state = 'sending' OR held_until > ${place.d.nowS} ORDER BY id LIMIT 1000`,
  );
  const ids = await shop.table.due(on, limit, [...seen, ...blocked.map((card) => card.id)]);
  const rows = new Map((await readRows(shop, on, ids)).map((row) => [row.id, row]));
  const due = ids.flatMap((id) => rows.get(id) ?? []);
  await writeCards(
    place,
    tx,
    due.map((row) => ({ ...row, state: 'pending' as const })),
    nowS,
  );
  return due.map((row) => row.id);
}

/** Makes the cards of these rows say what the rows say; a card that is out is left alone. */
export async function bringRows(place: Place, tx: Queryable, ids: readonly string[]): Promise<void> {
  const shop = place.shop as ShopRows;
  const rows = await readRows(shop, shopSide(shop, tx), ids);
  const out = new Set(
    ids.length === 0
      ? []
      : (
          await tx.query<{ id: string }>(
            `SELECT id FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})
             AND (state IN ('sending', '${elsewhere}') OR in_doubt = 1)`,
            ids,
          )
        ).map((card) => card.id),
  );
  await writeCards(
    place,
    tx,
    rows.filter((row) => !out.has(row.id)),
    null,
  );
}

/** `dueS`: all of them are due, as of that moment (s since 1970). */
async function writeCards(
  place: Place,
  tx: Queryable,
  rows: readonly ShopRow[],
  dueS: number | null,
): Promise<void> {
  for (const row of rows) {
    const state = row.state === 'sending' ? elsewhere : row.state;
    const recipient = place.spell(row.recipient.slice(0, 320));
    // a dead letter may keep no other time than that of its end
    const anew = `(state = 'sent' AND ? <> 'sent' OR recipient <> ? OR created_at <> ? AND NOT (state = 'failed' AND ? = 'failed'))`;
    await tx.run(
      `${place.d.insertIgnore} ${place.t.queue} (id, recipient, subject, payload, state, created_at) VALUES (?, ?, '', '', ?, ?)`,
      [row.id, recipient, state, row.createdAt],
    );
    // What is due waits as of the moment at which the claim began, or a claim that takes long would find nothing that is due
    // by its own clock: a DATETIME of the hour that a DST night has twice may be read as an hour ahead.
    await tx.run(
      // A sent mail that somebody put back, or an id that was used again, is another mail: nothing of the old one may cling
      // to it. MySQL assigns from left to right, so what looks at the old values comes first.
      `UPDATE ${place.t.queue} SET
         delivered_to = CASE WHEN ${anew} THEN NULL ELSE delivered_to END,
         message_id = CASE WHEN ${anew} THEN NULL ELSE message_id END,
         held_until = CASE WHEN ${anew} THEN NULL ELSE held_until END,
         reclaims = CASE WHEN ${anew} OR state = 'failed' THEN 0 ELSE reclaims END,
         claimed_at = ${state === elsewhere ? place.d.nowS : 'NULL'},
         state = ?, recipient = ?, subject = ?, payload = ?, attempts = ?, created_at = ?,
         scheduled_at = ?, claim_id = NULL, in_doubt = 0, notified_at = NULL
       WHERE id = ? AND state <> 'sending'`,
      [
        ...Array.from({ length: 4 }, () => [state, recipient, row.createdAt, state]).flat(),
        state,
        recipient,
        place.spell(row.subject.slice(0, 1000)),
        row.payload,
        Math.min(255, row.attempts),
        row.createdAt,
        dueS ?? row.scheduledAt,
        row.id,
      ],
    );
  }
}

/** What our statements made of the cards, told to the shop's rows; `delayS` s until the next try of one that waits. */
export async function tellShop(
  place: Place,
  tx: Queryable,
  moved: readonly { id: RowId; delayS?: number }[],
): Promise<void> {
  const { shop } = place;
  if (!shop || moved.length === 0) return;
  const on = shopSide(shop, tx);
  const delays = new Map(moved.map((one) => [String(one.id), Math.ceil(one.delayS ?? 0)]));
  const ids = [...delays.keys()];
  const cards = await tx.query(
    `SELECT id, state, attempts, last_error FROM ${place.t.queue} WHERE id IN (${marks(ids.length)}) ORDER BY id`,
    ids,
  );
  const sent = cards.filter((card) => card['state'] === 'sent').map((card) => String(card['id']));
  if (sent.length > 0) await shop.table.sent(on, sent);
  for (const card of cards) {
    const id = String(card['id']);
    const move = {
      id,
      attempts: Number(card['attempts']),
      delayS: delays.get(id) ?? 0,
      reason: String(card['last_error'] ?? ''),
    };
    if (card['state'] === 'pending') await shop.table.waits(on, move);
    else if (card['state'] === 'failed') await shop.table.failed(on, move);
  }
}
