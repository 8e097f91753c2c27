import type { QuietHours } from '../contract/preferences.ts';

/** Whether a moment falls into the quiet hours, by the clock on the wall: a day of 23 or 25 hours changes nothing. */
export function isQuiet(hours: QuietHours | null, now: Date): boolean {
  if (!hours) return false;
  const minute = now.getHours() * 60 + now.getMinutes();
  const [from, to] = [minuteOf(hours.from), minuteOf(hours.to)];
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
