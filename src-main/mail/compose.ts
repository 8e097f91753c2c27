/**
 * A row's payload as the mail that wp_mail() would have sent (DESIGN section 4). Pure: no file, no
 * socket, no clock.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AttachmentRef, Envelope, Mailbox, MessagePart, OutgoingMail } from './conversation.ts';
import { buildMessage } from './message.ts';
import { type MailInput, type ReadMail, readMail } from './read-mail.ts';

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

/** The MIME message of a mail that was read, ready for a conversation. */
export function buildMail(mail: ReadMail, stamp: Stamp): OutgoingMail {
  const { parts, eightBit } = buildMessage(mail, stamp);
  return {
    envelope: mail.envelope,
    message: parts,
    attachments: parts.filter((part): part is AttachmentRef => !(part instanceof Uint8Array)),
    eightBit,
  };
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
