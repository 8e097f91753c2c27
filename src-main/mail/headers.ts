/**
 * The `headers` of a payload as wp_mail() reads them (DESIGN section 4, FINDINGS 33), with one difference: a value can
 * never make a second header. Pure.
 */
import type { DroppedEntry } from './conversation.ts';
import { oneLine } from './text.ts';

/** The headers of a payload, sorted by what they are for. */
export interface CallerHeaders {
  from: string | null;
  replyTo: string[];
  cc: string[];
  bcc: string[];
  contentType: string | null;
  /** all others that are carried over, names in the caller's spelling, each once */
  custom: { name: string; value: string }[];
  dropped: DroppedEntry[];
}

/**
 * Lower-case names that are ours alone: the message's identity and structure, what the mail servers write (RFC 5321
 * 4.4), and the recipients, which the payload's `to` names.
 */
const ours = new Set([
  'message-id',
  'x-mailer',
  'date',
  'mime-version',
  'sender',
  'subject',
  'to',
  'return-path',
  'received',
  'delivered-to',
  'dkim-signature',
  'apparently-to',
]);

/** RFC 5322 3.6.8 ftext: printable ASCII without the colon. */
const headerName = /^[!-9;-~]{1,100}$/;
/** Octets of a header value that are kept: long enough for every List-Unsubscribe and References line. */
const maxValue = 8000;

/** Header lines out of the payload's string or array; folded lines are joined (RFC 5322 2.2.3). */
export function readHeaders(source: string | readonly string[]): CallerHeaders {
  const found: CallerHeaders = {
    from: null,
    replyTo: [],
    cc: [],
    bcc: [],
    contentType: null,
    custom: [],
    dropped: [],
  };
  const custom = new Map<string, { name: string; value: string }>();
  for (const line of headerLines(source)) {
    const colon = line.indexOf(':');
    if (colon < 0) {
      found.dropped.push({ text: line.slice(0, 100), reason: 'not a header line' });
      continue;
    }
    const name = line.slice(0, colon).trimEnd();
    const value = cleanValue(line.slice(colon + 1));
    const key = name.toLowerCase();
    if (!headerName.test(name)) found.dropped.push({ text: name.slice(0, 100), reason: 'not a header name' });
    else if (key === 'from') found.from = value;
    else if (key === 'content-type') found.contentType = value;
    else if (key === 'reply-to') found.replyTo.push(value);
    else if (key === 'cc') found.cc.push(value);
    else if (key === 'bcc') found.bcc.push(value);
    else if (ours.has(key) || key.startsWith('content-') || key.startsWith('resent-')) continue;
    else if (value !== '') custom.set(key, { name, value });
  }
  found.custom = [...custom.values()];
  return found;
}

/**
 * A string is split at its line ends. An element of an array is one header: a line break inside it is only taken as
 * folding (next line begins with white space); otherwise what follows the break is dropped, not made a header.
 */
function headerLines(source: string | readonly string[]): string[] {
  if (typeof source === 'string') return unfold(source);
  return source.flatMap((element) => unfold(element).slice(0, 1));
}

function unfold(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const last = lines.length - 1;
    if (/^[ \t]/.test(line) && last >= 0) lines[last] = `${lines[last]} ${line.trimStart()}`;
    else if (line.trim() !== '') lines.push(line);
  }
  return lines;
}

/** A header value as one line. */
export function cleanValue(value: string): string {
  return oneLine(value).slice(0, maxValue);
}
