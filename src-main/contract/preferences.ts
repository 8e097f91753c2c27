/** What a person sets for this computer alone; the shop's own settings are another thing (contract/settings). */
import { z } from 'zod';

/** A time of day as the clock on the wall has it: 22:00. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** From `from` to `to`, over midnight where `to` is the smaller one; the same twice is the whole day. */
export const quietHours = z.strictObject({ from: timeOfDay, to: timeOfDay });
export type QuietHours = z.infer<typeof quietHours>;

/**
 * - `all`: each failure is told of, too
 * - `problems`: what needs a person: doubts, a paused lane, a shop from which nothing leaves
 */
export const notifyLevels = ['all', 'problems', 'none'] as const;
export type NotifyLevel = (typeof notifyLevels)[number];

export const preferences = z.strictObject({
  /** closing the window leaves Postroom running */
  keepInTray: z.boolean(),
  /** a language's tag, or `system` */
  language: z.string().regex(/^(system|[a-z]{2,3})$/),
  notifications: z.enum(notifyLevels),
  quietHours: quietHours.nullable(),
  /** kept by the system itself: read back from there */
  startAtLogin: z.boolean(),
});
export type Preferences = z.infer<typeof preferences>;

export const usualPreferences: Preferences = {
  keepInTray: true,
  language: 'system',
  notifications: 'all',
  quietHours: null,
  startAtLogin: false,
};
