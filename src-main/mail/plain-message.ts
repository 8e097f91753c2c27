/**
 * A mail of one text and no file, written without a tree. nodemailer's composer takes 0.26 ms for it, half of what the
 * whole conversation costs; this takes 0.02 ms. What needs encoding is still encoded by nodemailer, and a property test
 * holds the bytes equal to the tree's (plain-message.test.ts). Pure.
 */
import { foldLines, hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import type { Stamp } from './compose.ts';
import type { Mailbox } from './conversation.ts';
import { type BodyEncoding, encodeBody } from './mime.ts';
import type { ReadMail } from './read-mail.ts';
import { largeText } from './tree-message.ts';

/** Characters of a header line that is not folded (RFC 5322 2.1.1: at most 78 with CRLF). */
const foldAt = 76;
/** Encodes header values; holds nothing of a mail. */
const coder = new MimeNode(false);

/** Headers whose values nodemailer reads for their structure; all others are text. */
const structured = /^(?:references|in-reply-to|message-id|content-.*|date|sender|bcc|otp-token)$/i;

/** The message as it goes on the wire, null where it needs a tree. */
export function plainMessage(mail: ReadMail, stamp: Stamp): Uint8Array | null {
  const type = plainType(mail);
  if (type === null) return null;
  const encoding = encodingOf(mail.message);
  const lines: string[] = [];
  for (const { name, value } of mail.headers) {
    if (structured.test(name)) return null;
    add(lines, name, encodeText(name, value));
  }
  add(lines, 'From', addressList('From', [mail.from]));
  if (mail.to.length > 0) add(lines, 'To', addressList('To', mail.to));
  if (mail.cc.length > 0) add(lines, 'Cc', addressList('Cc', mail.cc));
  if (mail.replyTo.length > 0) add(lines, 'Reply-To', addressList('Reply-To', mail.replyTo));
  add(lines, 'Subject', encodeText('Subject', mail.subject));
  add(lines, 'Message-ID', stamp.messageId);
  add(lines, 'Date', stamp.date.toUTCString().replace('GMT', '+0000'));
  add(lines, 'Content-Transfer-Encoding', encoding);
  add(lines, 'MIME-Version', '1.0');
  add(lines, 'Content-Type', `${type}; charset=utf-8`);
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  const body = encodeBody(encoding, mail.message);
  if (typeof body === 'string') return Buffer.from(head + body + (body.endsWith('\n') ? '' : '\r\n'));
  return Buffer.concat([Buffer.from(head), body, Buffer.from(body.at(-1) === 0x0a ? '' : '\r\n')]);
}

function plainType(mail: ReadMail): string | null {
  if (mail.attachments.length + mail.embeds.length > 0 || mail.alt !== null) return null;
  if (mail.message === '' || mail.message.length > largeText) return null;
  if (mail.body.kind === 'html') return 'text/html';
  return mail.body.kind === 'plain' ? 'text/plain' : null;
}

function add(lines: string[], name: string, value: string): void {
  if (value.trim() === '') return;
  const line = `${name}: ${value}`;
  lines.push(line.length < foldAt ? line : foldLines(line, foldAt));
}

function encodeText(name: string, value: string): string {
  return /^[\x20!\x23-\x7e]*$/.test(value) && !value.includes('=?')
    ? value
    : coder.encodeHeaderValue(name, value);
}

function addressList(name: string, mailboxes: readonly Mailbox[]): string {
  if (mailboxes.every(isPlain))
    return mailboxes
      .map((mailbox) => (mailbox.name === '' ? mailbox.address : `${mailbox.name} <${mailbox.address}>`))
      .join(', ');
  return coder.encodeHeaderValue(
    name,
    mailboxes.map((mailbox) => ({ ...mailbox })),
  );
}

/** Neither name nor address holds anything that must be quoted, encoded or spelled otherwise. */
function isPlain({ name, address }: Mailbox): boolean {
  return (
    /^[\w ]*$/.test(name) &&
    /^[\w.+-]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(address) &&
    !/^\.|\.\.|\.@|@xn--|\.xn--/.test(address)
  );
}

/** As nodemailer chooses: text as it is where it may be, else what is shorter. */
function encodingOf(text: string): BodyEncoding {
  if (isPlainText(text, false) && !hasLongerLines(text, foldAt)) return '7bit';
  let [latin, other] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) latin++;
    else if (code >= 0x80 || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)) other++;
  }
  return other < latin ? 'quoted-printable' : 'base64';
}
