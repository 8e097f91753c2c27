/**
 * A MIME tree as the bytes of a message. nodemailer writes its trees through four streams and a turn of the event loop
 * for each part; ours hold nothing that must be waited for, except attachments, which stay references until the
 * message is on its way. Pure.
 */
import { base64Length, encodeBase64Lines } from './base64-lines.ts';
import type { AttachmentRef, MessagePart } from './conversation.ts';
import { encodeQuotedPrintable } from './quoted-printable.ts';

/** What is read of a nodemailer MimeNode (`nodemailer/lib/mime-node`, all public there). */
export interface MimeTree {
  childNodes: MimeTree[];
  content?: unknown;
  multipart?: string | false | undefined;
  boundary?: string | false | undefined;
  buildHeaders(): string;
  getHeader(key: string): unknown;
}

/** From the content object of a node to what it stands for: an attachment, or a text that goes out as base64. */
export type Placeholders = Map<unknown, AttachmentRef | string>;

/** Renders a tree. */
export function renderMime(root: MimeTree, placeholders: Placeholders): MessagePart[] {
  const parts: MessagePart[] = [];
  let open: (string | Uint8Array)[] = [];
  const close = () => {
    if (open.length > 0)
      parts.push(
        Buffer.concat(open.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
      );
    open = [];
  };
  const write = (node: MimeTree): void => {
    open.push(`${node.buildHeaders()}\r\n\r\n`);
    const standsFor = placeholders.get(node.content);
    if (typeof standsFor === 'string') open.push(encodeBase64Lines(Buffer.from(crlf(standsFor))));
    else if (standsFor) {
      close();
      parts.push(standsFor);
    } else if (typeof node.content === 'string' && node.content !== '')
      open.push(encodeBody(encodingOf(node), node.content));
    if (!node.multipart || node.childNodes.length === 0) return;
    node.childNodes.forEach((child, index) => {
      open.push(`${index > 0 ? '\r\n' : ''}--${node.boundary}\r\n`);
      write(child);
    });
    open.push(`\r\n--${node.boundary}--\r\n`);
  };
  write(root);
  // the dot needs a line of its own
  if (!endsLine(open.at(-1))) open.push('\r\n');
  close();
  return parts;
}

function encodingOf(node: MimeTree): BodyEncoding {
  const named = String(node.getHeader('Content-Transfer-Encoding') ?? '');
  return named === 'quoted-printable' || named === 'base64' ? named : '7bit';
}

function endsLine(piece: string | Uint8Array | undefined): boolean {
  if (piece === undefined) return false;
  return typeof piece === 'string' ? piece.endsWith('\n') : piece.at(-1) === 0x0a;
}

function crlf(text: string): string {
  return text.includes('\r') || text.includes('\n') ? text.replace(/\r\n|\n|\r/g, '\r\n') : text;
}

export type BodyEncoding = '7bit' | 'quoted-printable' | 'base64';

/** A text with the line ends and the encoding of the wire. */
export function encodeBody(encoding: BodyEncoding, text: string): string | Uint8Array {
  const lines = crlf(text);
  if (encoding === 'quoted-printable') return encodeQuotedPrintable(Buffer.from(lines));
  if (encoding === 'base64') return encodeBase64Lines(Buffer.from(lines));
  return lines;
}

/** Bytes of the whole message before dot-stuffing (RFC 1870: SIZE counts without it); sizes of attachments in order. */
export function messageSize(message: readonly MessagePart[], attachmentSizes: readonly number[]): number {
  let size = 0;
  let next = 0;
  for (const part of message)
    size += part instanceof Uint8Array ? part.length : base64Length(attachmentSizes[next++] ?? 0);
  return size;
}
