/** A text as it goes on the wire: which transfer encoding it needs, by PHPMailer's rules. Pure. */
import { encodeQuotedPrintable } from './quoted-printable.ts';

/** Octets of a line without its CRLF (RFC 5322 2.1.1, RFC 5321 4.5.3.1.6). */
const maxLine = 998;

export interface TextBody {
  encoding: '7bit' | '8bit' | 'quoted-printable';
  /** whether all of it is ASCII before it is encoded: then it may be called us-ascii */
  ascii: boolean;
  /** ready for the wire, each line with its CRLF */
  bytes: Uint8Array;
}

/**
 * As it is where its lines are short enough, ASCII or not: mail servers without 8BITMIME (RFC 6152) have died out, and
 * wp_mail() never asked for it. Else quoted-printable, which also takes what no mail server passes on (NUL).
 */
export function textBody(text: string): TextBody {
  const bytes = Buffer.from(text);
  let [longest, start, ascii, nul] = [0, 0, true, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x80) ascii = false;
    else if (byte === 0x0a || byte === 0x0d) {
      if (at - start > longest) longest = at - start;
      start = at + 1;
    } else if (byte === 0) nul = true;
  }
  longest = Math.max(longest, bytes.length - start);
  if (longest > maxLine || nul)
    return { encoding: 'quoted-printable', ascii, bytes: encodeQuotedPrintable(bytes) };
  const lines = crlf(text);
  const whole = lines.endsWith('\r\n') ? lines : `${lines}\r\n`;
  return { encoding: ascii ? '7bit' : '8bit', ascii, bytes: Buffer.from(whole) };
}

export function crlf(text: string): string {
  return text.includes('\r') || text.includes('\n') ? text.replace(/\r\n|\n|\r/g, '\r\n') : text;
}
