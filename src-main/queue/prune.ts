/**
 * Retention. Every setting is in days, every column in seconds or milliseconds: times 86,400, each time (plan phase 7).
 * A failed row has no sent_at: it goes by created_at. Bounded batches; each answers what it moved.
 */
import type { RowId } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import { presentRows, type ShopRows } from './shop-rows.ts';

export const pruneBatch = 500;

export interface Pruned {
  rows: number;
  /** attachment folders of the deleted rows */
  folders: string[];
}

/**
 * Deletes one batch of finished rows past their age, ledger lines with them. A row whose end the shop was not told of
 * yet (`notified_at` NULL) is waited for, at most twice its period (promise 8). `days` 0 = keep.
 */
export async function pruneRows(place: Place, state: 'sent' | 'failed', days: number): Promise<Pruned> {
  if (days <= 0) return { rows: 0, folders: [] };
  if (place.shop) return pruneShopRows(place, place.shop, state, days);
  const age = state === 'sent' ? 'sent_at' : 'created_at';
  const period = days * 86_400;
  const found = await place.db.query<{ id: RowId }>(
    `SELECT id FROM ${place.t.queue} WHERE state = ? AND ${age} < ${place.d.nowS} - ?
       AND (notified_at IS NOT NULL OR ${age} < ${place.d.nowS} - ?) ORDER BY id LIMIT ${pruneBatch}`,
    [state, period, 2 * period],
  );
  if (found.length === 0) return { rows: 0, folders: [] };
  const old = found.map((row) => row.id) as SqlValue[];
  return place.db.transaction(async (tx) => {
    // A row that was put back into the queue meanwhile stays, and so does its folder.
    const rows = await tx.query<{ id: RowId; attachment_dir: string | null }>(
      `SELECT id, attachment_dir FROM ${place.t.queue} WHERE id IN (${marks(old.length)}) AND state = ?
       ORDER BY id${place.d.forUpdate}`,
      [...old, state],
    );
    if (rows.length === 0) return { rows: 0, folders: [] };
    const ids = rows.map((row) => row.id) as SqlValue[];
    const { matched } = await tx.run(`DELETE FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`, ids);
    // Lines of the last day still carry the cap; they go as orphans later.
    await tx.run(
      `DELETE FROM ${place.t.attempts} WHERE queue_id IN (${marks(ids.length)}) AND finished_ms < ${place.d.nowMs} - 86400000`,
      ids,
    );
    return {
      rows: matched,
      folders: rows.flatMap((row) => (row.attachment_dir ? [row.attachment_dir] : [])),
    };
  });
}

async function pruneShopRows(
  place: Place,
  shop: ShopRows,
  state: 'sent' | 'failed',
  days: number,
): Promise<Pruned> {
  const ids = await shop.table.old(shop.db, state, days * 86_400, pruneBatch);
  if (ids.length > 0) await shop.table.remove(shop.db, ids);
  if (state === 'failed') await pruneCardsOfNobody(place, shop, days * 86_400);
  else
    await place.db.run(
      `DELETE FROM ${place.t.queue} WHERE state = 'sent' AND in_doubt = 0
         AND COALESCE(sent_at, created_at) < ${place.d.nowS} - ?`,
      [days * 86_400],
    );
  return { rows: ids.length, folders: [] };
}

/**
 * Cards of rows that are gone, by our doing or the shop's. While its row is there a card stays, whatever its age (a table may
 * not say when a mail was written): a mail that is put back must go out under its Message-ID, and to nobody who has it.
 * Those in doubt wait for a person.
 */
async function pruneCardsOfNobody(place: Place, shop: ShopRows, seconds: number): Promise<void> {
  for (let last = ''; ; ) {
    const cards = await place.db.query<{ id: string }>(
      `SELECT id FROM ${place.t.queue} WHERE state IN ('failed', 'pending') AND in_doubt = 0
         AND created_at < ${place.d.nowS} - ? AND id > ? ORDER BY id LIMIT ${pruneBatch}`,
      [seconds, last],
    );
    const ids = cards.map((card) => card.id);
    const there = await presentRows(shop, ids);
    const gone = ids.filter((id) => !there.has(id));
    if (gone.length > 0)
      await place.db.run(
        `DELETE FROM ${place.t.queue} WHERE id IN (${marks(gone.length)}) AND state IN ('failed', 'pending') AND in_doubt = 0`,
        gone,
      );
    if (ids.length < pruneBatch) return;
    last = ids.at(-1) ?? last;
  }
}

export async function pruneLog(place: Place, days: number): Promise<number> {
  if (days <= 0) return 0;
  return deleteOldest(place, place.t.log, `created_at < ${place.d.nowS} - ?`, [days * 86_400]);
}

/** Ledger lines whose row is gone and that no window needs any more. */
export async function pruneLedger(place: Place): Promise<number> {
  const orphan = `finished_ms < ${place.d.nowMs} - ? AND NOT EXISTS (SELECT 1 FROM ${place.t.queue} q WHERE q.id = queue_id)`;
  return deleteOldest(place, place.t.attempts, orphan, [86_400_000]);
}

/** Clears the log by one batch: DELETE, never TRUNCATE, which needs a right that shops do not have (promise 13). */
export async function clearLogBatch(place: Place): Promise<number> {
  return deleteOldest(place, place.t.log, '1 = 1', []);
}

async function deleteOldest(place: Place, table: string, where: string, values: SqlValue[]): Promise<number> {
  const rows = await place.db.query<{ id: RowId }>(
    `SELECT id FROM ${table} WHERE ${where} ORDER BY id LIMIT ${pruneBatch}`,
    values,
  );
  if (rows.length === 0) return 0;
  const { matched } = await place.db.run(
    `DELETE FROM ${table} WHERE id IN (${marks(rows.length)})`,
    rows.map((row) => row.id) as SqlValue[],
  );
  return matched;
}

/** Which of these folders no row owns: garbage, when they are old enough (plan section 3.3). */
export async function unownedFolders(place: Place, folders: readonly string[]): Promise<string[]> {
  const unowned: string[] = [];
  for (let at = 0; at < folders.length; at += pruneBatch) {
    const part = folders.slice(at, at + pruneBatch);
    // a folder of sent rows alone is one whose deletion failed: tried again
    const rows = await place.db.query<{ dir: string }>(
      `SELECT DISTINCT attachment_dir AS dir FROM ${place.t.queue}
       WHERE state <> 'sent' AND attachment_dir IN (${marks(part.length)})`,
      part,
    );
    const kept = new Set(rows.map((row) => row.dir));
    unowned.push(...part.filter((folder) => !kept.has(folder)));
  }
  return unowned;
}
