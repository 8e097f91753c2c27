/** The pace row: how the lane stands. Pauses and the learned rate live here, so that all consoles of a shop know. */
import type { LanePause } from '../contract/status.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import type { Place } from './place.ts';

export interface PaceRow {
  lastStartMs: number;
  learnedIntervalMs: number | null;
  pause: LanePause | null;
}

/** `pause_reason` begins with who paused: one column has to carry both (DESIGN section 4). */
const faultMark = 'fault: ';
const personMark = 'person: ';

export function readPause(until: SqlValue | undefined, reason: SqlValue | undefined): LanePause | null {
  if (until === null || until === undefined) return null;
  const text = typeof reason === 'string' ? reason : '';
  if (text.startsWith(faultMark))
    return { by: 'fault', reason: text.slice(faultMark.length), until: Number(until) };
  return {
    by: 'person',
    reason: text.startsWith(personMark) ? text.slice(personMark.length) : text,
    until: Number(until),
  };
}

export const paceColumns = 'last_start_ms, learned_interval_ms, paused_until, pause_reason';

export function toPaceRow(row: Record<string, SqlValue>): PaceRow {
  return {
    lastStartMs: Number(row['last_start_ms'] ?? 0),
    learnedIntervalMs: row['learned_interval_ms'] == null ? null : Number(row['learned_interval_ms']),
    pause: readPause(row['paused_until'], row['pause_reason']),
  };
}

export async function readPace(place: Place): Promise<PaceRow & { nowS: number; nowMs: number }> {
  const rows = await place.db.query(
    `SELECT ${paceColumns}, ${place.d.nowMs} AS now_ms FROM ${place.t.pace} WHERE id = 1`,
  );
  const row = rows[0];
  if (!row) {
    await makePaceRow(place);
    return readPace(place);
  }
  const nowMs = Number(row['now_ms']);
  return { ...toPaceRow(row), nowMs, nowS: Math.floor(nowMs / 1000) };
}

async function makePaceRow(place: Place): Promise<void> {
  await place.db.run(`${place.d.insertIgnore} ${place.t.pace} (id, last_start_ms) VALUES (1, 0)`);
}

/**
 * Pauses the lane for `seconds` by the database's clock. A fault never shortens nor renames a person's pause;
 * a person's pause replaces any other. Answers the pause that holds afterwards.
 */
export async function pauseLane(
  place: Place,
  by: LanePause['by'],
  reason: string,
  seconds: number,
): Promise<LanePause> {
  const text = place.spell(`${by === 'fault' ? faultMark : personMark}${reason}`.slice(0, 1000));
  const guard =
    by === 'fault'
      ? ` AND (paused_until IS NULL OR paused_until <= ${place.d.nowS} OR pause_reason LIKE '${faultMark}%')`
      : '';
  await makePaceRow(place); // a pause that finds no row would be lost without a word
  await place.db.run(
    `UPDATE ${place.t.pace} SET paused_until = ${place.d.nowS} + ?, pause_reason = ? WHERE id = 1${guard}`,
    [Math.max(1, Math.ceil(seconds)), text],
  );
  const { pause, nowS } = await readPace(place);
  return pause ?? { by, reason, until: nowS + Math.ceil(seconds) };
}

/** Ends a pause; `only` = end it only if it was made by that side. True when there was one to end. */
export async function resumeLane(place: Place, only?: LanePause['by']): Promise<boolean> {
  const guard =
    only === undefined
      ? ''
      : ` AND COALESCE(pause_reason, '') ${only === 'fault' ? '' : 'NOT '}LIKE '${faultMark}%'`;
  const { matched } = await place.db.run(
    `UPDATE ${place.t.pace} SET paused_until = NULL, pause_reason = NULL WHERE id = 1 AND paused_until IS NOT NULL${guard}`,
  );
  return matched > 0;
}

/** Slowest learned pace: one mail in 15 min. A host that wants less than that wants a person. */
const slowestMs = 900_000;

/** Throttled: twice the interval that was in force (DESIGN section 5: the learned rate halves). Answers the new one, ms. */
export async function slowDown(place: Place, setIntervalMs: number): Promise<number> {
  return place.db.transaction(async (tx) => {
    const learned = await learnedInterval(place, tx);
    const next = Math.min(slowestMs, Math.max(learned ?? 0, setIntervalMs, 1000) * 2);
    await tx.run(`UPDATE ${place.t.pace} SET learned_interval_ms = ? WHERE id = 1`, [next]);
    return next;
  });
}

/** Climbs back by a tenth towards the set rate; null once the set rate is reached. */
export async function speedUp(place: Place, setIntervalMs: number): Promise<number | null> {
  return place.db.transaction(async (tx) => {
    const learned = await learnedInterval(place, tx);
    if (learned === null) return null;
    const eased = Math.floor(learned * 0.9);
    const next = eased <= Math.max(setIntervalMs, 1000) ? null : eased;
    await tx.run(`UPDATE ${place.t.pace} SET learned_interval_ms = ? WHERE id = 1`, [next]);
    return next;
  });
}

async function learnedInterval(place: Place, tx: Queryable): Promise<number | null> {
  const rows = await tx.query(
    `SELECT learned_interval_ms FROM ${place.t.pace} WHERE id = 1${place.d.forUpdate}`,
  );
  const value = rows[0]?.['learned_interval_ms'];
  return value == null ? null : Number(value);
}
