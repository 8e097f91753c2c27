/** One conversation as it runs: its phases, what was answered to which step, and how it ended. */

import type { ConverseOptions } from './connections.ts';
import type {
  Conversation,
  Envelope,
  OutgoingMail,
  Phase,
  RefusedRecipient,
  SmtpReply,
} from './conversation.ts';
import type { SmtpSession } from './deliver.ts';
import {
  type AttachmentError,
  GuardRefused,
  MessageStream,
  type OpenedAttachment,
} from './message-stream.ts';
import { parseReply } from './reply.ts';
import { serverIdOf } from './server-id.ts';
import { SmtpFault } from './smtp-fault.ts';

/** A 421 that speaks of this connection alone, not of us: waiting too long, or enough mails over one connection. */
const aboutThisConnection =
  /idle|inactiv|time[- ]?(?:d )?out|too many (?:messages|mails|transactions)[^.]{0,20}\b(?:session|connection)/i;

export class Talk {
  /** the kept-alive connection was dead before the server answered anything to this mail */
  diedUnheard = false;
  private phase: Phase = 'connect';
  private replies: string[] = [];
  private mailAt: number | null = null;
  private lastAt = 0;
  private stopped = false;
  private readonly envelope: Envelope;
  private readonly options: ConverseOptions;
  private readonly secrets: readonly string[];

  constructor(envelope: Envelope, options: ConverseOptions, secrets: readonly string[]) {
    this.envelope = envelope;
    this.options = options;
    this.secrets = secrets;
  }

  enter(phase: Phase): void {
    this.phase = phase;
    this.options.onPhase?.(phase);
  }

  /** Lets the signal break off connecting and logging in. Returns how to take it back. */
  whileConnecting(session: SmtpSession): () => void {
    return this.onStop(session);
  }

  /** Hands the mail over. Never rejects. */
  async send(
    session: SmtpSession,
    mail: OutgoingMail,
    opened: readonly OpenedAttachment[],
    size: number,
  ): Promise<Conversation> {
    this.diedUnheard = false;
    this.replies = [];
    const message = new MessageStream(mail.message, opened, {
      onBody: () => {
        this.enter('body');
        session.bodyBegins();
      },
      guard: this.options.guard,
      onDot: () => this.enter('dot'),
    });
    const takeBack = this.onStop(session);
    let fault: SmtpFault | null = null;
    try {
      await session.send(mail.envelope, size, mail.eightBit, message, {
        onCommand: (command) => this.sawCommand(command),
        onReply: (reply) => this.sawReply(reply, message),
      });
    } catch (error) {
      fault = error instanceof SmtpFault ? error : new SmtpFault('EUNKNOWN', String(error), null, 'CONN');
    } finally {
      takeBack();
      // lets go of what it reads from, and of a guard that is still being asked
      message.destroy();
    }
    return this.conclude(session, message, fault);
  }

  endsByFault(fault: SmtpFault): Conversation {
    if (this.stopped) return this.endsByStop();
    const reply = fault.response === null ? null : parseReply(fault.response, this.secrets);
    return this.result({ reply, fault: reply ? null : { code: fault.code, message: fault.message } });
  }

  endsByAttachment(failure: AttachmentError): Conversation {
    const code = failure.kind === 'lost' ? 'EFILES' : 'EATTACHMENT';
    return this.result({ fault: { code, message: failure.message } });
  }

  endsByStop(): Conversation {
    return this.result({ fault: { code: 'ESTOPPED', message: 'stopped before the mail was sent' } });
  }

