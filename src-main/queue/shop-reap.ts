/**
 * Rows that another worker holds in a shop's own table. No claim of ours stands behind them and their worker cannot be asked:
 * each is timed from when it was first seen, and one that never changes is not snatched but called in doubt, for a person.
 */
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { writeLog } from './log.ts';
import type { Place } from './place.ts';
import type { Reaped } from './reap.ts';
import { elsewhere, readRows, type ShopRows } from './shop-rows.ts';

/** rows looked at in one pass */
const most = 500;

export async function reapElsewhere(place: Place, timeoutS: number): Promise<Reaped[]> {
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
    if (card?.['state'] !== elsewhere || card['title'] !== mark.slice(0, 200)) await sight(place, id, mark);
  }
  await forgetSightings(
    place,
    held.map((one) => one.id),
  );
  return callInDoubt(place, shop, timeoutS);
}

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

async function sight(place: Place, id: string, mark: string): Promise<void> {
  await place.db.run(
    `${place.d.insertIgnore} ${place.t.queue} (id, subject, payload, state) VALUES (?, '', '', '${elsewhere}')`,
    [id],
  );
  await place.db.run(
    `UPDATE ${place.t.queue} SET state = '${elsewhere}', title = ?, claimed_at = ${place.d.nowS}, claim_id = NULL
     WHERE id = ? AND state <> 'sending' AND in_doubt = 0`,
    [mark.slice(0, 200), id],
  );
}

/** Their worker let go of them. */
async function forgetSightings(place: Place, held: readonly string[]): Promise<void> {
  // more may be held than one pass sees: then nothing can be said of the others
  if (held.length >= most) return;
  const not = held.length > 0 ? ` AND id NOT IN (${marks(held.length)})` : '';
  await place.db.run(`DELETE FROM ${place.t.queue} WHERE state = '${elsewhere}'${not}`, held);
}

async function callInDoubt(place: Place, shop: ShopRows, timeoutS: number): Promise<Reaped[]> {
  const late = await place.db.query<{ id: string; since: number }>(
    `SELECT id, ${place.d.nowS} - claimed_at AS since FROM ${place.t.queue}
     WHERE state = '${elsewhere}' AND claimed_at < ${place.d.nowS} - ? ORDER BY id LIMIT 100`,
    [timeoutS],
  );
  const rows = new Map(
    (
      await readRows(
        shop,
        shop.db,
        late.map((card) => card.id),
      )
    ).map((row) => [row.id, row]),
  );
  const reaped: Reaped[] = [];
  for (const { id, since } of late) {
    const row = rows.get(id);
    const reason = `another program of the shop took it ${Math.round(since / 60)} min ago and never said what became of it: it may have arrived`;
    const { matched } = await place.db.run(
      `UPDATE ${place.t.queue} SET state = 'failed', in_doubt = 1, last_error = ?, claimed_at = NULL, notified_at = NULL
       WHERE id = ? AND state = '${elsewhere}'`,
      [reason, id],
    );
    if (matched !== 1) continue;
    await writeLog(place, [{ level: 'error', queueId: id, message: `Row ${id} is in doubt: ${reason}` }]);
    const { recipient = '', subject = '' } = row ?? {};
    reaped.push({ id, to: 'in-doubt', reason, recipient, subject });
  }
  return reaped;
}
