/**
 * The demo shop's mail server: on loopback, takes mail and sends nothing on. Domains of the recipients decide how it
 * behaves, and it keeps its own books: they are the proof of the cap and of "never twice", not the console's word.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { DemoMail } from '../contract/channels.ts';
import { decodeWords } from '../mail/encoded-words.ts';
import { WindowMeter } from './window-meter.ts';

/** Recipient domains that do not simply take mail. RFC 2606 keeps `.example` from ever being anyone's. */
export const sinkDomains = {
  full: 'full.example',
  unknown: 'unknown.example',
  slow: 'slow.example',
  greylist: 'greylist.example',
} as const;

/** ms that slow.example takes for its answer */
const slowMs = 3_000;
/** mails that the inbox shows */
const kept = 500;
/** Message-IDs that are remembered to notice a second copy */
const rememberedIds = 20_000;
/** characters of a message that are read for its headers */
const headerReach = 64 * 1024;

export interface SinkProof {
  /** mails that were answered with 250 */
  arrived: number;
  /** conversations that ended with a 5xx */
  refusedForGood: number;
  /** most conversations in any 60 s, by this server's stamps at MAIL FROM and at the last answer, whichever is more */
  mostIn60s: number;
  /** ms between the two MAIL FROM that came closest; null before there were two */
  closestMs: number | null;
  /** mails whose Message-ID had been taken before */
  duplicates: number;
}

export class MailSink {
  readonly #server: SMTPServer;
  readonly #mails: DemoMail[] = [];
  readonly #ids = new Set<string>();
  readonly #greylisted = new Set<string>();
  /** sessions whose sender is known and whose first recipient is not */
  readonly #fresh = new WeakSet<SMTPServerSession>();
  readonly #begun = new WindowMeter(60_000);
  readonly #answered = new WindowMeter(60_000);
  readonly #listeners = new Set<(mail: DemoMail) => void>();
  readonly #closing = new AbortController();
  #arrived = 0;
  #refusedForGood = 0;
  #duplicates = 0;

  private constructor() {
    this.#server = new SMTPServer({
      name: 'mail.demo.example',
      banner: 'demo mail server',
      disabledCommands: ['AUTH', 'STARTTLS'],
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 500,
      onMailFrom: (_from, session, answer) => {
        this.#fresh.add(session);
        answer();
      },
      onRcptTo: ({ address }, session, answer) => {
        // the doctor's look at the sender ends before a recipient is named, and is no conversation
        if (this.#fresh.delete(session)) this.#begun.add(Date.now());
        const refusal = this.#refusalOf(address.toLowerCase());
        if (refusal) this.#answered.add(Date.now());
        answer(refusal);
      },
      onData: (stream, session, answer) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          void this.#take(Buffer.concat(parts), session).then(
            (refusal) =>
              refusal ? answer(refusal) : answer(null, `2.0.0 Ok: queued as demo-${this.#arrived}`),
            () => {}, // closing: no answer any more
          );
        });
      },
    });
    this.#server.on('error', () => {}); // a client that went away
  }

  static async open(): Promise<MailSink> {
    const sink = new MailSink();
    await new Promise<void>((resolve, reject) => {
      sink.#server.server.once('error', reject);
      sink.#server.listen(0, '127.0.0.1', () => {
        sink.#server.server.off('error', reject);
        resolve();
      });
    });
    return sink;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The last mails that arrived, the newest first. */
  inbox(limit: number): DemoMail[] {
    return this.#mails.slice(-limit).reverse();
  }

  onArrival(listener: (mail: DemoMail) => void): void {
    this.#listeners.add(listener);
  }

  proof(): SinkProof {
    return {
      arrived: this.#arrived,
      refusedForGood: this.#refusedForGood,
      mostIn60s: Math.max(this.#begun.most, this.#answered.most),
      closestMs: this.#begun.closest,
      duplicates: this.#duplicates,
    };
  }

  close(): Promise<void> {
    this.#closing.abort();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** What RCPT TO is answered with, null to take it. */
  #refusalOf(address: string): Error | null {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    if (domain === sinkDomains.unknown) {
      this.#refusedForGood += 1;
      return reply(550, `5.1.1 <${address}>: nobody of that name lives here`);
    }
    if (domain === sinkDomains.greylist && !this.#greylisted.has(address)) {
      this.#greylisted.add(address);
      return reply(451, '4.7.1 Greylisted, please come back in 5 minutes');
    }
    return null;
  }

  /** The answer to the final dot: null takes the mail. */
  async #take(message: Buffer, session: SMTPServerSession): Promise<Error | null> {
    const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
    const to = session.envelope.rcptTo.map((recipient) => recipient.address);
    const at = (domain: string) => to.some((address) => address.toLowerCase().endsWith(`@${domain}`));
    if (at(sinkDomains.slow)) await pause(slowMs, undefined, { signal: this.#closing.signal });
    const now = Date.now();
    this.#answered.add(now);
    if (at(sinkDomains.full)) {
      this.#refusedForGood += 1;
      return reply(552, '5.2.2 The mailbox is full');
    }
    const header = headersOf(message);
    const mail: DemoMail = {
      at: now,
      from,
      to,
      subject: decodeWords(header('subject')),
      messageId: header('message-id'),
      size: message.length,
    };
    this.#remember(mail);
    return null;
  }

  #remember(mail: DemoMail): void {
    this.#arrived += 1;
    if (this.#ids.has(mail.messageId)) this.#duplicates += 1;
    this.#ids.add(mail.messageId);
    const oldest = this.#ids.values().next();
    if (this.#ids.size > rememberedIds && !oldest.done) this.#ids.delete(oldest.value);
    this.#mails.push(mail);
    if (this.#mails.length > kept) this.#mails.shift();
    for (const listener of this.#listeners) listener(mail);
  }
}

function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Reads single headers of a message, unfolded; '' where there is none. */
function headersOf(message: Buffer): (name: string) => string {
  const text = message.subarray(0, headerReach).toString('utf8');
  const head = text.slice(0, Math.max(0, text.indexOf('\r\n\r\n'))).replace(/\r\n[ \t]+/g, ' ');
  return (name) => {
    const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim() ?? '';
  };
}
