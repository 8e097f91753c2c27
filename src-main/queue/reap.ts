/** Taking over rows whose claimant died. Ids are selected first and written by primary key in small batches (FINDINGS 11). */
import type { RowId } from '../contract/rows.ts';
import type { Settings } from '../contract/settings.ts';
import type { SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { type NewLogLine, writeLog } from './log.ts';
import type { Place } from './place.ts';
import { oneMore } from './settle.ts';
import { failureInShop, reapElsewhere } from './shop-reap.ts';
import { tellShop } from './shop-rows.ts';

export interface Reaped {
  id: RowId;
  to: 'pending' | 'failed' | 'in-doubt';
  reason: string;
  recipient: string;
  subject: string;
}

/** Consoles that are dead for certain. */
export interface DeadConsoles {
  consoleIds: readonly string[];
  /** of each of them that kept a record: the claims whose dot may have been sent, null = not known */
  dots: ReadonlyMap<string, ReadonlySet<string> | null>;
}

const batch = 100;
export const crashedTooOften = 'worker repeatedly crashed';

/**
 * Claims without a sign of life for `claim_timeout`, and every claim of a console that is dead for certain. The
 * journal must have been replayed before: a journaled 2xx is not for this function to judge.
 */
export async function reap(
  place: Place,
  settings: Settings,
  dead: DeadConsoles,
  signal?: AbortSignal,
): Promise<Reaped[]> {
  const reaped: Reaped[] = [];
  for (const find of [
    () => staleClaims(place, settings.claim_timeout),
    () => claimsOf(place, dead.consoleIds),
  ]) {
    for (;;) {
      signal?.throwIfAborted();
      const found = await find();
      if (found.length === 0) break;
      let moved = 0;
      for (const claim of found) {
        const one = await takeOver(place, settings, claim, dead);
        if (one) reaped.push(one);
        if (one) moved += 1;
      }
      // a batch in which nothing moved would be found again for ever
      if (moved === 0 || found.length < batch) break;
    }
  }
  if (place.shop) reaped.push(...(await reapElsewhere(place, settings)));
  await endOrphanLines(place, settings.claim_timeout, dead.consoleIds);
  return reaped;
}

interface StaleClaim {
  id: RowId;
  claimId: string | null;
  /** s without a sign of life that made it stale; 0 = its console is dead for certain */
  timeoutS: number;
}

/**
 * No sign of life for so many seconds (two placeholders). A lease from the future was not written by this server's clock
 * as it runs now: waited for, it would hold its row for ever.
 */
const lapsed = (place: Place) =>
  `(claimed_at IS NULL OR claimed_at < ${place.d.nowS} - ? OR claimed_at > ${place.d.nowS} + ?)`;

async function staleClaims(place: Place, timeoutS: number): Promise<StaleClaim[]> {
  const rows = await place.db.query(
    `SELECT id, claim_id FROM ${place.t.queue} WHERE state = 'sending'
     AND ${lapsed(place)} ORDER BY id LIMIT ${batch}`,
    [timeoutS, timeoutS],
  );
  return rows.map((row) => toStale(row, timeoutS));
}

async function claimsOf(place: Place, consoleIds: readonly string[]): Promise<StaleClaim[]> {
  if (consoleIds.length === 0) return [];
  const rows = await place.db.query(
    `SELECT q.id, q.claim_id FROM ${place.t.queue} q
     JOIN ${place.t.attempts} a ON a.claim_id = q.claim_id AND a.queue_id = q.id
     WHERE q.state = 'sending' AND a.console_id IN (${marks(consoleIds.length)}) ORDER BY q.id LIMIT ${batch}`,
    consoleIds,
  );
  return rows.map((row) => toStale(row, 0));
}

const toStale = (row: Record<string, SqlValue>, timeoutS: number): StaleClaim => ({
  id: row['id'] as RowId,
  claimId: row['claim_id'] == null ? null : String(row['claim_id']),
  timeoutS,
});

async function takeOver(
  place: Place,
  settings: Settings,
  claim: StaleClaim,
  dead: DeadConsoles,
): Promise<Reaped | null> {
  return place.db.transaction(async (tx) => {
    const guard = claim.claimId === null ? 'claim_id IS NULL' : 'claim_id = ?';
    const key = claim.claimId === null ? [claim.id] : [claim.id, claim.claimId];
    const rows = await tx.query(
      `SELECT attempts, reclaims, recipient, subject FROM ${place.t.queue}
       WHERE id = ? AND ${guard} AND state = 'sending'
         AND (? = 0 OR ${lapsed(place)})${place.d.forUpdate}`,
      [...key, claim.timeoutS, claim.timeoutS, claim.timeoutS],
    );
    const row = rows[0];
    if (!row) return null; // settled meanwhile by whoever holds it, or its lease was renewed
    const lines = await tx.query<{ body_ms: SqlValue; console_id: string }>(
      `SELECT body_ms, console_id FROM ${place.t.attempts} WHERE queue_id = ? AND claim_id = ?`,
      [claim.id, claim.claimId ?? ''],
    );
    // Every console opens its line in the claim's own transaction: no line, or one without stamp, means no dot was sent.
    const mayHaveLeft = lines.some(
      (line) => line.body_ms !== null && dead.dots.get(line.console_id)?.has(claim.claimId ?? '') !== false,
    );
    const failed = mayHaveLeft ? null : await failedBefore(place, claim.id);
    const verdict = mayHaveLeft ? doubt(settings, row) : (failed ?? reclaim(settings, row));
    await tx.run(
      `UPDATE ${place.t.queue} SET state = ?, in_doubt = ?, last_error = ?, claimed_at = NULL, claim_id = NULL,
         notified_at = NULL, attempts = ${verdict.counts === 'attempts' ? oneMore('attempts') : 'attempts'},
         reclaims = ${verdict.counts === 'reclaims' ? oneMore('reclaims') : 'reclaims'},
         scheduled_at = CASE WHEN ? > 0 THEN ${place.d.nowS} + ? ELSE scheduled_at END
       WHERE id = ? AND ${guard} AND state = 'sending'`,
      [
        verdict.to === 'pending' ? 'pending' : 'failed',
        verdict.to === 'in-doubt',
        place.spell(verdict.reason),
        verdict.delayS,
        verdict.delayS,
        ...key,
      ],
    );
    await tellShop(place, tx, [{ id: claim.id, delayS: verdict.delayS }]);
    await tx.run(
      `UPDATE ${place.t.attempts} SET finished_ms = ${place.d.nowMs}, outcome = ?
       WHERE queue_id = ? AND claim_id = ? AND finished_ms IS NULL`,
      [mayHaveLeft ? 'in-doubt' : failed ? 'rejected' : 'none', claim.id, claim.claimId ?? ''],
    );
    const log: NewLogLine = {
      level: verdict.to === 'pending' ? 'warning' : 'error',
      queueId: claim.id,
      message: `Row ${claim.id} was taken over from a worker that died: ${verdict.reason}`,
    };
    await writeLog(place, [log], tx);
    const { recipient, subject } = row;
    return {
      id: claim.id,
      to: verdict.to,
      reason: verdict.reason,
      recipient: String(recipient),
      subject: String(subject),
    };
  });
}

interface Verdict {
  to: Reaped['to'];
  counts: 'attempts' | 'reclaims';
  reason: string;
  delayS: number;
}

/** The books lie with the console, and the shop's table was told of a failure before they were. */
async function failedBefore(place: Place, id: RowId): Promise<Verdict | null> {
  const reason = await failureInShop(place, id);
  return reason === null ? null : { to: 'failed', counts: 'attempts', reason, delayS: 0 };
}

/** `body_ms` is stamped: the dot may have been sent. */
function doubt(settings: Settings, row: Record<string, SqlValue>): Verdict {
  const attempts = Number(row['attempts']) + 1;
  const reason = 'the worker died between the end of the mail and the server’s answer: it may have arrived';
  if (settings.in_doubt === 'retry' && attempts < settings.max_attempts) {
    return { to: 'pending', counts: 'attempts', reason, delayS: 300 };
  }
  return { to: 'in-doubt', counts: 'attempts', reason, delayS: 0 };
}

/** `body_ms` is empty: certainly not delivered. The same row again and again is a poison row: it waits longer each time. */
function reclaim(settings: Settings, row: Record<string, SqlValue>): Verdict {
  const reclaims = Number(row['reclaims']) + 1;
  if (reclaims > settings.max_reclaims)
    return { to: 'failed', counts: 'reclaims', reason: crashedTooOften, delayS: 0 };
  const delayS = reclaims < 2 ? 0 : Math.min(3600, 30 * 2 ** (reclaims - 1));
  return { to: 'pending', counts: 'reclaims', reason: 'it had not been sent and waits again', delayS };
}

/** Lines left open by a claimant whose row is gone or moved on: they would count for the cap for ever. */
async function endOrphanLines(place: Place, timeoutS: number, consoleIds: readonly string[]): Promise<void> {
  const deadOnes = consoleIds.length ? ` OR a.console_id IN (${marks(consoleIds.length)})` : '';
  const rows = await place.db.query(
    `SELECT a.id FROM ${place.t.attempts} a
     LEFT JOIN ${place.t.queue} q ON q.id = a.queue_id AND q.claim_id = a.claim_id AND q.state = 'sending'
     WHERE a.finished_ms IS NULL AND q.id IS NULL AND (a.started_ms < ${place.d.nowMs} - ?${deadOnes})
     ORDER BY a.id LIMIT 500`,
    [timeoutS * 1000, ...consoleIds],
  );
  if (rows.length === 0) return;
  await place.db.run(
    `UPDATE ${place.t.attempts} SET finished_ms = ${place.d.nowMs}, outcome = CASE WHEN body_ms IS NULL THEN 'none' ELSE 'in-doubt' END
     WHERE finished_ms IS NULL AND id IN (${marks(rows.length)})`,
    rows.map((row) => row['id'] as SqlValue),
  );
}
