/**
 * A 2xx for some of a mail's recipients whose claim is not held any more. Like every journaled 2xx it outranks the lease
 * (promise 2): who has the mail must not be sent it again, whatever became of the row meanwhile.
 */
import type { Queryable, SqlValue } from '../shop/database.ts';
import { endLedgerLines } from './ledger.ts';
import { writeLog } from './log.ts';
import type { Place } from './place.ts';
import { requeueRows } from './requeue.ts';
import { fromJson } from './settings-table.ts';
import { shopSide, tellShop } from './shop-rows.ts';
import { asciiJson } from './spelling.ts';
import type { Settlement } from './transitions.ts';

/** delivered_to is TEXT: 65,535 bytes */
export const mostDeliveredBytes = 65_000;

/** The recipients in a delivered_to column, whatever stands in it. */
export function readAddressList(stored: SqlValue | undefined): string[] {
  const list = fromJson(stored ?? null);
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

type Partly = Exclude<Settlement, { to: 'sent' }>;

/** Writes down who has it, and moves the row where no other console may have sent it since. False = nothing was new. */
export async function rememberAccepted(
  place: Place,
  one: Partly,
  taken: readonly string[],
): Promise<boolean> {
  return place.db.transaction(async (tx) => {
    const [row] = await tx.query(
      `SELECT state, in_doubt, claim_id, delivered_to FROM ${place.t.queue}
       WHERE id = ? AND message_id = ? AND state IN ('sending', 'pending', 'failed')${place.d.forUpdate}`,
      [one.id, one.messageId],
    );
    await endLedgerLines(place, tx, [one]);
    if (!row) return false;
    const known = readAddressList(row['delivered_to']);
    const all = [...new Set([...known, ...taken])];
    if (all.length === known.length) return false;
    const list = asciiJson(all);
    const fits = list.length <= mostDeliveredBytes;
    if (await mayMove(place, tx, one, row)) {
      await move(place, tx, one, fits ? list : null);
      if (row['state'] === 'failed' && one.to === 'pending' && fits)
        await bringBack(place, tx, String(one.id));
      await tellShop(place, tx, [one]);
    } else if (fits)
      await tx.run(`UPDATE ${place.t.queue} SET delivered_to = ? WHERE id = ? AND message_id = ?`, [
        list,
        one.id,
        one.messageId,
      ]);
    const message = `Row ${one.id}: ${taken.length} recipients have it, as the journal remembers; ${one.reason}`;
    await writeLog(place, [{ level: 'warning', queueId: one.id, message }], tx);
    return true;
  });
}

/**
 * A row that waits, one whose present holder has not come to the point of no return (its guard will refuse), and a doubt
 * that is this very conversation's. Any other is only told who has it.
 */
async function mayMove(
  place: Place,
  tx: Queryable,
  one: Partly,
  row: Record<string, SqlValue>,
): Promise<boolean> {
  if (row['state'] === 'pending') return true;
  if (row['state'] === 'failed' && Number(row['in_doubt']) !== 1) return false;
  const [newest] = await tx.query(
    `SELECT claim_id, body_ms FROM ${place.t.attempts} WHERE queue_id = ? ORDER BY id DESC LIMIT 1`,
    [one.id],
  );
  if (row['state'] === 'failed') return newest?.['claim_id'] === one.claimId;
  return newest?.['claim_id'] === row['claim_id'] && newest?.['body_ms'] === null;
}

/** The table was told of a doubt: its row comes back and is held, so that the end of this conversation can be told like any other. */
async function bringBack(place: Place, tx: Queryable, id: string): Promise<void> {
  const { shop } = place;
  if (!shop) return;
  const stuck = await requeueRows(place, shop, tx, [id]);
  if (stuck.length === 0) await shop.table.claim(shopSide(shop, tx), [id], shop.leaseS);
}

/** `list` null: more than can be remembered, so that only a person may send it again. The doubt was counted when it arose. */
async function move(place: Place, tx: Queryable, one: Partly, list: string | null): Promise<void> {
  const waits = one.to === 'pending' && list !== null;
  const delay = one.to === 'pending' ? Math.ceil(one.delayS) : 0;
  await tx.run(
    `UPDATE ${place.t.queue} SET in_doubt = ?, state = ?, last_error = ?, claimed_at = NULL, claim_id = NULL,
       notified_at = NULL, scheduled_at = CASE WHEN ? > 0 THEN ${place.d.nowS} + ? ELSE scheduled_at END,
       delivered_to = COALESCE(?, delivered_to)
     WHERE id = ? AND message_id = ?`,
    [
      list === null || (one.to === 'failed' && one.inDoubt),
      waits ? 'pending' : 'failed',
      place.spell(one.reason.slice(0, 4000)),
      waits ? delay : 0,
      waits ? delay : 0,
      list,
      one.id,
      one.messageId,
    ],
  );
}
