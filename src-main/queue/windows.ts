/** How much of the caps is used, counted from the ledger (promise 3). */
import type { Queryable, SqlValue } from '../shop/database.ts';
import type { Place } from './place.ts';

/** How full the windows are; `*FreeMs` = when the oldest finished line leaves that window, null where none will. */
export interface WindowUse {
  minute: number;
  hour: number;
  day: number;
  minuteFreeMs: number | null;
  hourFreeMs: number | null;
  dayFreeMs: number | null;
}
const unused: WindowUse = {
  minute: 0,
  hour: 0,
  day: 0,
  minuteFreeMs: null,
  hourFreeMs: null,
  dayFreeMs: null,
};

/**
 * Counts the windows from the ledger. A line counts, whatever its outcome, while it is unfinished or finished within
 * the window: it was accepted at the latest when it was finished, so no sliding window of the *receiving* server can
 * hold more. `recipients` = 0 marks a conversation that never came to MAIL FROM.
 */
export async function countWindows(
  place: Place,
  on: Queryable,
  nowMs: number,
  windows: { minute: boolean; hour: boolean; day: boolean },
): Promise<WindowUse> {
  if (!windows.minute && !windows.hour && !windows.day) return unused;
  const reach = windows.day ? 86_400_000 : windows.hour ? 3_600_000 : 60_000;
  // Two range reads of the key (finished_ms, recipients) instead of an OR, which MySQL may answer with a full scan.
  const part = (condition: string) =>
    `SELECT finished_ms, recipients FROM ${place.t.attempts} WHERE recipients > 0 AND ${condition}`;
  const rows = await on.query(
    `SELECT SUM(CASE WHEN finished_ms IS NULL OR finished_ms > ? THEN 1 ELSE 0 END) AS minute,
       SUM(CASE WHEN finished_ms IS NULL OR finished_ms > ? THEN recipients ELSE 0 END) AS hour,
       SUM(recipients) AS day,
       MIN(CASE WHEN finished_ms > ? THEN finished_ms END) AS first_minute,
       MIN(CASE WHEN finished_ms > ? THEN finished_ms END) AS first_hour,
       MIN(finished_ms) AS first_day
     FROM (${part('finished_ms > ?')} UNION ALL ${part('finished_ms IS NULL')}) lines_in_reach`,
    [nowMs - 60_000, nowMs - 3_600_000, nowMs - 60_000, nowMs - 3_600_000, nowMs - reach],
  );
  const row = rows[0] ?? {};
  const leaves = (first: SqlValue | undefined, window: number) =>
    first == null ? null : Number(first) + window;
  return {
    minute: Number(row['minute'] ?? 0),
    hour: windows.hour || windows.day ? Number(row['hour'] ?? 0) : 0,
    day: windows.day ? Number(row['day'] ?? 0) : 0,
    minuteFreeMs: leaves(row['first_minute'], 60_000),
    hourFreeMs: leaves(row['first_hour'], 3_600_000),
    dayFreeMs: leaves(row['first_day'], 86_400_000),
  };
}