  private conclude(session: SmtpSession, message: MessageStream, fault: SmtpFault | null): Conversation {
    if (message.failure) {
      // nothing after this may reach the wire: no dot was sent, and none will be
      session.destroy();
      if (message.failure instanceof GuardRefused)
        return this.result({
          guardRefused: true,
          fault: { code: 'EGUARD', message: message.failure.message },
        });
      return this.endsByAttachment(message.failure);
    }
    if (!fault) {
      if (this.phase !== 'dot') {
        session.destroy();
        return this.result({
          fault: { code: 'EPROTOCOL', message: 'the mail server said yes before it had the whole mail' },
        });
      }
      const reply = this.lastReply();
      this.enter('done');
      const refused = this.refusedRecipients();
      const names = new Set(refused.map(({ address }) => address));
      const accepted = this.envelope.to.filter((address) => !names.has(address));
      return this.result({ reply, refused, accepted, serverId: reply ? serverIdOf(reply.text) : null });
    }
    if (this.stopped && this.phase !== 'dot') return this.endsByStop();
    const reply = fault.response === null ? null : parseReply(fault.response, this.secrets);
    if (!reply) {
      if (fault.code === 'EMESSAGE') {
        // above the SIZE that the server announced: nothing was said, and the connection is as good as before
        session.unclean = false;
        return this.result({ fault: { code: 'ETOOBIG', message: fault.message } });
      }
      session.destroy();
      this.diedUnheard =
        this.replies.length === 0 && this.beforeBody() && !/^E(?:DROPPED|TUNNEL|TIMEDOUT)$/.test(fault.code);
      return this.result({
        fault: { code: fault.code, message: fault.message },
        refused: this.refusedRecipients(),
      });
    }
    if (this.beforeBody()) this.phase = phaseOfCommand(fault.command, this.phase);
    // an answer in mid body: the server still waits for the rest of it
    if (this.phase === 'body' || reply.code === 421) session.destroy();
    else if (this.phase === 'dot') session.unclean = false;
    this.diedUnheard =
      reply.code === 421 &&
      this.replies.length === 1 &&
      this.phase === 'mail' &&
      aboutThisConnection.test(reply.text);
    return this.result({ reply, refused: this.refusedRecipients() });
  }

  private beforeBody(): boolean {
    return this.phase !== 'body' && this.phase !== 'dot';
  }

  private sawCommand(command: string): void {
    if (command.startsWith('MAIL FROM')) {
      this.mailAt = performance.now();
      this.enter('mail');
    } else if (command.startsWith('RCPT TO')) {
      if (this.phase === 'mail') this.enter('rcpt');
    } else if (command === 'DATA') this.enter('data');
  }

  private sawReply(reply: string, message: MessageStream): void {
    this.lastAt = performance.now();
    this.replies.push(reply);
    if (this.phase === 'body') message.stop();
  }

  private lastReply(): SmtpReply | null {
    const raw = this.replies.at(-1);
    return raw === undefined ? null : parseReply(raw, this.secrets);
  }

  /** The first answer is to MAIL FROM, then one to each RCPT TO, in order, pipelined or not (RFC 2920 3.1). */
  private refusedRecipients(): RefusedRecipient[] {
    const refused: RefusedRecipient[] = [];
    if (!this.replies[0]?.startsWith('2')) return refused;
    this.envelope.to.forEach((address, index) => {
      const raw = this.replies[index + 1];
      const reply = raw === undefined || raw.startsWith('2') ? null : parseReply(raw, this.secrets);
      if (reply) refused.push({ address, reply });
    });
    return refused;
  }

  private result(known: Partial<Conversation>): Conversation {
    const end = this.lastAt > 0 ? this.lastAt : performance.now();
    const tookMs = this.mailAt === null ? 0 : Math.max(0, end - this.mailAt);
    return {
      phase: this.phase,
      reply: null,
      accepted: [],
      refused: [],
      fault: null,
      guardRefused: false,
      serverId: null,
      tookMs,
      ...known,
    };
  }

  private onStop(session: SmtpSession): () => void {
    const { signal } = this.options;
    if (!signal) return () => {};
    const stop = () => {
      if (this.phase === 'dot' || this.phase === 'done') return;
      this.stopped = true;
      session.destroy();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
  }
}

function phaseOfCommand(command: string, current: Phase): Phase {
  if (command === 'MAIL FROM') return 'mail';
  if (command === 'RCPT TO') return 'rcpt';
  if (command === 'DATA') return 'data';
  return current;
}
