import type { ShapeName } from './profile.ts';
import type { RowCounts, RowId, RowState } from './rows.ts';
import type { QueueState, Settings } from './settings.ts';

/** A pause of the lane: by a person or by a fault; kept in the pace row so that all consoles know. */
export interface LanePause {
  by: 'person' | 'fault';
  reason: string;
  /** s since 1970 by the database's clock */
  until: number;
}

/** A console or headless worker that was seen lately. */
export interface ConsoleSeen {
  id: string;
  name: string;
  version: string;
  /** s, database clock */
  seen_at: number;
  /** s, when it last was able to send */
  able_at: number | null;
  /** s, since when it drains without a break; null = it does not say */
  since: number | null;
  /** rows it holds a claim on */
  holds: number;
  self: boolean;
}

/** The console that drains alone since it has taken over from the others. */
export interface DrainBy {
  id: string;
  name: string;
  /** s, database clock */
  since: number;
}

/** What was found after the machine had slept. Times in s since 1970 by the database's clock. */
export interface SleepReport {
  from: number;
  to: number;
  /** rows that waited at waking */
  waited: number;
  /** rows that were taken over: accepted before the sleep, given back, failed, in doubt */
  sent: number;
  given_back: number;
  failed: number;
  in_doubt: number;
}

export type LightColor = 'green' | 'amber' | 'red' | 'grey';
/** One lamp of the banner; `cause` in plain words whenever it is not green. */
export interface Light {
  color: LightColor;
  cause: string | null;
}

/** The banner: everything a glance must tell. Times in s since 1970 by the database's clock. */
export interface ShopStatus {
  profile: string;
  now: number;
  state: QueueState;
  counts: RowCounts;
  /** rows that still have to leave (pending + sending) */
  remaining: number;
  /** planned departure of the next row and of the last one; null when nothing waits */
  next_at: number | null;
  empty_at: number | null;
  rate: {
    set_per_minute: number;
    interval_ms: number;
    /** present while the mail server's throttling made us slower than set, ms */
    learned_interval_ms: number | null;
    used_minute: number;
    used_hour: number;
    used_day: number;
    cap_hour: number;
    cap_day: number;
    uncapped: boolean;
  };
  pause: LanePause | null;
  consoles: ConsoleSeen[];
  /** null = whoever drains shares the cap with the others */
  drain_by: DrainBy | null;
  /** the last sleep of this machine; null = it has not slept while this console drained */
  sleep: SleepReport | null;
  in_flight: RowId[];
  settings: Settings;
  lights: { shop: Light; database: Light; mail: Light };
  /** this machine's clock minus the database's, ms; shown, trusted for nothing */
  skew_ms: number;
  shape: ShapeSeen;
}

/** How the shop's own table calls our states, and what does not hold there. */
export interface ShapeSeen {
  name: ShapeName;
  /** null = our own words */
  words: Record<RowState, string> | null;
  /** where ledger, pace and log lie; `console`: two consoles cannot share the cap */
  books: 'shop' | 'console';
}

/** The table's own word for a state where it is another one than ours; null = ours says it. */
export function ownWord(words: ShapeSeen['words'], state: RowState): string | null {
  const word = words?.[state];
  return word && word !== state ? word : null;
}

/** Mail type, order number and priority: no other shape than ours has columns for them. */
export const holdsMailTypes = (shape: ShapeName): boolean => shape === 'studiou-wcmq';
