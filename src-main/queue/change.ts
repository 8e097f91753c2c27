/**
 * What a person changes in rows that wait: when they may leave, in which order, to whom. Guards stand in the SQL, as in
 * operate.ts.
 */
import type { Selection } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import { heldForGood, priorityBounds } from '../contract/orders.ts';
import type { ActionResult, RowId } from '../contract/rows.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { type Guarded, inBatches, refusals, refuseWhatTableLacks } from './guarded.ts';
import { writeLog } from './log.ts';
import type { Place } from './place.ts';
import { readAddressList } from './remember.ts';

/** Rows of a shop's own table that can be held: each claim must leave them out by name (shop-rows bringDue). */
const mostHeldInShop = 1_000;
/** Bytes of a payload that is rewritten; the mail room refuses longer ones anyway. */
const mostRewritten = 25 * 1024 * 1024;

const among = (rows: readonly Guarded[]): string => `id IN (${marks(rows.length)}) AND state = 'pending'`;
const keysOf = (rows: readonly Guarded[]): SqlValue[] => rows.map((row) => row.id);

async function note(place: Place, tx: Queryable, rows: readonly Guarded[], what: string): Promise<undefined> {
  const lines = rows.map((row) => ({
    level: 'info' as const,
    queueId: row.id,
    message: `Row ${row.id} ${what}`,
  }));
  await writeLog(place, lines, tx);
  return undefined;
}

/** Waiting rows do not leave before `untilS` (s since 1970; null = until they are released). */
export async function holdRows(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
  untilS: number | null,
): Promise<ActionResult> {
  const until = untilS ?? heldForGood;
  return inBatches(place, what, claimTimeoutS, refusals.hold, async (tx, rows) => {
    if (place.shop) await refuseTooMany(place, tx, rows);
    await tx.run(`UPDATE ${place.t.queue} SET held_until = ? WHERE ${among(rows)}`, [until, ...keysOf(rows)]);
    const end = untilS === null ? '' : ` until ${new Date(untilS * 1000).toISOString()}`;
    return note(place, tx, rows, `is held by hand${end}`);
  });
}

async function refuseTooMany(place: Place, tx: Queryable, rows: readonly Guarded[]): Promise<void> {
  const [held] = await tx.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE held_until > ${place.d.nowS}`,
  );
  const fresh = rows.filter((row) => !row.held).length;
  if (Number(held?.n ?? 0) + fresh <= mostHeldInShop) return;
  throw new PostroomError(
    'refused',
    `At most ${mostHeldInShop} mails of a shop's own table can be held at once. Disable or pause sending instead.`,
  );
}

/**
 * Keeps waiting rows from leaving for `seconds`, while their delete can still be undone; answers until when. What a person
 * holds longer stays as it is. After a crash they wait for their turn again by themselves.
 */
export async function keepForUndo(
  place: Place,
  ids: readonly RowId[],
  claimTimeoutS: number,
  seconds: number,
): Promise<number> {
  const [clock] = await place.db.query<{ now: number }>(`SELECT ${place.d.nowS} AS now`);
  const until = Number(clock?.now) + seconds;
  // more cannot be held there; what leaves before its delete is left alone by it
  const kept = place.shop ? ids.slice(0, mostHeldInShop) : ids;
  await inBatches(place, { ids: [...kept] }, claimTimeoutS, refusals.hold, async (tx, rows) => {
    await tx.run(
      `UPDATE ${place.t.queue} SET held_until = ? WHERE ${among(rows)} AND (held_until IS NULL OR held_until < ?)`,
      [until, ...keysOf(rows), until],
    );
    return undefined;
  });
  return until;
}

/** The undo: what was kept until `until` may leave again. */
export async function letGoAfterUndo(
  place: Place,
  ids: readonly RowId[],
  claimTimeoutS: number,
  until: number,
): Promise<void> {
  await inBatches(place, { ids: [...ids] }, claimTimeoutS, refusals.hold, async (tx, rows) => {
    await tx.run(`UPDATE ${place.t.queue} SET held_until = NULL WHERE ${among(rows)} AND held_until = ?`, [
      ...keysOf(rows),
      until,
    ]);
    return undefined;
  });
}

/** Held rows wait for their turn again. */
export async function releaseRows(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
): Promise<ActionResult> {
  return inBatches(place, what, claimTimeoutS, refusals.release, async (tx, rows) => {
    await tx.run(`UPDATE ${place.t.queue} SET held_until = NULL WHERE ${among(rows)}`, keysOf(rows));
    return note(place, tx, rows, 'was released by hand');
  });
}

