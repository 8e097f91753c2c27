/**
 * Conversations with one mail server. The only file that speaks SMTP (by nodemailer's SMTPConnection, never its pool:
 * the pool sends again by itself, FINDINGS 3).
 */
import type { Duplex } from 'node:stream';
import type { SmtpAccount } from '../contract/profile.ts';
import type { Conversation, OpenAttachment, OutgoingMail, Phase } from './conversation.ts';

/** ms */
export interface SmtpTimeouts {
  /** from the DNS lookup to the end of STARTTLS */
  connect: number;
  greeting: number;
  /** silence of the server, above the 10 minutes after the dot of RFC 5321 4.5.3.2.6 (FINDINGS 6) */
  socket: number;
}

export interface MailServerOptions {
  /** the way through the shop's SSH: a Duplex that is, or soon will be, connected to the mail server */
  openSocket?: () => Duplex;
  /** our name in EHLO */
  name?: string;
  /** ms after which an unused connection says QUIT */
  idleMs?: number;
  timeouts?: Partial<SmtpTimeouts>;
}

export interface ConverseOptions {
  /**
   * The point of no return (promise 2): called when all of the message but the final dot was handed to the connection.
   * Rejects: no dot is sent and the connection is destroyed.
   */
  guard: () => Promise<void>;
  openAttachment: OpenAttachment;
  onPhase?: (phase: Phase) => void;
  /** breaks the conversation off before the guard; afterwards it waits for the answer */
  signal?: AbortSignal;
}

export interface MailServer {
  /** One try to hand over a mail. Never rejects for what the server, the network or an attachment did. */
  converse(mail: OutgoingMail, options: ConverseOptions): Promise<Conversation>;
  /** Connects, logs in, NOOP. @throws PostroomError `unreachable` or `login` in plain words */
  probe(): Promise<void>;
  /** Says QUIT on idle connections and waits for busy ones. */
  close(): Promise<void>;
  /** Destroys all connections at once, busy ones too (sleep, lost tunnel). */
  drop(): void;
  /** how often a login was tried */
  readonly logins: number;
}

export function createMailServer(account: SmtpAccount, options: MailServerOptions = {}): MailServer {
  throw new Error(`not written yet: ${account.host} ${options.name}`);
}
