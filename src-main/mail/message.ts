/**
 * The MIME message of a mail that was read, in the shape and the spelling of PHPMailer 6.9 under wp_mail() over SMTP: a mail
 * looks the same to its reader, to filters and to archives whether the shop sent it itself or the queue did.
 * test/connector holds it against wp_mail()'s own bytes. Pure but for the random boundaries.
 */
import { randomBytes } from 'node:crypto';
import { base64Length } from './base64-lines.ts';
import type { Stamp } from './compose.ts';
import type { AttachmentRef, Mailbox, MessagePart } from './conversation.ts';
import { typeOfFile } from './file-types.ts';
import { encodePhrase, encodeText, foldLine } from './header-words.ts';
import type { ReadMail } from './read-mail.ts';
import { oneLine } from './text.ts';
import { crlf, type TextBody, textBody } from './text-body.ts';

export interface Message {
  parts: MessagePart[];
  /** it holds bytes above 127 */
  eightBit: boolean;
}

/** The message of a mail, cut where attachments go. */
export function buildMessage(mail: ReadMail, stamp: Stamp): Message {
  const body = mail.body.kind === 'multipart' ? readyBody(mail.message, mail.body) : ownBody(mail);
  const head = [...headerLines(mail, stamp), 'MIME-Version: 1.0', ...body.head];
  const first = Buffer.from(`${onWire(head)}\r\n\r\n`);
  // PHPMailer ends what it sends with a line more
  return { parts: joined([first, ...body.pieces, '\r\n']), eightBit: body.eightBit };
}

/** Bytes of the whole message before dot-stuffing (RFC 1870: SIZE counts without it); sizes of attachments in order. */
export function messageSize(message: readonly MessagePart[], attachmentSizes: readonly number[]): number {
  let size = 0;
  let next = 0;
  for (const part of message)
    size += part instanceof Uint8Array ? part.length : base64Length(attachmentSizes[next++] ?? 0);
  return size;
}

function headerLines(mail: ReadMail, stamp: Stamp): string[] {
  const list = (name: string, mailboxes: readonly Mailbox[]) =>
    mailboxes.length === 0
      ? []
      : [`${name}: ${mailboxes.map((one) => spelled(one, mail.charset)).join(', ')}`];
  return [
    `Date: ${stamp.date.toUTCString().replace('GMT', '+0000')}`,
    ...(mail.to.length + mail.cc.length === 0 ? ['To: undisclosed-recipients:;'] : list('To', mail.to)),
    ...list('From', [mail.from]),
    ...list('Cc', mail.cc),
    ...list('Reply-To', mail.replyTo),
    `Subject: ${encodeText(mail.subject, mail.charset)}`,
    `Message-ID: ${stamp.messageId}`,
    ...mail.headers.map(({ name, value }) => `${name}: ${encodeText(value, mail.charset)}`),
  ];
}

/** Header lines, none longer than a line may be. */
function onWire(head: readonly string[]): string {
  return head
    .flatMap((line) => line.split('\r\n'))
    .map(foldLine)
    .join('\r\n');
}

function spelled({ name, address }: Mailbox, charset: string): string {
  return name === '' ? address : `${encodePhrase(name, charset)} <${address}>`;
}

type Piece = string | Uint8Array | AttachmentRef;

interface Body {
  /** lines of the message's own header */
  head: string[];
  pieces: Piece[];
  eightBit: boolean;
}

/** A body that the caller built: handed through, since its parts are declared inside it. */
function readyBody(message: string, { type, boundary }: { type: string; boundary: string }): Body {
  const eightBit = !/^\p{ASCII}*$/u.test(message);
  const text = crlf(message);
  return {
    head: [
      `Content-Type: ${type}; boundary="${boundary}"`,
      ...(eightBit ? ['Content-Transfer-Encoding: 8bit'] : []),
    ],
    pieces: [text, ...(text.endsWith('\r\n') ? [] : ['\r\n'])],
    eightBit,
  };
}

