/**
 * Mail addresses, read and checked by ourselves (FINDINGS 4): a general parser takes `b@y.test\r\nRCPT TO:<evil@z.test>`
 * for an RFC 5322 group and sends to the wrong person. What leaves this file is safe in an envelope and in a header.
 * Pure.
 */
import { domainToASCII } from 'node:url';
import type { DroppedEntry, Mailbox } from './conversation.ts';
import { decodeWords } from './encoded-words.ts';
import { oneLine, quoteForPerson } from './text.ts';

/** Octets, RFC 5321 4.5.3.1.1 and 4.5.3.1.3 (a path of 256 holds two brackets). */
const maxLocal = 64;
const maxAddress = 254;
/** Characters of a display name that are kept; beyond it a name is cut. */
const maxName = 320;

/** Control, format, separator and lone surrogate characters: nothing of an address may hold them. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;
/** RFC 5321 dot-string, widened to non-ASCII as RFC 6531 3.3 has it. */
const dotString =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*$/u;
const asciiDomain =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
const ipLiteral = /^\[(?:\d{1,3}\.){3}\d{1,3}\]$/;

export type ParsedMailbox = { ok: true; mailbox: Mailbox } | { ok: false; reason: string };

/** `address` checked: its letters as they are, its domain in ASCII; or the reason against it. */
export function checkAddress(text: string): { ok: true; address: string } | { ok: false; reason: string } {
  const no = (why: string) => ({ ok: false as const, reason: `${why}: ${quoteForPerson(text)}` });
  const address = text.trim();
  if (address === '') return no('empty address');
  if (/[\r\n]/.test(address)) return no('line break in the address');
  if (address.includes('\0')) return no('NUL character in the address');
  if (address.length > 1000) return no('address too long');
  if (invisible.test(address)) return no('space or control character in the address');
  const at = address.lastIndexOf('@');
  if (at < 0) return no('no @ in the address');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  if (local === '' || domain === '') return no('incomplete address');
  if (!dotString.test(local)) return no('not a valid address');
  if (Buffer.byteLength(local) > maxLocal) return no(`more than ${maxLocal} characters before the @`);
  const ascii = asciiOf(domain);
  if (ascii === null) return no('not a valid domain');
  const whole = `${local}@${ascii}`;
  if (Buffer.byteLength(whole) > maxAddress) return no(`address longer than ${maxAddress} characters`);
  return { ok: true, address: whole };
}

/** The domain as the wire has it, or null. An IDN becomes punycode (RFC 5891); ASCII is checked, never re-interpreted. */
function asciiOf(domain: string): string | null {
  if (ipLiteral.test(domain)) return domain;
  // only letters beyond ASCII are converted: the URL host parser would read `a.test/x` as `a.test`, `0x7f.1` as an IP
  const ascii = /^\p{ASCII}*$/u.test(domain)
    ? domain
    : /[^A-Za-z0-9._\-\u0080-\u{10ffff}]/u.test(domain)
      ? ''
      : domainToASCII(domain);
  return asciiDomain.test(ascii) ? ascii : null;
}

/**
 * One mailbox: `a@b`, `<a@b>` or `Any name, "quoted" or not <a@b>`. The address is what stands in the last `<...>`
 * (FINDINGS 33: shops write names with bare commas and quotes).
 */
export function parseMailbox(text: string): ParsedMailbox {
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf('<');
  if (open < 0) {
    const bare = checkAddress(trimmed);
    return bare.ok ? { ok: true, mailbox: { name: '', address: bare.address } } : bare;
  }
  if (!trimmed.endsWith('>'))
    return { ok: false, reason: `text after the address: ${quoteForPerson(trimmed)}` };
  const rawName = trimmed.slice(0, open);
  // a line break in a name is the start of a header trick; PHPMailer only strips it, which hides the attempt
  if (/[\r\n\0]/.test(rawName))
    return { ok: false, reason: `line break in the name: ${quoteForPerson(trimmed)}` };
  const inner = checkAddress(trimmed.slice(open + 1, -1));
  if (!inner.ok) return inner;
  return { ok: true, mailbox: { name: cleanName(unquote(rawName.trim())), address: inner.address } };
}

/** A display name as one line of visible text, RFC 2047 words decoded. */
export function cleanName(name: string): string {
  return [...oneLine(decodeWords(name))].slice(0, maxName).join('');
}

/** `"Nov\"ák"` without its quotes; a name that is only partly quoted stays as it was written. */
function unquote(name: string): string {
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(name)) return name;
  return name.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/**
 * The entries of a comma list. Commas inside balanced quotes do not part; a piece without `@` belongs to the name of
 * the next `<address>` (`Novák, ml. <a@b>` is one entry).
 */
export function splitList(text: string): string[] {
  const pieces = splitCommas(text);
  const entries: string[] = [];
  let names: string[] = [];
  for (const piece of pieces) {
    if (piece.includes('<') && names.length > 0) {
      entries.push([...names, piece].join(','));
      names = [];
    } else if (piece.includes('@') || piece.includes('<')) {
      entries.push(...names, piece);
      names = [];
    } else if (piece.trim() !== '') names.push(piece);
  }
  return [...entries, ...names].map((entry) => entry.trim());
}

function splitCommas(text: string): string[] {
  const balanced = (text.match(/"/g)?.length ?? 0) % 2 === 0;
  if (!balanced || !text.includes('"')) return text.split(',');
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** Addresses that differ in nothing but the case of letters are one person's, as wp_mail() has it. */
export function sameAddress(address: string): string {
  return address.toLowerCase();
}

export interface ParsedList {
  mailboxes: Mailbox[];
  /** entries that are no address; wp_mail leaves them out and sends to the rest (FINDINGS 33) */
  dropped: DroppedEntry[];
}

/** All mailboxes of one or several comma lists, each address once, invalid ones collected with their reason. */
export function parseMailboxes(texts: string | readonly string[]): ParsedList {
  const mailboxes: Mailbox[] = [];
  const dropped: DroppedEntry[] = [];
  const seen = new Set<string>();
  for (const text of typeof texts === 'string' ? [texts] : texts) {
    for (const entry of splitList(text)) {
      const parsed = parseMailbox(entry);
      if (!parsed.ok) dropped.push({ text: entry.slice(0, 200), reason: parsed.reason });
      else if (!seen.has(sameAddress(parsed.mailbox.address))) {
        seen.add(sameAddress(parsed.mailbox.address));
        mailboxes.push(parsed.mailbox);
      }
    }
  }
  return { mailboxes, dropped };
}
