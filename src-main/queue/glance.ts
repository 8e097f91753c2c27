/** One cheap statement for consoles that have nothing to do: at most 12 a minute while nothing waits. */
import { type QueueState, readState } from '../contract/settings.ts';
import type { Place } from './place.ts';
import { fromJson } from './settings-table.ts';

/** What an idle console needs to know, in one cheap statement (at most 12 a minute while nothing waits). */
export interface Glance {
  nowS: number;
  state: QueueState;
  /** when the first waiting row is due, s; null when none waits */
  dueS: number | null;
  /** a row is being sent, by whomever */
  sending: boolean;
}

export async function glance(place: Place): Promise<Glance> {
  const seen = await glanceAtBooks(place);
  if (!place.shop) return seen;
  return { ...seen, dueS: await place.shop.table.nextDue(place.shop.db) };
}

async function glanceAtBooks(place: Place): Promise<Glance> {
  // ORDER BY ... LIMIT 1 stops at the first row of the key (state, scheduled_at); MIN() reads every waiting mail
  const rows = await place.db.query(
    `SELECT ${place.d.nowS} AS now,
       (SELECT value FROM ${place.t.settings} WHERE name = 'state') AS state,
       (SELECT scheduled_at FROM ${place.t.queue} WHERE state = 'pending'
          AND (held_until IS NULL OR held_until <= ${place.d.nowS}) ORDER BY scheduled_at LIMIT 1) AS due,
       EXISTS (SELECT 1 FROM ${place.t.queue} WHERE state = 'sending') AS sending`,
  );
  const row = rows[0] ?? {};
  return {
    nowS: Number(row['now']),
    state: readState(fromJson(row['state'])),
    dueS: row['due'] == null ? null : Number(row['due']),
    sending: Number(row['sending']) === 1,
  };
}
