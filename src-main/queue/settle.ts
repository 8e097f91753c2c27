/** Writing outcomes back. Every write is guarded by state *and* claim_id; a claim that is no longer held is a normal result. */

import type { RowId } from '../contract/rows.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { endLedgerLines } from './ledger.ts';
import { type NewLogLine, writeLog } from './log.ts';
import type { Place } from './place.ts';
import { mostDeliveredBytes, rememberAccepted } from './remember.ts';
import { tellShop } from './shop-rows.ts';
import { asciiJson } from './spelling.ts';
import type { Settlement } from './transitions.ts';

/** attempts and reclaims are TINYINT UNSIGNED: one more than 255 is an error in strict mode. */
export const oneMore = (counter: 'attempts' | 'reclaims') =>
  `CASE WHEN ${counter} < 255 THEN ${counter} + 1 ELSE ${counter} END`;

/** last_error is TEXT, 65,535 bytes: 4,000 characters of up to 4 bytes stay far below. */
const cutReason = (place: Place, reason: string | null) =>
  reason === null ? null : place.spell(reason.slice(0, 4000));

/**
 * Settles claims in one transaction: the rows, their ledger lines and one log line each. Answers the claim ids that
 * were still held; for the others nothing but a log line and the end of their ledger line was written.
 */
export async function settle(place: Place, settlements: readonly Settlement[]): Promise<Set<string>> {
  if (settlements.length === 0) return new Set();
  const order = settlements.map(rememberable).sort((a, b) => compareIds(a.id, b.id));
  return place.db.transaction(async (tx) => {
    const claims = order.map((one) => one.claimId);
    const ids = order.map((one) => one.id);
    const rows = await tx.query<{ claim_id: string }>(
      `SELECT claim_id FROM ${place.t.queue} WHERE id IN (${marks(ids.length)}) AND claim_id IN (${marks(claims.length)})
       AND state = 'sending' ORDER BY id${place.d.forUpdate}`,
      [...ids, ...claims],
    );
    const held = new Set(rows.map((row) => row.claim_id));
    const mine = order.filter((one) => held.has(one.claimId));
    const lost = order.filter((one) => !held.has(one.claimId));
    await writeSent(place, tx, mine);
    for (const one of mine) if (one.to !== 'sent') await writeOther(place, tx, one);
    await tellShop(place, tx, mine);
    await endLedgerLines(place, tx, order);
    await writeLog(place, [...mine.map(logLine), ...lost.map(lostLine)], tx);
    return held;
  });
}

/**
 * A row with more accepted recipients than its column can hold must not go out by itself again: who has it would get it
 * twice. A person decides.
 */
function rememberable(one: Settlement): Settlement {
  if (one.to === 'sent' || one.deliveredTo === null) return one;
  if (asciiJson(one.deliveredTo).length <= mostDeliveredBytes) return one;
  const reason = `${one.reason.slice(0, 1000)}; ${one.deliveredTo.length} recipients have it already, more than can be remembered`;
  const { id, claimId, messageId, ledger, counted } = one;
  return { to: 'failed', id, claimId, messageId, ledger, counted, inDoubt: true, reason, deliveredTo: null };
}

function compareIds(a: RowId, b: RowId): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [String(a), String(b)];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

async function writeSent(place: Place, tx: Queryable, settlements: readonly Settlement[]): Promise<void> {
  const sent = settlements.filter((one) => one.to === 'sent');
  if (sent.length === 0) return;
  const ids = sent.map((one) => one.id);
  const notes = sent.filter((one) => one.note !== null);
  const lastError = notes.length
    ? `CASE id ${notes.map(() => 'WHEN ? THEN ?').join(' ')} ELSE NULL END`
    : 'NULL';
  await tx.run(
    `UPDATE ${place.t.queue} SET state = 'sent', sent_at = ${place.d.nowS}, attempts = ${oneMore('attempts')},
       claimed_at = NULL, claim_id = NULL, in_doubt = 0, notified_at = NULL, last_error = ${lastError}
     WHERE id IN (${marks(ids.length)}) AND state = 'sending' AND claim_id IN (${marks(ids.length)})`,
    [
      ...notes.flatMap((one) => [one.id, cutReason(place, one.note)]),
      ...ids,
      ...sent.map((one) => one.claimId),
    ],
  );
}

async function writeOther(
  place: Place,
  tx: Queryable,
  one: Exclude<Settlement, { to: 'sent' }>,
): Promise<void> {
  const delivered = one.deliveredTo === null ? null : asciiJson(one.deliveredTo);
  const set =
    one.to === 'pending'
      ? // a released row keeps its place in the queue; a counted one waits from now on
        `state = 'pending', scheduled_at = CASE WHEN ? > 0 THEN ${place.d.nowS} + ? ELSE scheduled_at END`
      : `state = 'failed', in_doubt = ?, notified_at = ?`;
  const delay = one.to === 'pending' ? Math.ceil(one.delayS) : 0;
  const head: SqlValue[] = one.to === 'pending' ? [delay, delay] : [one.inDoubt, null];
  await tx.run(
    `UPDATE ${place.t.queue} SET ${set}, claimed_at = NULL, claim_id = NULL, last_error = ?,
       attempts = ${one.counted ? oneMore('attempts') : 'attempts'},
       delivered_to = CASE WHEN ? IS NULL THEN delivered_to ELSE ? END
     WHERE id = ? AND state = 'sending' AND claim_id = ?`,
    [...head, cutReason(place, one.reason), delivered, delivered, one.id, one.claimId],
  );
}

