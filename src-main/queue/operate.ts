/**
 * What a person does to rows by hand. The plan's guards stand in the SQL itself (its phase 8): a sent row is never
 * retried, a live claim never touched, a doubt never retried in bulk, counters reset on retry.
 */
import type { Selection } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { ActionResult, RowId } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { idsOf, inBatches, refusals } from './guarded.ts';
import { writeLog } from './log.ts';
import type { Place } from './place.ts';
import { lostBody, requeueRows } from './requeue.ts';
import { shopSide } from './shop-rows.ts';

/** To pending with fresh counters: pending and failed rows, and claims past their timeout whose dot was never sent. */
export async function retryRows(place: Place, what: Selection, claimTimeoutS: number): Promise<ActionResult> {
  return inBatches(place, what, claimTimeoutS, refusals.retry, async (tx, rows) => {
    await tx.run(
      // scheduled_at before state: MySQL assigns from left to right and would read the new state
      `UPDATE ${place.t.queue} SET
           scheduled_at = CASE WHEN scheduled_at > ${place.d.nowS} OR state <> 'pending' THEN ${place.d.nowS} ELSE scheduled_at END,
           state = 'pending', attempts = 0, reclaims = 0, last_error = NULL, notified_at = NULL, held_until = NULL,
           claim_id = NULL, claimed_at = NULL
         WHERE id IN (${marks(rows.length)}) AND state IN ('pending', 'failed') AND in_doubt = 0`,
      rows.map((row) => row.id),
    );
    const stuck = place.shop ? await requeueRows(place, place.shop, tx, idsOf(rows)) : [];
    const moved = rows.filter((row) => !stuck.includes(String(row.id)));
    const lines = moved.map((row) => ({
      level: 'info' as const,
      queueId: row.id,
      message: `Row ${row.id} was put back into the queue by hand`,
    }));
    await writeLog(place, lines, tx);
    return stuck.map((id) => ({ id, reason: lostBody }));
  });
}

/**
 * Deletes rows with their ledger lines: any row but a live claim. Lines younger than a day stay: they carry the cap of
 * the hour and the day (promise 3). Answers the attachment folders that nobody owns any more, too.
 */
export async function deleteRows(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
): Promise<ActionResult & { folders: string[] }> {
  const folders: string[] = [];
  const result = await inBatches(place, what, claimTimeoutS, refusals.delete, async (tx, rows) => {
    const ids = rows.map((row) => row.id) as SqlValue[];
    await tx.run(`DELETE FROM ${place.t.queue} WHERE id IN (${marks(ids.length)})`, ids);
    if (place.shop) await place.shop.table.remove(shopSide(place.shop, tx), idsOf(rows));
    await tx.run(
      `DELETE FROM ${place.t.attempts} WHERE queue_id IN (${marks(ids.length)})
         AND finished_ms < ${place.d.nowMs} - 86400000`,
      ids,
    );
    await writeLog(
      place,
      rows.map((row) => ({
        level: 'info',
        queueId: row.id,
        message: `Row ${row.id} (${row.state}) was deleted by hand`,
      })),
      tx,
    );
    folders.push(...rows.flatMap((row) => (row.attachmentDir ? [row.attachmentDir] : [])));
    return undefined;
  });
  return { ...result, folders };
}

/** A person ends a doubt. False when the row is not in doubt (any more). */
export async function resolveDoubt(place: Place, id: RowId, arrived: boolean): Promise<boolean> {
  return place.db.transaction(async (tx) => {
    const set = arrived
      ? `state = 'sent', sent_at = ${place.d.nowS}, last_error = NULL`
      : `state = 'pending', attempts = 0, reclaims = 0, scheduled_at = ${place.d.nowS}, last_error = NULL`;
    const { matched } = await tx.run(
      `UPDATE ${place.t.queue} SET ${set}, in_doubt = 0, notified_at = NULL, claim_id = NULL, claimed_at = NULL
       WHERE id = ? AND state = 'failed' AND in_doubt = 1`,
      [id],
    );
    if (matched !== 1) return false;
    if (place.shop) {
      const on = shopSide(place.shop, tx);
      if (arrived) await place.shop.table.sent(on, [String(id)]);
      else if ((await requeueRows(place, place.shop, tx, [String(id)])).length > 0)
        throw new PostroomError('refused', `Row ${id} cannot be sent again: ${lostBody}.`);
    }
    const message = arrived
      ? `Row ${id}: a person said that it arrived`
      : `Row ${id}: a person had it sent again under the same Message-ID`;
    await writeLog(place, [{ level: 'info', queueId: id, message }], tx);
    return true;
  });
}
