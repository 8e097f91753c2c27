/** Where rows of a shop's own table stand, before an order touches them. Nothing here writes. */
import { heldForGood } from '../contract/orders.ts';
import type { RowFilter } from '../contract/rows.ts';
import { marks } from './dialect.ts';
import type { Guarded } from './guarded.ts';
import type { Place } from './place.ts';
import { selection } from './shop-browse.ts';
import { elsewhere, type ShopRows } from './shop-rows.ts';

/**
 * Where rows stand, by the shop's table and by our cards, without bringing them onto cards: the ones that a filter finds,
 * or the ones named.
 */
export async function surveyShopRows(
  place: Place,
  which: RowFilter | readonly string[],
  claimTimeoutS: number,
): Promise<Guarded[]> {
  const shop = place.shop as ShopRows;
  const found: { id: string; state: string }[] = [];
  if ('length' in which) {
    for (const source of shop.table.sources)
      found.push(
        ...(await shop.db.query<{ id: string; state: string }>(
          `SELECT id, state FROM (${source.select} WHERE ${source.id} IN (${marks(which.length)})) v`,
          which,
        )),
      );
  } else {
    const { sql, values } = await selection(place, which);
    if (sql === null) return [];
    found.push(
      ...(await shop.db.query<{ id: string; state: string }>(
        `SELECT id, state FROM (${sql}) v ORDER BY id`,
        values,
      )),
    );
  }
  const surveyed: Guarded[] = [];
  for (let at = 0; at < found.length; at += 500) {
    const part = found.slice(at, at + 500).map((row) => ({ ...row, id: String(row.id) }));
    const ids = part.map((row) => row.id);
    const cards = new Map(
      (
        await place.db.query(
          `SELECT id, state, in_doubt, held_until, CASE WHEN held_until > ${place.d.nowS} THEN 1 ELSE 0 END AS held,
             CASE WHEN claimed_at BETWEEN ${place.d.nowS} - ? AND ${place.d.nowS} + ? THEN 1 ELSE 0 END AS live
           FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`,
          [claimTimeoutS, claimTimeoutS, ...ids],
        )
      ).map((card) => [String(card['id']), card]),
    );
    for (const { id, state } of part) {
      const card = cards.get(id);
      const ours = card?.['state'] === 'sending';
      const inDoubt = Number(card?.['in_doubt'] ?? 0) === 1;
      const held = state === 'pending' && Number(card?.['held'] ?? 0) === 1;
      surveyed.push({
        id,
        state: ours ? 'sending' : inDoubt ? 'failed' : state === 'sending' ? elsewhere : state,
        inDoubt,
        live: ours && Number(card?.['live']) === 1,
        held,
        heldForGood: held && Number(card?.['held_until']) === heldForGood,
        attachmentDir: null,
      });
    }
  }
  return surveyed;
}
