/**
 * A few kept-alive connections to one mail server. There is no queue in here and nothing is sent again (FINDINGS 3),
 * save a mail whose kept-alive connection turned out dead before the server answered anything.
 */
import type { Duplex } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import type { SmtpAccount } from '../contract/profile.ts';
import type { Conversation, OpenAttachment, OutgoingMail, Phase } from './conversation.ts';
import type { ServerOffers, SmtpSession } from './deliver.ts';
import { faultWords } from './fault-words.ts';
import { messageSize } from './message.ts';
import { AttachmentError, asAttachmentError, type OpenedAttachment } from './message-stream.ts';
import { Permits } from './permits.ts';
import { parseReply, replyWords } from './reply.ts';
import { SmtpFault } from './smtp-fault.ts';
import { defaultTimeouts, type SessionSetup, type SmtpTimeouts, secretsOf } from './smtp-options.ts';
import { Talk } from './talk.ts';

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
   * The point of no return (promise 2): asked when all of the message but the final dot was handed to the connection.
   * When it rejects, no dot is sent and the connection is destroyed.
   */
  guard: () => Promise<void>;
  openAttachment: OpenAttachment;
  /** told of each phase as it begins */
  onPhase?: (phase: Phase) => void;
  /** breaks the conversation off up to the guard; after it, the answer is waited for */
  signal?: AbortSignal;
}

export interface MailServer {
  /** One try to hand over a mail. Never rejects for what the server, the network or an attachment did. */
  converse(mail: OutgoingMail, options: ConverseOptions): Promise<Conversation>;
  /** Connects, logs in, RSET (a NOOP that nodemailer has). @throws PostroomError `unreachable` or `login`, in plain words */
  probe(): Promise<void>;
  /** A connection of its own, to be looked at step by step. Each step rejects with a PostroomError in plain words. */
  examine(): MailLook;
  /** Says QUIT on idle connections, and on busy ones when they are through. */
  close(): Promise<void>;
  /** Destroys all connections at once, busy ones too (sleep, lost tunnel); the next conversation connects anew. */
  drop(): void;
  /**
   * Another network, or a pause of unknown length: idle connections are let go, and busy ones whose own address is none of this
   * machine's any more, since no answer can reach them.
   */
  refresh(ownAddresses: readonly string[]): void;
  /** how often a login was begun */
  readonly logins: number;
}

/** One connection that the doctor looks at; nothing is sent. */
export interface MailLook {
  /** greets, and encrypts where the account says so */
  connect(): Promise<ServerOffers>;
  login(): Promise<void>;
  /** MAIL FROM and RSET; resolves with the server's answer */
  sender(address: string): Promise<string>;
  close(): Promise<void>;
}

/** The connections to one mail account: at most `account.connections`, each with one conversation at a time. */
export class Connections implements MailServer {
  logins = 0;
  private readonly setup: SessionSetup;
  private readonly secrets: readonly string[];
  private readonly idleMs: number;
  private readonly permits: Permits;
  private readonly all = new Set<SmtpSession>();
  private idle: { session: SmtpSession; since: number }[] = [];
  private readonly leaving = new Set<Promise<void>>();
  private sweeper: NodeJS.Timeout | null = null;
  private closed = false;

  private readonly create: (setup: SessionSetup) => SmtpSession;

  constructor(
    account: SmtpAccount,
    options: MailServerOptions,
    create: (setup: SessionSetup) => SmtpSession,
  ) {
    this.create = create;
    this.setup = {
      account,
      timeouts: { ...defaultTimeouts, ...options.timeouts },
      name: options.name,
      openSocket: options.openSocket,
    };
    this.secrets = secretsOf(account);
    this.idleMs = options.idleMs ?? 30_000;
    this.permits = new Permits(account.connections);
  }