function ownBody(mail: ReadMail): Body {
  const main = textBody(mail.message);
  const type = textType(mail);
  const html = type === 'text/html';
  const alt = html && mail.alt !== null && mail.alt !== '' ? textBody(mail.alt) : null;
  const eightBit = main.encoding === '8bit' || alt?.encoding === '8bit';
  const { embeds, attachments } = mail;
  if (alt === null && embeds.length + attachments.length === 0) {
    const head = [`Content-Type: ${type}; charset=${mail.charset}`, ...transfer(main.encoding)];
    return { head, pieces: [main.bytes], eightBit };
  }
  const parts = new Parts(mail.charset);
  const outer = parts.boundary(1);
  const kind = attachments.length > 0 ? 'mixed' : alt === null ? 'related' : 'alternative';
  const inner: Piece[] = [];
  // from the outside in: files beside (text beside (html with its pictures))
  let level = outer;
  if (alt !== null) {
    if (kind === 'mixed') {
      level = parts.boundary(2);
      inner.push(parts.open(outer, 'multipart/alternative', level));
    }
    inner.push(...parts.text(level, 'text/plain', alt));
  }
  if (embeds.length > 0 && kind !== 'related') {
    const pictures = parts.boundary(level === outer ? 2 : 3);
    inner.push(parts.open(level, 'multipart/related', pictures, 'text/html'));
    inner.push(...parts.text(pictures, type, main), ...parts.files(pictures, embeds, 'inline'), '\r\n');
  } else inner.push(...parts.text(level, type, main));
  if (kind === 'related') inner.push(...parts.files(outer, embeds, 'inline'));
  if (alt !== null) inner.push(`\r\n--${level}--\r\n`);
  if (kind === 'mixed')
    inner.push(...(alt === null ? [] : ['\r\n']), ...parts.files(outer, attachments, 'attachment'));
  return {
    head: [`Content-Type: multipart/${kind};`, ` boundary="${outer}"`, 'Content-Transfer-Encoding: 8bit'],
    pieces: inner,
    eightBit,
  };
}

function textType(mail: ReadMail): string {
  switch (mail.body.kind) {
    case 'html':
    case 'alternative':
      return 'text/html';
    case 'text':
      return mail.body.type;
    default:
      return 'text/plain';
  }
}

function transfer(encoding: TextBody['encoding']): string[] {
  // RFC 2045 6.1: 7bit is what nothing said means
  return encoding === '7bit' ? [] : [`Content-Transfer-Encoding: ${encoding}`];
}

/** The pieces of a multipart message, in PHPMailer's spelling. */
class Parts {
  private readonly charset: string;
  /** nobody who writes into a mail can know it */
  private readonly unique = randomBytes(24).toString('base64').replace(/[+/=]/g, 'x');

  constructor(charset: string) {
    this.charset = charset;
  }

  boundary(level: 1 | 2 | 3): string {
    return `b${level}=_${this.unique}`;
  }

  open(within: string, type: string, boundary: string, root?: string): string {
    const more = root === undefined ? '' : `;\r\n type="${root}"`;
    return `--${within}\r\nContent-Type: ${type};\r\n boundary="${boundary}"${more}\r\n\r\n`;
  }

  text(within: string, type: string, body: TextBody): Piece[] {
    const head = [
      `--${within}`,
      `Content-Type: ${type}; charset=${body.ascii ? 'us-ascii' : this.charset}`,
      ...transfer(body.encoding),
    ];
    return [`${head.join('\r\n')}\r\n\r\n`, body.bytes, '\r\n'];
  }

  files(within: string, files: readonly AttachmentRef[], disposition: 'inline' | 'attachment'): Piece[] {
    const pieces = files.flatMap((file, index): Piece[] => {
      const name = quoted(encodeText(file.name, this.charset));
      const head = [
        `--${within}`,
        `Content-Type: ${typeOfFile(file.name)}; name=${name}`,
        'Content-Transfer-Encoding: base64',
        ...(disposition === 'inline'
          ? [`Content-ID: <${encodeText(cidOf(file, index), this.charset)}>`]
          : []),
        `Content-Disposition: ${disposition}; filename=${name}`,
      ];
      return [`${onWire(head)}\r\n\r\n`, file, '\r\n\r\n'];
    });
    return [...pieces, `--${within}--\r\n`];
  }
}

/** A parameter's value: in quotes where it is no token. A backslash is only a name's on some systems, and an escape to all. */
function quoted(value: string): string {
  return /[ ()<>@,;:"/[\]?=\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

/** wp_mail gives an embed without a name its place in the list as Content-ID. */
function cidOf(ref: AttachmentRef, index: number): string {
  const cid = ref.cid === null ? '' : oneLine(ref.cid).replace(/[<>\s]/g, '');
  return cid === '' ? String(index) : cid;
}

/** Neighbouring bytes as one part. */
function joined(pieces: readonly Piece[]): MessagePart[] {
  const parts: MessagePart[] = [];
  let open: Uint8Array[] = [];
  const close = () => {
    if (open.length > 0) parts.push(open.length === 1 ? (open[0] as Uint8Array) : Buffer.concat(open));
    open = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') open.push(Buffer.from(piece));
    else if (piece instanceof Uint8Array) open.push(piece);
    else {
      close();
      parts.push(piece);
    }
  }
  close();
  return parts;
}
