/** What the mail suites share: a mail to send, an account for the scripted server, a guard that passes. */
import { Readable } from 'node:stream';
import type { SmtpAccount } from '../../src-main/contract/profile.ts';
import { composeMail, makeMessageId } from '../../src-main/mail/compose.ts';
import type { Conversation, OutgoingMail } from '../../src-main/mail/conversation.ts';
import {
  type ConverseOptions,
  createMailServer,
  type MailServer,
  type MailServerOptions,
} from '../../src-main/mail/deliver.ts';

export const sender = { name: 'Studio Ú', address: 'shop@shop.test' };

export interface MailOptions {
  to?: string | string[];
  subject?: string;
  message?: string;
  headers?: string | string[];
  attachmentDir?: string | null;
  deliveredTo?: string[];
  [key: string]: unknown;
}

let count = 0;

/** A payload as the connector writes it, composed; throws when it is refused. */
export function compose(options: MailOptions = {}) {
  const { attachmentDir = null, deliveredTo = [], ...payload } = options;
  const composed = composeMail({
    payload: JSON.stringify({
      to: 'b@x.test',
      subject: 'Order 1',
      message: 'Hello',
      headers: '',
      attachments: [],
      ...payload,
    }),
    sender,
    attachmentDir,
    deliveredTo,
    messageId: makeMessageId(`test/${++count}`, sender),
    date: new Date('2026-01-02T03:04:05Z'),
  });
  if (!composed.ok) throw new Error(composed.reason);
  return composed;
}

/** The bytes of a message without attachments. */
export function bytesOf(mail: Pick<OutgoingMail, 'message'>): Buffer {
  return Buffer.concat(mail.message.map((part) => (part instanceof Uint8Array ? part : Buffer.from('QQ=='))));
}

export function account(port: number, more: Partial<SmtpAccount> = {}): SmtpAccount {
  return {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: null,
    password: null,
    via: 'direct',
    connections: 1,
    ...more,
  };
}

const quick = { connect: 2000, greeting: 2000, command: 2000, socket: 2000 };

export function mailServer(smtp: SmtpAccount, options: MailServerOptions = {}): MailServer {
  return createMailServer(smtp, {
    name: 'console.test',
    ...options,
    timeouts: { ...quick, ...options.timeouts },
  });
}

export const noAttachments: ConverseOptions['openAttachment'] = () =>
  Promise.reject(new Error('no attachment expected'));

export function converse(
  server: MailServer,
  mail: OutgoingMail,
  options: Partial<ConverseOptions> = {},
): Promise<Conversation> {
  return server.converse(mail, { guard: () => Promise.resolve(), openAttachment: noAttachments, ...options });
}

/** Gives out contents by file name, and counts what was opened and what was destroyed. */
export function shelf(contents: Record<string, Buffer>) {
  const state = { opened: 0, streams: [] as Readable[] };
  const open: ConverseOptions['openAttachment'] = async (ref) => {
    const content = contents[ref.file];
    if (!content) throw new Error(`unexpected file ${ref.file}`);
    state.opened++;
    const pieces: Buffer[] = [];
    for (let at = 0; at < content.length; at += 10_000) pieces.push(content.subarray(at, at + 10_000));
    const stream = Readable.from(pieces, { objectMode: false });
    state.streams.push(stream);
    return { stream, size: content.length };
  };
  return { open, state };
}
