/** Times and durations for people, in this machine's time zone. Pure. */

const two = (number: number) => String(number).padStart(2, '0');

/** `2026-03-01 14:05:09`, local. @param seconds s since 1970 */
export function localTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return '?';
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `14:05:09`, with the date before it when that is not today's. @param seconds, now s since 1970 */
export function shortTime(seconds: number, now: number): string {
  const full = localTime(seconds);
  return full.slice(0, 10) === localTime(now).slice(0, 10) ? full.slice(11) : full;
}

/** `850 ms`, `12 s`, `4 min 5 s`, `3 h 2 min`, `2 d 4 h`. @param seconds s */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(whole, 60, 'min', 1, 's');
  if (whole < 86_400) return join(whole, 3600, 'h', 60, 'min');
  return join(whole, 86_400, 'd', 3600, 'h');
}

function join(seconds: number, big: number, bigWord: string, small: number, smallWord: string): string {
  const rest = Math.floor((seconds % big) / small);
  return `${Math.floor(seconds / big)} ${bigWord}${rest > 0 ? ` ${rest} ${smallWord}` : ''}`;
}

/** `1 mail`, `2 mails`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