  async converse(mail: OutgoingMail, options: ConverseOptions): Promise<Conversation> {
    const talk = new Talk(mail.envelope, options, this.secrets);
    let opened: OpenedAttachment[] = [];
    await this.permits.take();
    try {
      if (mail.attachments.length > 0) {
        const attempt = await openAll(mail, options.openAttachment);
        if (attempt instanceof AttachmentError) return talk.endsByAttachment(attempt);
        opened = attempt;
      }
      const size = messageSize(
        mail.message,
        opened.map((attachment) => attachment.size),
      );
      let fresh = false;
      for (;;) {
        if (options.signal?.aborted) return talk.endsByStop();
        let session: SmtpSession;
        try {
          session = await this.session(talk, fresh);
        } catch (fault) {
          return talk.endsByFault(asFault(fault));
        }
        const reused = session.rested;
        const conversation = await talk.send(session, mail, opened, size);
        this.release(session);
        if (!reused || !talk.diedUnheard) return conversation;
        fresh = true;
      }
    } finally {
      for (const attachment of opened) attachment.stream.destroy();
      this.permits.give();
    }
  }

  async probe(): Promise<void> {
    await this.permits.take();
    let session: SmtpSession | null = null;
    try {
      session = await this.session(null, true);
      await session.reset();
    } catch (thrown) {
      throw probeError(asFault(thrown), this.setup.account, this.secrets);
    } finally {
      if (session) this.release(session);
      this.permits.give();
    }
  }

  examine(): MailLook {
    const { account } = this.setup;
    let made: SmtpSession | null = null;
    let permitted = false;
    let ready = false;
    const session = (): SmtpSession => {
      made ??= this.create(this.setup);
      this.all.add(made);
      return made;
    };
    const plainly = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (thrown) {
        throw probeError(asFault(thrown), account, this.secrets);
      }
    };
    return {
      connect: async () => {
        // it counts among the account's connections like any other
        await this.permits.take();
        permitted = true;
        await this.makeRoom();
        await plainly(session().connect());
        ready = account.user === null;
        return session().offers;
      },
      login: async () => {
        this.logins++;
        await plainly(session().login());
        ready = true;
      },
      sender: async (address) => {
        const reply = parseReply(await plainly(session().trySender(address)), this.secrets);
        return reply ? replyWords(reply) : '';
      },
      // one that is logged in carries the next mail: accounts may be shut out for logging in too often (454 4.7.0)
      close: async () => {
        if (made && ready) this.release(made);
        else if (made) await this.quit(made);
        if (permitted) this.permits.give();
        permitted = false;
      },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.sweeper) clearTimeout(this.sweeper);
    this.sweeper = null;
    const idle = this.idle.splice(0);
    await Promise.all(idle.map(({ session }) => this.quit(session)));
    await this.permits.allBack();
    await Promise.all([...this.all].map((session) => this.quit(session)));
  }

  refresh(ownAddresses: readonly string[]): void {
    for (const { session } of this.idle.splice(0)) {
      session.destroy();
      this.all.delete(session);
    }
    for (const session of [...this.all]) {
      const at = session.localAddress;
      if (at === null || /^(127\.|::1$|::ffff:127\.)/.test(at)) continue;
      if (ownAddresses.includes(at.replace(/^::ffff:/, ''))) continue;
      session.destroy(new SmtpFault('ENETDOWN', 'the network that it went through is gone', null, 'CONN'));
      this.all.delete(session);
    }
  }

  drop(): void {
    this.idle = [];
    for (const session of this.all)
      session.destroy(new SmtpFault('EDROPPED', 'the connections were dropped', null, 'CONN'));
    this.all.clear();
  }

  /** An idle session, or one that is connected and logged in now. */
  private async session(talk: Talk | null, fresh: boolean): Promise<SmtpSession> {
    while (!fresh) {
      const idle = this.idle.pop();
      if (!idle) break;
      if (!idle.session.alive) {
        this.all.delete(idle.session);
        continue;
      }
      if (!idle.session.unclean) return idle.session;
      const clean = await idle.session.reset().then(
        () => true,
        () => false,
      );
      if (clean) return idle.session;
      this.all.delete(idle.session);
    }
    await this.makeRoom();
    const session = this.create(this.setup);
    this.all.add(session);
    const stop = talk?.whileConnecting(session);
    try {
      talk?.enter('connect');
      await session.connect();
      if (this.setup.account.user !== null) {
        talk?.enter('login');
        this.logins++;
        await session.login();
      }
      return session;
    } catch (error) {
      session.destroy();
      this.all.delete(session);
      throw error;
    } finally {
      stop?.();
    }
  }

  private release(session: SmtpSession): void {
    if (!session.alive || !this.all.has(session)) {
      this.all.delete(session);
      return;
    }
    if (this.closed) {
      void this.quit(session);
      return;
    }
    session.rested = true;
    this.idle.push({ session, since: performance.now() });
    if (!this.sweeper) this.planSweep(this.idleMs);
  }

  private planSweep(ms: number): void {
    this.sweeper = setTimeout(() => {
      this.sweeper = null;
      const now = performance.now();
      const due = this.idle.filter(({ session, since }) => !session.alive || now - since >= this.idleMs);
      this.idle = this.idle.filter((entry) => !due.includes(entry));
      for (const { session } of due) void this.quit(session);
      const next = this.idle[0];
      if (next) this.planSweep(Math.max(10, next.since + this.idleMs - now));
    }, ms);
    // an idle connection keeps no program alive
    this.sweeper.unref();
  }

  /** A mail account may allow no more connections than ours: what leaves is gone before another comes. */
  private async makeRoom(): Promise<void> {
    while (this.all.size >= this.setup.account.connections) {
      const surplus = this.idle.shift();
      if (surplus) await this.quit(surplus.session);
      else if (this.leaving.size > 0) await Promise.race(this.leaving);
      else return;
    }
  }

  private quit(session: SmtpSession): Promise<void> {
    const goodbye = session.quit().then(() => {
      this.all.delete(session);
      this.leaving.delete(goodbye);
    });
    this.leaving.add(goodbye);
    return goodbye;
  }
}

