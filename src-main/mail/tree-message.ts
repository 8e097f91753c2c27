/** A mail of any shape as nodemailer's tree: attachments, embeds, alternatives, ready multiparts. Pure. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Stamp } from './compose.ts';
import type { AttachmentRef, MessagePart } from './conversation.ts';
import { type Placeholders, renderMime } from './mime.ts';
import type { ReadMail } from './read-mail.ts';
import { oneLine } from './text.ts';

/**
 * Characters above which a text goes out as base64 without being looked at: nodemailer's search for the fitting encoding
 * takes seconds of the event loop for the largest payloads.
 */
export const largeText = 200_000;

/** The message of a mail that was read, cut where attachments go. */
export function treeMessage(mail: ReadMail, stamp: Stamp): MessagePart[] {
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
  return renderMime(tree, placeholders);
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
