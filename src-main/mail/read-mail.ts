/**
 * A row's payload read and checked, before anything is built of it: quick enough for the claim's transaction, and the
 * one place that says why a row can never be sent (promise 10). Pure.
 */
import { type Payload, payloadSchema } from '../contract/payload.ts';
import { cleanName, parseMailbox, parseMailboxes, sameAddress } from './address.ts';
import { checkAttachment } from './attachment-paths.ts';
import { type BodyKind, readCharset, readContentType } from './content-type.ts';
import type { AttachmentRef, DroppedEntry, Envelope, Mailbox, PayloadAttachment } from './conversation.ts';
import { cleanValue, readHeaders } from './headers.ts';

/** Characters of a payload: far above any real mail, below what would hold up the loop for long. */
export const maxPayload = 25 * 1024 * 1024;

export interface MailInput {
  /** the payload column, as it is in the table */
  payload: string;
  /** the profile's `from`; its address is always MAIL FROM */
  sender: Mailbox;
  /** the attachment_dir column; null or '' = the row names none */
  attachmentDir: string | null;
  /** addresses that an earlier conversation had accepted: left out of the envelope */
  deliveredTo: readonly string[];
}

/** A payload that can be sent. `envelope.to.length` is what the hour and day caps count. */
export interface ReadMail {
  envelope: Envelope;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  body: BodyKind;
  /** how UTF-8 is spelled in its headers */
  charset: string;
  message: string;
  alt: string | null;
  /** caller's headers that are carried over, safe in name and value */
  headers: { name: string; value: string }[];
  attachments: AttachmentRef[];
  embeds: AttachmentRef[];
  /** what was left out: invalid recipients of a list, broken header lines */
  dropped: DroppedEntry[];
}

/** The reason is written for a person and becomes last_error. */
export type MailReading = { ok: true; mail: ReadMail } | { ok: false; reason: string };

/** Reads and checks a row. Never throws, whatever the payload holds. */
export function readMail(input: MailInput): MailReading {
  const parsed = parsePayload(input.payload);
  if (!parsed.ok) return parsed;
  const payload = parsed.payload;
  const headers = readHeaders(payload.headers);
  const to = parseMailboxes(payload.to);
  const cc = parseMailboxes(headers.cc);
  const bcc = parseMailboxes(headers.bcc);
  const dropped = [...to.dropped, ...cc.dropped, ...bcc.dropped, ...headers.dropped];
  const recipients = unique([...to.mailboxes, ...cc.mailboxes, ...bcc.mailboxes]);
  if (recipients.length === 0) {
    const why = [...to.dropped, ...cc.dropped, ...bcc.dropped][0]?.reason;
    return { ok: false, reason: `no valid recipient${why ? `: ${why}` : ''}` };
  }
  const delivered = new Set(input.deliveredTo.map(sameAddress));
  const remaining = recipients.filter((address) => !delivered.has(sameAddress(address)));
  if (remaining.length === 0)
    return { ok: false, reason: 'every recipient was already accepted by the mail server' };

  const folder = input.attachmentDir === '' ? null : input.attachmentDir;
  const attachments = checkAll(payload.attachments, folder);
  if (!attachments.ok) return attachments;
  const embeds = checkAll(payload.embeds, folder);
  if (!embeds.ok) return embeds;
  return {
    ok: true,
    mail: {
      envelope: { from: input.sender.address, to: remaining },
      from: fromHeader(payload, headers.from, input.sender),
      to: to.mailboxes,
      // who is named twice gets it once, and is shown in the first place
      cc: cc.mailboxes.filter(
        (one) => !to.mailboxes.some((other) => sameAddress(other.address) === sameAddress(one.address)),
      ),
      replyTo: parseMailboxes(headers.replyTo).mailboxes,
      subject: cleanValue(payload.subject),
      body: readContentType(payload.content_type || headers.contentType, payload.message),
      charset: readCharset(payload.charset ?? null, headers.contentType),
      message: payload.message,
      alt: payload.alt ?? null,
      headers: headers.custom,
      attachments: attachments.refs,
      embeds: embeds.refs,
      dropped,
    },
  };
}

function parsePayload(raw: string): { ok: true; payload: Payload } | { ok: false; reason: string } {
  if (raw.length > maxPayload) {
    const size = Math.ceil(raw.length / 1024 / 1024);
    return { ok: false, reason: `payload too large: ${size} MB, at most ${maxPayload / 1024 / 1024} MB` };
  }
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch (error) {
    return {
      ok: false,
      reason: `corrupt payload: ${error instanceof Error ? cleanValue(error.message).slice(0, 200) : 'not JSON'}`,
    };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { ok: false, reason: 'corrupt payload: not a JSON object' };
  // PHP writes null where it has nothing: the same as a missing key
  const present = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  const checked = payloadSchema.safeParse(present);
  if (checked.success) return { ok: true, payload: checked.data };
  const issue = checked.error.issues[0];
  const where = issue?.path.join('.') || 'payload';
  const missing = issue?.path.length === 1 && !(String(issue.path[0]) in present);
  const words = missing
    ? 'is missing'
    : issue?.code === 'invalid_union'
      ? 'has a wrong type'
      : (issue?.message ?? 'is wrong');
  return { ok: false, reason: `corrupt payload: ${cleanValue(where).slice(0, 100)} ${words}` };
}

/** payload.from, else a From header, else the sender (DESIGN section 4). A broken one falls to the next. */
function fromHeader(payload: Payload, header: string | null, sender: Mailbox): Mailbox {
  const named = payload.from_name === undefined ? null : cleanName(payload.from_name);
  for (const source of [payload.from, header]) {
    const parsed = source ? parseMailbox(source) : null;
    if (parsed?.ok) return { name: named ?? parsed.mailbox.name, address: parsed.mailbox.address };
  }
  return { name: named ?? sender.name, address: sender.address };
}

function unique(mailboxes: readonly Mailbox[]): string[] {
  const found = new Map<string, string>();
  for (const { address } of mailboxes)
    if (!found.has(sameAddress(address))) found.set(sameAddress(address), address);
  return [...found.values()];
}

function checkAll(
  entries: readonly PayloadAttachment[],
  folder: string | null,
): { ok: true; refs: AttachmentRef[] } | { ok: false; reason: string } {
  const refs: AttachmentRef[] = [];
  for (const entry of entries) {
    const checked = checkAttachment(entry, folder);
    if (!checked.ok) return checked;
    refs.push(checked.ref);
  }
  return { ok: true, refs };
}
