/** Rows of a shop's own table that wait again after they had failed, or had been called in doubt. */
import type { Queryable } from '../shop/database.ts';
import type { Place } from './place.ts';
import { readRows, type ShopRows, shopSide } from './shop-rows.ts';

/** Why such a row cannot be sent again. */
export const lostBody = 'its text was not kept when it failed (the failed table has no column for it)';

/** A dead letter that kept no text cannot become a mail again; its card stays failed. Answers the ids that did not move. */
export async function requeueRows(
  place: Place,
  shop: ShopRows,
  tx: Queryable,
  ids: readonly string[],
): Promise<string[]> {
  const on = shopSide(shop, tx);
  await shop.table.requeue(on, ids);
  const back = (await readRows(shop, on, ids)).filter((row) => row.state === 'pending');
  const waiting = new Set(back.map((row) => row.id));
  // a job that comes back from the dead letters is written anew, and is still the mail that it was
  for (const row of back)
    await tx.run(`UPDATE ${place.t.queue} SET created_at = ? WHERE id = ?`, [row.createdAt, row.id]);
  const stuck = ids.filter((id) => !waiting.has(id));
  for (const id of stuck)
    await tx.run(`UPDATE ${place.t.queue} SET state = 'failed' WHERE id = ? AND state = 'pending'`, [id]);
  return stuck;
}
