import { z } from 'zod';

/** Whether the shop queues and the consoles drain (plan section 7). Anything else in the table means disabled. */
export const queueStates = ['enabled', 'draining', 'disabled'] as const;
export type QueueState = (typeof queueStates)[number];

/** The stored state, whatever was found there: fails closed (plan section 5). */
export function readState(stored: unknown): QueueState {
  return queueStates.find((state) => state === stored) ?? 'disabled';
}

/** Bounds and defaults of the numeric settings, one place for sanitising, the settings screen and the docs. */
export const settingBounds = {
  /** mails per minute */
  rate_per_minute: { min: 1, max: 60, default: 5 },
  /** envelope recipients per hour, 0 = no cap */
  rate_per_hour: { min: 0, max: 1_000_000, default: 0 },
  /** envelope recipients per day, 0 = no cap */
  rate_per_day: { min: 0, max: 10_000_000, default: 0 },
  /** completed conversations before a row fails */
  max_attempts: { min: 1, max: 10, default: 3 },
  /** dead claimants before a row fails */
  max_reclaims: { min: 1, max: 100, default: 5 },
  /** s without a sign of life before a foreign claim is taken over; above the mail server's idle timeout */
  claim_timeout: { min: 60, max: 86_400, default: 900 },
  /** days, 0 = for ever */
  retention_sent_days: { min: 0, max: 3_650, default: 7 },
  retention_failed_days: { min: 0, max: 3_650, default: 30 },
  retention_log_days: { min: 0, max: 3_650, default: 14 },
  /** s since a console was able to send, after which the shop sends mail itself */
  console_timeout: { min: 60, max: 86_400, default: 900 },
} as const satisfies Record<string, { min: number; max: number; default: number }>;

export type NumericSetting = keyof typeof settingBounds;

/**
 * A number clamped into its bounds; what is no number becomes the default (DESIGN section 4: 0 and -1 become 1,
 * 9999 becomes 60, 'abc' becomes 5, and nothing crashes). Numeric strings count as numbers: PHP writes them.
 */
function clamped({ min, max, default: fallback }: { min: number; max: number; default: number }) {
  return z.unknown().transform((value): number => {
    const text = typeof value === 'string' ? value.trim() : value;
    const number =
      typeof text === 'number' ? text : typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
    if (Number.isNaN(number)) return fallback;
    return Math.min(max, Math.max(min, Math.trunc(number)));
  });
}

/** context (mail type id) -> whole number in bounds; entries that are no numbers are dropped */
function numberMap(min: number, max: number) {
  return z.unknown().transform((value): Record<string, number> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    const clean: Record<string, number> = {};
    for (const [context, raw] of Object.entries(value)) {
      const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      if (typeof number !== 'number' || Number.isNaN(number) || context === '__proto__') continue;
      clean[context] = Math.min(max, Math.max(min, Math.trunc(number)));
    }
    return clean;
  });
}

const settingsShape = z.object({
  rate_per_minute: clamped(settingBounds.rate_per_minute),
  rate_per_hour: clamped(settingBounds.rate_per_hour),
  rate_per_day: clamped(settingBounds.rate_per_day),
  /** mail type ids that the shop queues */
  handled_contexts: z.unknown().transform((value): string[] => {
    if (!Array.isArray(value)) return ['customer_completed_order'];
    return [...new Set(value.filter((item): item is string => typeof item === 'string' && item !== ''))];
  }),
  /** mail type id -> priority; smaller leaves first (SMALLINT) */
  priorities: numberMap(-32_768, 32_767),
  /** mail type id -> s after creation at which a waiting row fails as expired; 0 = never */
  expire_after: numberMap(0, 10 * 365 * 86_400),
  max_attempts: clamped(settingBounds.max_attempts),
  max_reclaims: clamped(settingBounds.max_reclaims),
  claim_timeout: clamped(settingBounds.claim_timeout),
  retention_sent_days: clamped(settingBounds.retention_sent_days),
  retention_failed_days: clamped(settingBounds.retention_failed_days),
  retention_log_days: clamped(settingBounds.retention_log_days),
  /** what becomes of a mail that may or may not have arrived: held for a person, or sent again */
  in_doubt: z.unknown().transform((value): 'hold' | 'retry' => (value === 'retry' ? 'retry' : 'hold')),
  console_timeout: clamped(settingBounds.console_timeout),
  /** whether debug lines are written to the log table */
  debug: z.unknown().transform((value) => value === true || value === 1 || value === '1' || value === 'yes'),
});

export type Settings = z.infer<typeof settingsShape>;

/** Settings from whatever was stored: never throws, always complete, always inside the bounds. */
export function readSettings(stored: unknown): Settings {
  const source = typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? stored : {};
  const complete = Object.fromEntries(
    Object.keys(settingsShape.shape).map((key) => [key, (source as Record<string, unknown>)[key]]),
  );
  return settingsShape.parse(complete);
}

export const defaultSettings: Settings = readSettings({});

/**
 * ms between two conversations at a rate: rounded *up* to whole seconds, since rounding the spacing down rounds
 * the rate up (plan section 4.1: 7 a minute means 9 s, not 8).
 */
export function intervalMs(ratePerMinute: number): number {
  const rate = Math.min(60, Math.max(1, Math.trunc(ratePerMinute) || settingBounds.rate_per_minute.default));
  return Math.ceil(60 / rate) * 1000;
}
