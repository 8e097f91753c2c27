/**
 * The words between the rooms of mail/: what compose hands to deliver, and what deliver tells outcome.
 */
import type { Readable } from 'node:stream';
import type { PayloadAttachment } from '../contract/payload.ts';

export interface Mailbox {
  name: string;
  address: string;
}

/** An attachment of the payload after its path was checked for shape: only `{32 hex}/{file name}` is left of it. */
export interface AttachmentRef {
  /** what the recipient sees */
  name: string;
  /** folder token, 32 lower-case hex digits */
  folder: string;
  /** file name inside the folder, no separators */
  file: string;
  /** expected size in bytes and content hash, where the row has them */
  size: number | null;
  sha256: string | null;
  /** Content-ID where it is an embed */
  cid: string | null;
}
export type { PayloadAttachment };

/** Opens one attachment for streaming. Rejects with a `PostroomError('not-found' | 'refused', ...)` in plain words. */
export type OpenAttachment = (ref: AttachmentRef) => Promise<{ stream: Readable; size: number }>;

export interface Envelope {
  /** MAIL FROM: always the profile's address */
  from: string;
  /** RCPT TO, each once, ASCII domain, in the order To, Cc, Bcc */
  to: string[];
}

/** Phases of a conversation in their order. `dot` = the final dot may be on the wire. */
export const phases = ['connect', 'login', 'mail', 'rcpt', 'data', 'body', 'dot', 'done'] as const;
export type Phase = (typeof phases)[number];

/** A server's answer, cut to 1,000 characters. */
export interface SmtpReply {
  code: number;
  /** RFC 3463 code where the reply carries one, as `5.1.1` */
  enhanced: string | null;
  text: string;
}

export interface RefusedRecipient {
  address: string;
  reply: SmtpReply;
}

/** All that is known after one conversation; outcome.ts reads its meaning from this and nothing else. */
export interface Conversation {
  /** the last phase that was entered */
  phase: Phase;
  /** the deciding reply: to the final dot, or the one that ended the conversation; null = none came */
  reply: SmtpReply | null;
  accepted: string[];
  refused: RefusedRecipient[];
  /** set when it did not end with a reply: Node/nodemailer error code (ECONNRESET, ETIMEDOUT, EAI_AGAIN, CERT_HAS_EXPIRED, ...) */
  fault: { code: string; message: string } | null;
  /** the guard at the point of no return said no: no dot was sent, the socket is destroyed */
  guardRefused: boolean;
  /** the server's queue id out of the 2xx reply, where one can be read */
  serverId: string | null;
  /** ms by the monotonic clock from MAIL FROM to the last reply */
  tookMs: number;
}

/** What is known of a conversation that did not begin. */
export function notBegun(code: string, message: string): Conversation {
  return {
    phase: 'connect',
    reply: null,
    accepted: [],
    refused: [],
    fault: { code, message },
    guardRefused: false,
    serverId: null,
    tookMs: 0,
  };
}

/**
 * A finished message, cut where attachments go: bytes are ready for the wire (CRLF lines, not yet dot-stuffed), an
 * attachment stands for its content as base64 lines and is read only while the message is being sent.
 */
export type MessagePart = Uint8Array | AttachmentRef;

/** A mail that is ready for a conversation. */
export interface OutgoingMail {
  envelope: Envelope;
  message: readonly MessagePart[];
  /** every attachment and embed of `message`, in its order */
  attachments: readonly AttachmentRef[];
  /** `message` holds bytes above 127: the server must be told (8BITMIME, RFC 6152) */
  eightBit: boolean;
}

/** An entry of a recipient or header list that was left out, with the reason for a person. */
export interface DroppedEntry {
  text: string;
  reason: string;
}
