/**
 * Checks of what a caller gives. All of it is read before the first row is written, and what would be dropped or bent later
 * by the console is refused here, where somebody can still do something about it.
 */
import { domainToASCII } from 'node:url';

/** A value as an error shows it: on one line, and not all of a long one. */
export function shown(value: unknown): string {
  let text: string | undefined;
  try {
    text = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
  } catch {
    // a cycle, or a bigint inside
  }
  text ??= String(value);
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
}

/** @throws TypeError always: `Expected WHAT, got VALUE` */
export function refuse(expected: string, value: unknown): never {
  throw new TypeError(`Expected ${expected}, got ${shown(value)}`);
}

const control = /\p{Cc}/u;
const controlButTab = /[^\P{Cc}\t]/u;
const halfCharacter = /\p{Cs}/u;

/** Any text. NUL cannot be mailed, half of a surrogate pair cannot be stored. */
export function checkText(value: unknown, where: string): string {
  if (typeof value !== 'string') return refuse(`${where} to be a string`, value);
  if (value.includes('\0')) return refuse(`${where} to hold no NUL character`, value);
  if (halfCharacter.test(value)) return refuse(`${where} to hold whole characters`, value);
  return value;
}

/** Text that becomes a header: a line break in it would begin a second one. */
export function checkLine(value: unknown, where: string, most = Number.POSITIVE_INFINITY): string {
  const text = checkText(value, where);
  if (/[\r\n]/.test(text)) return refuse(`${where} to be one line`, text);
  if (controlButTab.test(text)) return refuse(`${where} to hold no control character`, text);
  if ([...text].length > most) return refuse(`${where} to have at most ${most} characters`, text);
  return text;
}

/** A name that becomes SQL text. */
export function checkIdentifier(value: unknown, where: string, { empty = false } = {}): string {
  if (typeof value === 'string' && /^[A-Za-z0-9_$]{0,64}$/.test(value) && (empty || value !== ''))
    return value;
  return refuse(`${where} to be a name of letters, digits, _ and $`, value);
}

export function checkWhole(value: unknown, where: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  return refuse(`${where} to be a whole number${range}`, value);
}

/** A plain object with known keys alone: a misspelt key would be a mail without its body. */
export function checkKeys(value: unknown, known: readonly string[], where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(`${where} to be an object`, value);
  const stranger = Object.keys(value).find((key) => !known.includes(key));
  if (stranger !== undefined) refuse(`${where} to hold ${known.join(', ')} alone`, stranger);
  return value as Record<string, unknown>;
}

// the parts of an address that every mail server takes, in any script; quoted local parts are left out on purpose
const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const localPart = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u');
const asciiDomain = new RegExp(`^(?:${label}(?:\\.${label})*|\\[\\d{1,3}(?:\\.\\d{1,3}){3}\\])$`);
const invisible = /[\p{Cf}\p{Z}]/u;

/** One checked mailbox. */
export interface Mailbox {
  address: string;
  /** `address`, or `Name <address>` with quotes where the name needs them */
  text: string;
}

/** `a@b`, `<a@b>` or `Any name <a@b>`. */
export function checkMailbox(value: unknown, where: string): Mailbox {
  if (typeof value !== 'string') return refuse(`${where} to be an address`, value);
  checkLine(value, where);
  const [, name = '', bare = ''] = /^(.*?)<([^<>]*)>\s*$/.exec(value) ?? [null, '', value.trim()];
  if (bare.includes(',') || bare.includes(';'))
    refuse(`${where} to be one address (give several as a list)`, value);
  if (!isAddress(bare)) refuse(`${where} to be an address`, value);
  if (/[<>]/.test(name) || control.test(name)) refuse(`${where} to be a name and an <address>`, value);
  const words = unquoted(name.trim());
  return { address: bare, text: words === '' ? bare : `${quotedName(words)} <${bare}>` };
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (invisible.test(text) || !localPart.test(local)) return false;
  // only letters beyond ASCII are converted: a URL's host parser would read `a.test/x` as `a.test`
  const odd = !/^\p{ASCII}*$/u.test(domain) && !/[^A-Za-z0-9._\-\u0080-\u{10ffff}]/u.test(domain);
  const wire = odd ? domainToASCII(domain) : domain;
  // RFC 5321 4.5.3.1, in bytes
  const tooLong = wire.length > 253 || utf8Length(local) > 64 || utf8Length(local) + 1 + wire.length > 254;
  return asciiDomain.test(wire) && !tooLong;
}

const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

function unquoted(name: string): string {
  return /^"(?:[^"\\]|\\.)*"$/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
}

/** In a list a comma of a name would part it; RFC 5322 3.2.4 quotes it. */
function quotedName(name: string): string {
  return /[()[\]:;@\\,."]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

/** One address or a list of them, each address once. */
export function checkMailboxes(value: unknown, where: string): Mailbox[] {
  if (typeof value === 'string') return [checkMailbox(value, where)];
  if (!Array.isArray(value)) return refuse(`${where} to be an address or a list of addresses`, value);
  if (value.length === 0) refuse(`${where} to hold at least one address`, value);
  const boxes = Array.from(value, (each, at) => checkMailbox(each, `${where}[${at}]`));
  const seen = new Set<string>();
  return boxes.filter(({ address: one }) => {
    const key = one.replace(/[^@]*$/, (domain) => domain.toLowerCase());
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Header names that stand for a key of the mail, and those that the console or the mail servers write. */
const ownKeys: Record<string, string> = {
  to: 'to',
  subject: 'subject',
  from: 'from',
  'reply-to': 'replyTo',
  cc: 'cc',
  bcc: 'bcc',
};
const notTheCallers =
  /^(message-id|x-mailer|date|mime-version|sender|return-path|received|delivered-to|dkim-signature|apparently-to|content-.*|resent-.*)$/i;

/** More headers, as name and value. */
export function checkHeaders(value: unknown, where: string): [name: string, value: string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(`${where} to be an object of names and values`, value);
  return Object.entries(value).map(([name, text]) => {
    if (!/^[!-9;-~]{1,100}$/.test(name)) refuse(`${where} to have header names for keys`, name);
    const key = ownKeys[name.toLowerCase()];
    if (key !== undefined) refuse(`mail.${key} in place of a header of that name`, name);
    if (notTheCallers.test(name)) refuse(`${where} without what the console writes by itself`, name);
    return [name, checkLine(text, `${where}[${JSON.stringify(name)}]`, 2000)];
  });
}

/** The last moment that a TIMESTAMP can hold on servers before MariaDB 11.5: beyond it FROM_UNIXTIME() is NULL. */
const lastSecond = 2_147_483_647;

/** Not before, in s since 1970; null = now. */
export function checkMoment(value: unknown, where: string): number | null {
  if (value === undefined) return null;
  const s = value instanceof Date ? Math.ceil(value.getTime() / 1000) : value;
  if (typeof s !== 'number' || !Number.isInteger(s) || s < 1)
    return refuse(`${where} to be a Date or whole seconds since 1970`, value);
  if (s > lastSecond) return refuse(`${where} to be before 2038, in seconds and not in ms`, value);
  return s;
}