export async function setPriority(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
  priority: number,
): Promise<ActionResult> {
  refuseWhatTableLacks(place, 'priority');
  return inBatches(place, what, claimTimeoutS, refusals.priority, async (tx, rows) => {
    await tx.run(`UPDATE ${place.t.queue} SET priority = ? WHERE ${among(rows)}`, [
      priority,
      ...keysOf(rows),
    ]);
    return note(place, tx, rows, `was given priority ${priority} by hand`);
  });
}

/**
 * Waiting rows become the first that the gate takes: a priority one smaller than that of all others, due now, not held. At
 * the smallest SMALLINT there is none smaller: then they are due before all others of it. Among themselves they keep the
 * order in which they waited. The cap holds as ever: they are first, not faster.
 */
export async function sendNext(place: Place, what: Selection, claimTimeoutS: number): Promise<ActionResult> {
  refuseWhatTableLacks(place, 'next');
  const [first] = await place.db.query(
    `SELECT priority, scheduled_at FROM ${place.t.queue} WHERE state = 'pending'
     ORDER BY priority, scheduled_at, id LIMIT 1`,
  );
  const least = Number(first?.['priority'] ?? 10);
  const priority = Math.max(priorityBounds.least, least - 1);
  // only where the priority cannot tell them apart from what leaves first now
  const before = least > priorityBounds.least ? null : Number(first?.['scheduled_at'] ?? 0) - 1;
  return inBatches(place, what, claimTimeoutS, refusals.next, async (tx, rows) => {
    await tx.run(
      `UPDATE ${place.t.queue} SET held_until = NULL, priority = ?,
         scheduled_at = CASE WHEN scheduled_at > COALESCE(?, ${place.d.nowS}) THEN COALESCE(?, ${place.d.nowS}) ELSE scheduled_at END
       WHERE ${among(rows)}`,
      [priority, before, before, ...keysOf(rows)],
    );
    return note(place, tx, rows, 'was put first by hand');
  });
}

/**
 * Waiting and failed rows (not in doubt) become a mail to `address` alone (checked by the caller: mail/address) and wait as
 * if they were new. It is another mail than the one that may have been tried: it gets a Message-ID of its own. Recipients
 * in Cc and Bcc stay, without those who have it already.
 */
export async function readdressRows(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
  address: string,
): Promise<ActionResult> {
  refuseWhatTableLacks(place, 'readdress');
  return inBatches(place, what, claimTimeoutS, refusals.readdress, async (tx, rows) => {
    const refused: ActionResult['refused'] = [];
    const done: Guarded[] = [];
    for (const row of rows) {
      const rewritten = await rewrite(place, tx, row.id, address);
      if ('reason' in rewritten) {
        refused.push({ id: row.id, reason: rewritten.reason });
        continue;
      }
      await tx.run(
        // scheduled_at before state: MySQL assigns from left to right and would read the new state
        `UPDATE ${place.t.queue} SET payload = ?, recipient = ?, message_id = NULL,
           scheduled_at = CASE WHEN scheduled_at > ${place.d.nowS} OR state <> 'pending' THEN ${place.d.nowS} ELSE scheduled_at END,
           state = 'pending', attempts = 0, reclaims = 0, last_error = NULL, notified_at = NULL, held_until = NULL,
           claim_id = NULL, claimed_at = NULL
         WHERE id = ? AND state IN ('pending', 'failed') AND in_doubt = 0`,
        [rewritten.payload, address, row.id],
      );
      done.push(row);
    }
    const domain = address.slice(address.lastIndexOf('@') + 1);
    await note(place, tx, done, `goes to another address (${domain}) by hand, as a new mail`);
    return refused;
  });
}

async function rewrite(
  place: Place,
  tx: Queryable,
  id: RowId,
  address: string,
): Promise<{ payload: string } | { reason: string }> {
  const [row] = await tx.query(
    `SELECT CASE WHEN LENGTH(payload) > ${mostRewritten} THEN '' ELSE payload END AS payload, delivered_to
     FROM ${place.t.queue} WHERE id = ?`,
    [id],
  );
  if (readAddressList(row?.['delivered_to']).includes(address))
    return { reason: 'the mail server has taken it for that address already' };
  try {
    const payload: unknown = JSON.parse(String(row?.['payload'] ?? ''));
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload))
      return { payload: JSON.stringify({ ...payload, to: address }) };
  } catch {
    // said below
  }
  return { reason: 'its text cannot be read, so it cannot be sent to anybody' };
}