/** Opens every attachment before MAIL FROM, so that a missing one costs no conversation. */
async function openAll(
  mail: OutgoingMail,
  open: OpenAttachment,
): Promise<OpenedAttachment[] | AttachmentError> {
  const opened: OpenedAttachment[] = [];
  let failure: AttachmentError | null = null;
  for (const ref of mail.attachments) {
    try {
      const { stream, size } = await open(ref);
      // an error before its turn is found again when it is read
      stream.on('error', () => {});
      opened.push({ ref, stream, size });
      if (ref.size !== null && ref.size !== size)
        failure = new AttachmentError('changed', `attachment changed: ${ref.name}`);
    } catch (error) {
      failure = asAttachmentError(error, ref);
    }
    if (failure) break;
  }
  if (!failure) return opened;
  for (const attachment of opened) attachment.stream.destroy();
  return failure;
}

function asFault(thrown: unknown): SmtpFault {
  if (thrown instanceof SmtpFault) return thrown;
  const error = thrown as { code?: unknown; message?: unknown };
  return new SmtpFault(
    typeof error.code === 'string' ? error.code : 'EUNKNOWN',
    String(error.message ?? thrown),
    null,
    'CONN',
  );
}

function probeError(fault: SmtpFault, account: SmtpAccount, secrets: readonly string[]): PostroomError {
  const reply = fault.response === null ? null : parseReply(fault.response, secrets);
  const detail = reply ? replyWords(reply) : `${fault.code}: ${fault.message}`;
  const where = `${account.host}:${account.port}`;
  if (/^AUTH/.test(fault.command) || fault.code === 'EAUTH' || fault.code === 'ENOAUTH') {
    return new PostroomError(
      'login',
      `The mail server ${where} refused the login${account.user ? ` of ${account.user}` : ''}: ${reply ? replyWords(reply) : fault.message}`,
      { detail },
    );
  }
  if (fault.command === 'MAIL FROM')
    return new PostroomError(
      'refused',
      `The mail server ${where} does not take mail from this sender: ${reply ? replyWords(reply) : fault.message}`,
      { detail },
    );
  const words = reply ? `it answered ${replyWords(reply)}` : faultWords(fault.code, fault.message);
  return new PostroomError('unreachable', `The mail server ${where} cannot be used: ${words}`, { detail });
}