function logLine(one: Settlement): NewLogLine {
  const queueId = one.id;
  if (one.to === 'sent') {
    const said = one.ledger.response ? ` (${one.ledger.smtpCode ?? ''} ${one.ledger.response})` : '';
    const refused = one.note ? `; ${one.note}` : '';
    return { level: one.note ? 'warning' : 'info', queueId, message: `Row ${one.id} sent${said}${refused}` };
  }
  if (one.to === 'failed') {
    const head = one.inDoubt ? `Row ${one.id} is in doubt` : `Row ${one.id} failed`;
    return { level: 'error', queueId, message: `${head}: ${one.reason}` };
  }
  if (!one.counted) return { level: 'info', queueId, message: `Row ${one.id} given back: ${one.reason}` };
  return { level: 'warning', queueId, message: `Row ${one.id} will be tried again: ${one.reason}` };
}

function lostLine(one: Settlement): NewLogLine {
  const message = `Row ${one.id}: the claim was no longer held when its outcome (${one.ledger.outcome}) came; nothing was changed`;
  return { level: 'warning', queueId: one.id, message };
}

/**
 * A journaled 2xx outranks the lease (promise 2): the row with the same id and message_id goes from sending, pending or
 * in doubt to sent, whoever holds it. `attempts` is counted here only while our own claim still stands; when the claim
 * was taken over, the doubt was counted then.
 */
export async function settleFromJournal(place: Place, one: Settlement): Promise<boolean> {
  if (one.to === 'sent') return outrankLease(place, one);
  return (await settle(place, [one])).has(one.claimId) || outrankLease(place, one);
}

/** What a 2xx does to a row whose claim is not held any more; nothing where the answer was none. */
export async function outrankLease(place: Place, one: Settlement): Promise<boolean> {
  if (one.to !== 'sent') return one.deliveredTo !== null && rememberAccepted(place, one, one.deliveredTo);
  return place.db.transaction(async (tx) => {
    const where = `id = ? AND message_id = ? AND (state IN ('sending', 'pending') OR (state = 'failed' AND in_doubt = 1))`;
    const rows = await tx.query(`SELECT id FROM ${place.t.queue} WHERE ${where}${place.d.forUpdate}`, [
      one.id,
      one.messageId,
    ]);
    if (rows.length > 0) {
      await tx.run(
        `UPDATE ${place.t.queue} SET attempts = CASE WHEN claim_id = ? AND attempts < 255 THEN attempts + 1 ELSE attempts END,
           state = 'sent', sent_at = ${place.d.nowS}, claimed_at = NULL, claim_id = NULL, in_doubt = 0, notified_at = NULL,
           last_error = ? WHERE ${where}`,
        [one.claimId, cutReason(place, one.note), one.id, one.messageId],
      );
    }
    if (rows.length > 0) await tellShop(place, tx, [one]);
    await endLedgerLines(place, tx, [one]);
    const message = `Row ${one.id} sent, as the journal remembers (${one.ledger.response ?? 'accepted'})`;
    if (rows.length > 0) await writeLog(place, [{ level: 'info', queueId: one.id, message }], tx);
    return rows.length > 0;
  });
}

/**
 * Which of these settlements are in the database already, by their ledger lines: asked after a COMMIT whose answer was
 * lost. A line that the reaper ended carries another outcome than ours. A 2xx whose claim had been lost ended its line
 * too, without moving the row: only a row that is sent, or gone, makes it known, else the journal must speak.
 */
export async function settledAlready(place: Place, settlements: readonly Settlement[]): Promise<Set<string>> {
  if (settlements.length === 0) return new Set();
  const rows = await place.db.query<{ claim_id: string; outcome: string | null }>(
    `SELECT a.claim_id, a.outcome FROM ${place.t.attempts} a LEFT JOIN ${place.t.queue} q ON q.id = a.queue_id
     WHERE a.claim_id IN (${marks(settlements.length)}) AND a.finished_ms IS NOT NULL
       AND (a.outcome <> 'sent' OR q.id IS NULL OR q.state = 'sent')`,
    settlements.map((one) => one.claimId),
  );
  const ended = new Map(rows.map((row) => [row.claim_id, row.outcome]));
  return new Set(
    settlements
      .filter((one) => ended.get(one.claimId) === one.ledger.outcome)
      // who has a mail in part must be written down; doing so twice is harmless
      .filter((one) => one.to === 'sent' || one.deliveredTo === null)
      .map((one) => one.claimId),
  );
}

/** Claim ids of those entries that this database knows, by their ledger line or their row. */
export async function belongsHere(place: Place, entries: readonly Settlement[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const one of entries) {
    const [found] = await place.db.query<{ n: number }>(
      `SELECT EXISTS (SELECT 1 FROM ${place.t.attempts} WHERE claim_id = ?)
         OR EXISTS (SELECT 1 FROM ${place.t.queue} WHERE id = ? AND message_id = ?) AS n`,
      [one.claimId, one.id, one.messageId],
    );
    if (Number(found?.n) === 1) known.add(one.claimId);
  }
  return known;
}
