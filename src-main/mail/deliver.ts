/**
 * Speaks SMTP: one connection to the mail server, with one mail at a time. The only file that delivers with nodemailer,
 * by its SMTPConnection; never by its pool, which sends again by itself (FINDINGS 3).
 */
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpAccount } from '../contract/profile.ts';
import { WayLost } from '../shop/ssh-faults.ts';
import { Connections, type MailServer, type MailServerOptions } from './connections.ts';
import type { Envelope } from './conversation.ts';
import type { MessageStream } from './message-stream.ts';
import { hideSecrets } from './reply.ts';
import { SmtpFault, tooSlow } from './smtp-fault.ts';
import { connectionOptions, type SessionSetup, secretsOf } from './smtp-options.ts';

export type { ConverseOptions, MailServer, MailServerOptions } from './connections.ts';
export type { SmtpTimeouts } from './smtp-options.ts';

/** The connections to one mail account: at most `account.connections`, each with one conversation at a time. */
export function createMailServer(account: SmtpAccount, options: MailServerOptions = {}): MailServer {
  return new Connections(account, options, (setup) => new SmtpSession(setup));
}

/** What the library keeps to itself and the doctor wants to know. */
interface RawConnection {
  _socket?: { localAddress?: string } | false;
  _maxAllowedSize: number;
  _supportedExtensions: string[];
  _responseActions: ((reply: string) => void)[];
  _sendCommand(command: string): void;
}

/** What a mail server said of itself. */
export interface ServerOffers {
  encrypted: boolean;
  /** bytes, 0 = no limit was named */
  largestMessage: number;
  extensions: string[];
}

/** What is seen on the wire during one mail. */
export interface WireWatch {
  onCommand: (command: string) => void;
  onReply: (reply: string) => void;
}

export class SmtpSession {
  /** false once it ended, whoever ended it */
  alive = true;
  /** a transaction was left open: RSET before the next mail */
  unclean = false;
  /** it was idle since its last use, and may have died unnoticed */
  rested = false;
  private commandTimer: NodeJS.Timeout | null = null;
  private readonly connection: SMTPConnection;
  private readonly setup: SessionSetup;
  private readonly secrets: readonly string[];
  private watch: WireWatch | null = null;
  private lastError: SmtpFault | null = null;
  /** rejects what is being waited for */
  private failPending: ((fault: SmtpFault) => void) | null = null;

  constructor(setup: SessionSetup) {
    this.setup = setup;
    this.secrets = secretsOf(setup.account);
    this.connection = new SMTPConnection({
      ...connectionOptions(setup),
      transactionLog: true,
      logger: { debug: (entry: unknown, line: unknown) => this.sawLine(entry, line), info() {} },
    });
    this.connection.on('error', (error: unknown) => {
      this.lastError = this.faultOf(error);
      this.alive = false;
    });
    this.connection.on('end', () => {
      this.alive = false;
      // an answer that ends the connection is reported right after this event
      setImmediate(() =>
        this.failPending?.(
          this.lastError ?? new SmtpFault('ECONNECTION', 'the connection was closed', null, 'CONN'),
        ),
      );
    });
  }

  /** Connects and greets. Rejects with SmtpFault. */
  connect(): Promise<void> {
    const { connect, greeting } = this.setup.timeouts;
    return this.wait(connect + greeting, (done, failed) => {
      this.connection.connect((error?: unknown) => (error ? failed(this.faultOf(error)) : done()));
    });
  }

  /** Logs in where the account has a user. Rejects with SmtpFault. */
  login(): Promise<void> {
    const { user, password } = this.setup.account;
    if (user === null) return Promise.resolve();
    if (!this.connection.allowsAuth) {
      return Promise.reject(new SmtpFault('ENOAUTH', 'the mail server offers no login', null, 'AUTH'));
    }
    if (!password)
      return Promise.reject(new SmtpFault('EAUTH', 'no password is set for the mail server', null, 'AUTH'));
    return this.wait(this.setup.timeouts.greeting, (done, failed) => {
      this.connection.login({ user, pass: password }, (error: unknown) =>
        error ? failed(this.faultOf(error)) : done(),
      );
    });
  }

  /** Hands over one mail; resolves when the server took it. Rejects with SmtpFault. */
  send(
    envelope: Envelope,
    size: number,
    eightBit: boolean,
    message: MessageStream,
    watch: WireWatch,
  ): Promise<void> {
    this.unclean = true;
    this.watch = watch;
    this.commandTimer = setTimeout(() => this.destroy(tooSlow()), this.setup.timeouts.command);
    return new Promise<void>((resolve, reject) => {
      this.failPending = reject;
      this.connection.send(
        { from: envelope.from, to: [...envelope.to], size, use8BitMime: eightBit },
        message,
        (error: unknown) => {
          if (error) reject(this.faultOf(error));
          else {
            this.unclean = false;
            resolve();
          }
        },
      );
    }).finally(() => {
      this.bodyBegins();
      this.failPending = null;
      this.watch = null;
    });
  }

