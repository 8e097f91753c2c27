/** s since 1970 of a date and time as a field has it (2026-03-09T14:30), in the person's own zone; undefined where it is none that is still to come. */
export function momentOf(text: string): number | undefined {
  const seconds = Math.floor(new Date(text).getTime() / 1000);
  return seconds > Date.now() / 1000 && seconds < 253_402_300_799 ? seconds : undefined;
}

/** Tomorrow's beginning of work, s since 1970. */
export function tomorrowMorning(): number {
  const morning = new Date();
  morning.setDate(morning.getDate() + 1);
  morning.setHours(8, 0, 0, 0);
  return morning.getTime() / 1000;
}
