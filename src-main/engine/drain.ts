/** The books of one drain, by the ledger and the rows: what the command line prints at its end. */
import type { DrainSummary } from '../contract/desk.ts';
import type { Profile } from '../contract/profile.ts';
import { auditLedger, countRows, longestWait } from '../queue/browse.ts';
import { readPace } from '../queue/lane.ts';
import type { Place } from '../queue/place.ts';
import { readStateAndSettings } from '../queue/settings-table.ts';
import type { Engine } from './engine.ts';

/** `sinceMs`: when this process began to drain, by the database's clock. */
export async function drainSummary(
  place: Place,
  profile: Profile,
  engine: Engine | null,
  sinceMs: number,
): Promise<DrainSummary> {
  const tally = engine?.tally ?? { sent: 0, failed: 0, deferred: 0, inDoubt: 0 };
  const { settings } = await readStateAndSettings(place);
  const counts = await countRows(place);
  const audit = await auditLedger(place, sinceMs, 60_000);
  const { nowMs } = await readPace(place);
  return {
    sent: tally.sent,
    failed: tally.failed,
    deferred: tally.deferred,
    in_doubt: tally.inDoubt,
    remaining: counts.pending + counts.sending,
    longest_wait_s: await longestWait(place, Math.floor(sinceMs / 1000)),
    most_in_60s: audit.mostInWindow,
    cap_per_60s: profile.uncapped ? null : settings.rate_per_minute,
    duplicates: audit.duplicates,
    took_s: Math.round((nowMs - sinceMs) / 100) / 10,
  };
}
