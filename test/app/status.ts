import { defaultSettings } from '../../src-main/contract/settings.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';

/** A status where all is well and nothing waits, with what a test is about put in. */
export function emptyStatus(some: Partial<ShopStatus> = {}): ShopStatus {
  const green = { color: 'green' as const, cause: null };
  return {
    profile: 'demo',
    now: 1_000_000,
    state: 'enabled',
    counts: { pending: 0, sending: 0, sent: 0, failed: 0, in_doubt: 0 },
    remaining: 0,
    next_at: null,
    empty_at: null,
    rate: {
      set_per_minute: 5,
      interval_ms: 12_000,
      learned_interval_ms: null,
      used_minute: 0,
      used_hour: 0,
      used_day: 0,
      cap_hour: 0,
      cap_day: 0,
      uncapped: false,
    },
    pause: null,
    drain_by: null,
    sleep: null,
    consoles: [],
    in_flight: [],
    settings: defaultSettings,
    lights: { shop: green, database: green, mail: green },
    skew_ms: 0,
    shape: { name: 'studiou-wcmq', words: null, books: 'shop' },
    ...some,
  };
}
