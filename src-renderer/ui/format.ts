import i18next from 'i18next';

/** The person's own flavour of the language on screen (en-GB for en), so that dates and words agree. */
function locale(): string {
  const own = navigator.language;
  return own.toLowerCase().startsWith(i18next.language.toLowerCase()) ? own : i18next.language;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale(), options);
  formats.set(key, made);
  return made;
}

/** A moment (s since 1970) as briefly as it stays clear: 14:32 today, Tue 14:32 this week, else with its date. */
export function when(seconds: number, now: number = Date.now() / 1000): string {
  const date = new Date(seconds * 1000);
  const sameDay = date.toDateString() === new Date(now * 1000).toDateString();
  if (sameDay) return dateFormat({ hour: 'numeric', minute: '2-digit' }).format(date);
  if (Math.abs(seconds - now) < 6 * 86_400) {
    return dateFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(date);
  }
  return dateFormat({
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(date);
}

/** A moment (s since 1970) in full, with seconds. */
export function fullWhen(seconds: number): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(seconds * 1000));
}

/** A moment (s since 1970) for a log: date where it is not today, and seconds. */
export function logWhen(seconds: number): string {
  const date = new Date(seconds * 1000);
  const today = date.toDateString() === new Date().toDateString();
  return dateFormat(
    today
      ? { hour: '2-digit', minute: '2-digit', second: '2-digit' }
      : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  ).format(date);
}

/** A count with its thousands apart. */
export function count(n: number): string {
  return new Intl.NumberFormat(locale()).format(n);
}

/** A span of time (s) in its largest fitting unit: 8 sec, 12 min, 3 hr, 2 days. */
export function span(seconds: number, style: 'short' | 'long' = 'short'): string {
  const [unit, size] =
    seconds < 100
      ? (['second', 1] as const)
      : seconds < 100 * 60
        ? (['minute', 60] as const)
        : seconds < 48 * 3600
          ? (['hour', 3600] as const)
          : (['day', 86_400] as const);
  const value = Math.max(0, Math.round(seconds / size));
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: style }).format(value);
}

/** A span of time (s) in its two largest units: 1 min 24 sec, 2 hr 5 min. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const first = units.findIndex(([, size]) => whole >= size);
  const from = first < 0 ? units.length - 1 : first;
  let left = whole;
  const parts: string[] = [];
  for (const [unit, size] of units.slice(from, from + 2)) {
    const value = Math.floor(left / size);
    left -= value * size;
    if (value > 0 || whole === 0)
      parts.push(
        new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'short' }).format(value),
      );
  }
  return parts.join(' ');
}

/** A size (bytes) in words. */
export function bytes(n: number): string {
  const [unit, size] =
    n < 1000
      ? (['byte', 1] as const)
      : n < 1_000_000
        ? (['kilobyte', 1000] as const)
        : (['megabyte', 1_000_000] as const);
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(n / size);
}
