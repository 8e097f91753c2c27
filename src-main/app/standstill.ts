import type { ShopConnection } from '../contract/channels.ts';
import type { ShopStatus } from '../contract/status.ts';

/** ms without a mail leaving after which a person is told (plan section 8.2: thirty minutes). */
export const standstillMs = 30 * 60_000;

/** What is known of a shop at a look; `status` is the last one that was read. */
export interface Seen {
  phase: ShopConnection['phase'];
  status: ShopStatus | null;
}

/** `stands`: mail is due and none has left. `unreached`: nobody knows, since the shop cannot be reached. */
export type Standstill = 'stands' | 'unreached';

/** Notices that nothing leaves although it should, and says so once, until something moves again. */
export class StandstillWatch {
  private readonly since = new Map<string, { key: string; atMs: number; told: boolean }>();

  /** @param nowMs a clock that runs on while the machine sleeps would tell of the night: give a monotonic one */
  look(profile: string, seen: Seen, nowMs: number): Standstill | null {
    const trouble = troubleOf(seen);
    if (trouble === null) {
      this.since.delete(profile);
      return null;
    }
    const { status } = seen;
    const key = `${trouble} ${status?.counts.sent ?? 0} ${status?.counts.failed ?? 0}`;
    const known = this.since.get(profile);
    if (!known || known.key !== key) {
      this.since.set(profile, { key, atMs: nowMs, told: false });
      return null;
    }
    if (known.told || nowMs - known.atMs < standstillMs) return null;
    known.told = true;
    return trouble;
  }
}

function troubleOf({ phase, status }: Seen): Standstill | null {
  if (phase === 'failed') return 'unreached';
  if (phase !== 'open' || !status || status.state === 'disabled' || status.remaining === 0) return null;
  // a person knows of their own pause; a lane that a fault has paused was told of when it was
  if (status.pause) return null;
  if (status.lights.shop.color === 'red') return 'unreached';
  const due = status.next_at !== null && status.next_at <= status.now;
  // one that is on its way is no excuse: a server that keeps silent for half an hour is just this
  return due || status.in_flight.length > 0 ? 'stands' : null;
}
