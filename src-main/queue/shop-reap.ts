/**
 * Rows that another worker holds in a shop's own table. No claim of ours stands behind them and their worker cannot be asked:
 * each is timed from when it was first seen, and one that never changes is not snatched but called in doubt, for a person, or released where the settings say so.
 */
import type { RowId } from '../contract/rows.ts';
import type { Settings } from '../contract/settings.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { writeLog } from './log.ts';
import type { Place } from './place.ts';
import type { Reaped } from './reap.ts';
import { elsewhere, readRows, type ShopRows, shopSide } from './shop-rows.ts';

/** rows looked at in one pass */
const most = 500;

export async function reapElsewhere(place: Place, settings: Settings): Promise<Reaped[]> {
  const shop = place.shop as ShopRows;
  const held = await shop.table.held(shop.db, most);
  const cards = await readSightings(
    place,
    held.map((one) => one.id),
  );
  for (const { id, mark } of held) {
    const card = cards.get(id);
    if (card?.['state'] === 'sending' || Number(card?.['in_doubt'] ?? 0) === 1) continue;
    // `title` of such a card keeps what was seen
    if (card?.['state'] !== elsewhere || card['title'] !== cut(mark)) await sight(place, shop, id, mark);
  }
  await forgetSightings(
    place,
    held.map((one) => one.id),
  );
  return judgeLate(place, shop, settings);
}

const cut = (mark: string): string => mark.slice(0, 200);

async function readSightings(
  place: Place,
  ids: readonly string[],
): Promise<Map<string, Record<string, SqlValue>>> {
  if (ids.length === 0) return new Map();
  const rows = await place.db.query(
    `SELECT id, state, in_doubt, title FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`,
    ids,
  );
  return new Map(rows.map((row) => [String(row['id']), row]));
}

/**
 * Ours may have ended since the held rows were read: its card must not become another worker's, since it knows who has the
 * mail. So the row is looked at once more behind the card's lock, which every claim and every end of ours takes.
 */
async function sight(place: Place, shop: ShopRows, id: string, mark: string): Promise<void> {
  await place.db.transaction(async (tx) => {
    await tx.run(
      `${place.d.insertIgnore} ${place.t.queue} (id, subject, payload, state) VALUES (?, '', '', '${elsewhere}')`,
      [id],
    );
    await tx.query(`SELECT id FROM ${place.t.queue} WHERE id = ?${place.d.forUpdate}`, [id]);
    const [row] = await readRows(shop, shopSide(shop, tx), [id]);
    if (row?.state !== 'sending') return;
    await tx.run(
      `UPDATE ${place.t.queue} SET state = '${elsewhere}', title = ?, claimed_at = ${place.d.nowS}, claim_id = NULL
       WHERE id = ? AND state <> 'sending' AND in_doubt = 0`,
      [cut(mark), id],
    );
  });
}

/** Their worker let go of them. A card that knows more than the sighting waits for its row, the others go. */
async function forgetSightings(place: Place, held: readonly string[]): Promise<void> {
  // more may be held than one pass sees: then nothing can be said of the others
  if (held.length >= most) return;
  const not = held.length > 0 ? ` AND id NOT IN (${marks(held.length)})` : '';
  await place.db.run(
    `UPDATE ${place.t.queue} SET state = 'pending', title = '', claimed_at = NULL
     WHERE state = '${elsewhere}' AND message_id IS NOT NULL${not}`,
    held,
  );
  await place.db.run(`DELETE FROM ${place.t.queue} WHERE state = '${elsewhere}'${not}`, held);
}

/** Those that have not changed for the timeout: in doubt, or released where the setting says so (`in_doubt: retry`). */
async function judgeLate(place: Place, shop: ShopRows, settings: Settings): Promise<Reaped[]> {
  const late = await place.db.query<{ id: string; since: number; title: string }>(
    `SELECT id, ${place.d.nowS} - claimed_at AS since, title FROM ${place.t.queue}
     WHERE state = '${elsewhere}' AND claimed_at < ${place.d.nowS} - ? ORDER BY id LIMIT 100`,
    [settings.claim_timeout],
  );
  if (late.length === 0) return [];
  const ids = late.map((card) => card.id);
  const rows = new Map((await readRows(shop, shop.db, ids)).map((row) => [row.id, row]));
  const reaped: Reaped[] = [];
  for (const { id, since, title } of late) {
    const row = rows.get(id);
    const reason = `another program of the shop took it ${Math.round(since / 60)} min ago and never said what became of it: it may have arrived`;
    // nobody counted the try that came to no end
    const attempts = (row?.attempts ?? 0) + 1;
    const again = settings.in_doubt === 'retry' && attempts < settings.max_attempts;
    const done = again
      ? await release(place, shop, { id, mark: title, attempts, reason })
      : await callInDoubt(place, id, reason);
    if (!done) continue;
    const { recipient = '', subject = '' } = row ?? {};
    reaped.push({ id, to: again ? 'pending' : 'in-doubt', reason, recipient, subject });
  }
  return reaped;
}

async function callInDoubt(place: Place, id: string, reason: string): Promise<boolean> {
  const { matched } = await place.db.run(
    `UPDATE ${place.t.queue} SET state = 'failed', in_doubt = 1, last_error = ?, claimed_at = NULL, notified_at = NULL
     WHERE id = ? AND state = '${elsewhere}'`,
    [reason, id],
  );
  if (matched !== 1) return false;
  await writeLog(place, [{ level: 'error', queueId: id, message: `Row ${id} is in doubt: ${reason}` }]);
  return true;
}

/** Another worker's row waits again, if it is still held as it was when it was seen. */
async function release(
  place: Place,
  shop: ShopRows,
  { id, mark, attempts, reason }: { id: string; mark: string; attempts: number; reason: string },
): Promise<boolean> {
  return place.db.transaction(async (tx) => {
    const { matched } = await tx.run(
      `UPDATE ${place.t.queue} SET state = 'pending', title = '', last_error = ?, claimed_at = NULL, attempts = ?
       WHERE id = ? AND state = '${elsewhere}' AND title = ?`,
      [reason, attempts, id, mark],
    );
    if (matched !== 1) return false;
    const on = shopSide(shop, tx);
    const still = (await shop.table.held(on, most)).some((one) => one.id === id && cut(one.mark) === mark);
    if (still) await shop.table.waits(on, { id, attempts, delayS: 0, reason });
    const message = `Row ${id} waits again, as the settings say of mails in doubt: ${reason}`;
    if (still) await writeLog(place, [{ level: 'warning', queueId: id, message }], tx);
    return still;
  });
}

/**
 * Why the shop's table has this row as failed although our claim of it stands in the books; null where it has not. Two databases
 * do not commit together: the shop's is told first, and the console may have died before it wrote the same into its own.
 */
export async function failureInShop({ shop }: Place, id: RowId): Promise<string | null> {
  if (!shop || shop.together) return null;
  const [row] = await readRows(shop, shop.db, [String(id)]);
  if (row?.state !== 'failed') return null;
  return row.lastError ?? 'it failed, and its console died before it could write down why';
}
