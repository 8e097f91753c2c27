/** A day as a date field has it (2026-03-09), in the person's own zone, as s since 1970. Null where it is no day. */
export function startOfDay(day: string): number | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!parts) return null;
  const [year = 0, month = 0, date = 0] = parts.slice(1).map(Number);
  const start = new Date(year, month - 1, date);
  // 31 February is another day
  return start.getMonth() === month - 1 && start.getTime() >= 0 ? start.getTime() / 1000 : null;
}

/** The first moment after a day: 23 to 25 hours after its first one, as the zone has it. */
export function endOfDay(day: string): number | null {
  const start = startOfDay(day);
  if (start === null) return null;
  const next = new Date(start * 1000);
  next.setDate(next.getDate() + 1);
  return next.getTime() / 1000;
}

/** The day on which a moment (s since 1970) falls, as a date field has it. */
export function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