  /** 354 came: from here on only the socket's own, longer timeout counts. */
  bodyBegins(): void {
    if (this.commandTimer) clearTimeout(this.commandTimer);
    this.commandTimer = null;
  }

  /** This end of the connection, null through a tunnel or before it is made. */
  get localAddress(): string | null {
    const { _socket: socket } = this.connection as unknown as RawConnection;
    return typeof socket === 'object' ? (socket.localAddress ?? null) : null;
  }

  /** What the server said of itself at EHLO, and whether the connection is encrypted by now. */
  get offers(): ServerOffers {
    const raw = this.connection as unknown as RawConnection;
    return {
      encrypted: this.connection.secure,
      // bytes; 0 = it named no limit (RFC 1870)
      largestMessage: raw._maxAllowedSize,
      extensions: [...raw._supportedExtensions],
    };
  }

  /**
   * MAIL FROM and RSET: whether the server takes this sender, with no mail begun. The library has no word for it, so this uses
   * its own two: the version is pinned and a test holds them. Resolves with the answer. Rejects with SmtpFault when refused.
   */
  async trySender(address: string): Promise<string> {
    const raw = this.connection as unknown as RawConnection;
    this.unclean = true;
    const answer = await this.waitFor<string>(this.setup.timeouts.greeting, (done) => {
      raw._responseActions.push((reply) => done(reply));
      raw._sendCommand(`MAIL FROM:<${address}>`);
    });
    if (!/^2/.test(answer)) throw new SmtpFault('EENVELOPE', 'the sender was refused', answer, 'MAIL FROM');
    await this.reset();
    return answer;
  }

  /** RSET: ends a transaction that was left open, and proves that the session lives. Rejects with SmtpFault. */
  reset(): Promise<void> {
    return this.wait(this.setup.timeouts.greeting, (done, failed) => {
      this.connection.reset((error: unknown) => {
        if (error) failed(this.faultOf(error));
        else {
          this.unclean = false;
          done();
        }
      });
    });
  }

  /** QUIT, without waiting longer than a moment for the goodbye. */
  quit(): Promise<void> {
    if (!this.alive) return Promise.resolve();
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.destroy(), 1000);
      this.connection.once('end', () => {
        clearTimeout(timer);
        resolve();
      });
      this.connection.quit();
    });
  }

  /** Ends the connection at once; what is being waited for fails with `fault`. */
  destroy(
    fault = new SmtpFault('ECONNABORTED', 'the connection was ended by this console', null, 'CONN'),
  ): void {
    this.alive = false;
    this.lastError ??= fault;
    this.connection.close();
  }

  private wait(
    ms: number,
    start: (done: () => void, failed: (fault: SmtpFault) => void) => void,
  ): Promise<void> {
    return this.waitFor<void>(ms, start);
  }

  private waitFor<T>(
    ms: number,
    start: (done: (value: T) => void, failed: (fault: SmtpFault) => void) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.destroy(tooSlow()), ms);
      const end = () => {
        clearTimeout(timer);
        this.failPending = null;
      };
      this.failPending = (fault) => {
        end();
        reject(fault);
      };
      start(
        (value) => {
          end();
          resolve(value);
        },
        (fault) => {
          end();
          // a failed login or RSET leaves nothing to go on with
          this.destroy(fault);
          reject(fault);
        },
      );
    });
  }

  private sawLine(entry: unknown, line: unknown): void {
    if (this.watch === null || typeof line !== 'string') return;
    const tnx = (entry as { tnx?: unknown }).tnx;
    if (tnx === 'client') this.watch.onCommand(line);
    else if (tnx === 'server') this.watch.onReply(line);
  }

  private faultOf(thrown: unknown): SmtpFault {
    if (thrown instanceof SmtpFault) return thrown;
    if (thrown instanceof WayLost) return new SmtpFault('ETUNNEL', thrown.message, null, 'CONN');
    const error = thrown as {
      code?: unknown;
      originalCode?: unknown;
      response?: unknown;
      command?: unknown;
      message?: unknown;
    };
    const code =
      typeof error.originalCode === 'string'
        ? error.originalCode
        : typeof error.code === 'string'
          ? error.code
          : 'EUNKNOWN';
    const response = typeof error.response === 'string' && error.response !== '' ? error.response : null;
    const command = typeof error.command === 'string' ? error.command : 'CONN';
    return new SmtpFault(code, hideSecrets(String(error.message ?? thrown), this.secrets), response, command);
  }
}
