/**
 * A row's payload as the mail that wp_mail() would have sent (DESIGN section 4). The only file that builds MIME.
 * Pure: no file, no socket, no clock.
 */
import { createHash, randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { AttachmentRef, Envelope, Mailbox, MessagePart, OutgoingMail } from './conversation.ts';
import { type Placeholders, renderMime } from './mime.ts';
import { type MailInput, type ReadMail, readMail } from './read-mail.ts';
import { oneLine } from './text.ts';

export { type MailInput, type MailReading, maxPayload, type ReadMail, readMail } from './read-mail.ts';

/** What makes a mail the same mail again when it is sent a second time. */
export interface Stamp {
  /** with its angle brackets, see makeMessageId */
  messageId: string;
  /** becomes the Date header */
  date: Date;
}

export type Composed =
  | {
      ok: true;
      envelope: Envelope;
      message: readonly MessagePart[];
      attachments: readonly AttachmentRef[];
      eightBit: boolean;
      /** the reading that it was built of */
      mail: ReadMail;
    }
  | { ok: false; reason: string };

/** readMail and buildMail in one: the result can be handed to MailServer.converse as it is. */
export function composeMail(input: MailInput & Stamp): Composed {
  const reading = readMail(input);
  if (!reading.ok) return reading;
  return { ok: true, ...buildMail(reading.mail, input), mail: reading.mail };
}

/**
 * Characters above which a text goes out as base64 without being looked at: nodemailer's search for the fitting encoding
 * takes seconds of the event loop for the largest payloads.
 */
const largeText = 200_000;

/** The MIME message of a mail that was read. */
export function buildMail(mail: ReadMail, stamp: Stamp): OutgoingMail {
  const placeholders: Placeholders = new Map();
  // the byte is never sent: the object only marks the node
  const placeholder = (standsFor: AttachmentRef | string): Buffer => {
    const mark = Buffer.alloc(1);
    placeholders.set(mark, standsFor);
    return mark;
  };
  const text = (content: string) =>
    content.length <= largeText
      ? content
      : { content: placeholder(content), contentTransferEncoding: 'base64' };
  const spelling = new Map(mail.headers.map(({ name }) => [name.toLowerCase(), name]));
  const tree = new MailComposer({
    ...bodyOf(mail, text),
    from: { ...mail.from },
    ...(mail.to.length > 0 ? { to: mail.to.map((mailbox) => ({ ...mailbox })) } : {}),
    ...(mail.cc.length > 0 ? { cc: mail.cc.map((mailbox) => ({ ...mailbox })) } : {}),
    ...(mail.replyTo.length > 0 ? { replyTo: mail.replyTo.map((mailbox) => ({ ...mailbox })) } : {}),
    subject: mail.subject,
    messageId: stamp.messageId,
    date: stamp.date,
    headers: mail.headers.map(({ name, value }) => ({ key: name, value })),
    attachments: [
      ...mail.embeds.map((ref, index) => ({
        ...fileOf(ref),
        cid: cidOf(ref, index),
        content: placeholder(ref),
      })),
      ...mail.attachments.map((ref) => ({ ...fileOf(ref), content: placeholder(ref) })),
    ],
    normalizeHeaderKey: (key: string) => spelling.get(key.toLowerCase()) ?? key,
    disableFileAccess: true,
    disableUrlAccess: true,
    // a mail of one part needs no boundary, and random bytes are what costs most in building one
    ...(partsOf(mail) > 1 ? {} : { baseBoundary: 'single' }),
  }).compile();
  const message = renderMime(tree, placeholders);
  return {
    envelope: mail.envelope,
    message,
    attachments: message.filter((part): part is AttachmentRef => !(part instanceof Uint8Array)),
    eightBit: mail.body.kind === 'multipart' && !/^\p{ASCII}*$/u.test(mail.message),
  };
}

function partsOf(mail: ReadMail): number {
  return mail.attachments.length + mail.embeds.length + (mail.alt === null ? 1 : 2);
}

type TextContent = string | { content: Buffer; contentTransferEncoding: string };

function bodyOf(mail: ReadMail, text: (content: string) => TextContent) {
  switch (mail.body.kind) {
    case 'html':
    case 'alternative':
      return { html: text(mail.message), ...(mail.alt === null ? {} : { text: text(mail.alt) }) };
    case 'text':
      return { alternatives: [{ contentType: `${mail.body.type}; charset=utf-8`, content: mail.message }] };
    case 'multipart':
      return { alternatives: [readyMultipart(mail.body, mail.message)] };
    default:
      return { text: text(mail.message) };
  }
}

/** A body that the caller built: handed through, since its parts are declared inside it. */
function readyMultipart(body: { type: string; boundary: string }, content: string) {
  return {
    contentType: `${body.type}; boundary="${body.boundary}"`,
    contentTransferEncoding: /^\p{ASCII}*$/u.test(content) ? '7bit' : '8bit',
    content,
  };
}

function fileOf(ref: AttachmentRef) {
  // a message/* part must not be base64 (RFC 2046 5.2.1), and bytes of unknown content can be nothing else
  const isMessage = /\.(?:eml|mht|mhtml|mime)$/i.test(ref.name);
  return { filename: ref.name, ...(isMessage ? { contentType: 'application/octet-stream' } : {}) };
}

/** wp_mail gives an embed without a name its place in the list as Content-ID. */
function cidOf(ref: AttachmentRef, index: number): string {
  const cid = ref.cid === null ? '' : oneLine(ref.cid).replace(/[<>\s]/g, '');
  return cid === '' ? String(index) : cid;
}

/**
 * `<uuid.postroom@domain>` under the sender's domain.
 * @param rowKey names the row and nothing else that ever was or will be (shop, table, id *and* creation time: ids are
 *   used again after a table was emptied): the same key gives the same Message-ID, also where the table has no column to
 *   keep it in. null gives a random one, to be kept with the row.
 */
export function makeMessageId(rowKey: string | null, sender: Mailbox): string {
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  return `<${rowKey === null ? randomUUID() : nameUuid(`${rowKey}\n${domain}`)}.postroom@${domain}>`;
}

/** A name-based UUID, version 8 of RFC 9562 over SHA-256. */
function nameUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x80;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
