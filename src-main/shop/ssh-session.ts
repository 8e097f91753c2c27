import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import { LazyChannel } from './ssh-channel.ts';
import { channelFault, sessionFault, WayLost } from './ssh-faults.ts';
import { primeNoDelay } from './ssh-prime.ts';
import { type RawSftp, type Sftp, wrapSftp } from './ssh-sftp.ts';
import type { SshEvents, SshSession } from './ssh-types.ts';

/** What is used of the SSH library's client; written out here, so that one file alone imports the library. */
export interface ShellClient {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  forwardOut(fromHost: string, fromPort: number, host: string, port: number, done: Opened<Duplex>): unknown;
  openssh_forwardOutStreamLocal(path: string, done: Opened<Duplex>): unknown;
  exec(command: string, done: Opened<Command>): unknown;
  sftp(done: Opened<RawSftp>): unknown;
  end(): unknown;
}
type Opened<T> = (error: Error | undefined, channel: T) => void;
type Command = Duplex & { stderr: Readable };

/** A session that is logged in, and the socket under it. */
export interface Live {
  client: ShellClient;
  socket: Socket;
}

/** How a session is made. */
export interface SessionMaker {
  /** one attempt, with its own deadline; rejects with a PostroomError */
  dial(): Promise<Live>;
  /** as `the SSH server at shop.example:22` */
  place: string;
  /** ms */
  openMs: number;
}

/**
 * ms; see SshSession. Whoever uses it pauses up to 5 s between tries, too: in sum a mail leaves within the promised 10 s
 * of the network's return.
 */
const longestPauseMs = 2_000;
const afterRefusedLoginMs = 300_000;

export class Session extends EventEmitter<SshEvents> implements SshSession {
  readonly #maker: SessionMaker;
  readonly #place: string;
  #live: Live | null = null;
  #connecting: Promise<Live> | null = null;
  #closed = false;
  #cause: string;
  /** the last failed attempt, and until when it is answered instead of trying again, ms since 1970 */
  #failed: { error: PostroomError; until: number; count: number } | null = null;

  constructor(maker: SessionMaker) {
    super();
    this.#maker = maker;
    this.#place = maker.place;
    this.#cause = `The connection to ${this.#place} was lost.`;
  }

  get isUp(): boolean {
    return this.#live !== null;
  }

  async connect(order = { now: false }): Promise<void> {
    if (order.now) this.#failed = null;
    await this.#get();
  }

  forward(host: string, port: number): Duplex {
    return this.#lazy(`${host}:${port}`, (client, done) =>
      client.forwardOut('127.0.0.1', 0, host, port, done),
    );
  }

  forwardSocket(path: string): Duplex {
    return this.#lazy(path, (client, done) => client.openssh_forwardOutStreamLocal(path, done));
  }

  async exec(
    command: string,
    deadlineMs = 20_000,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const out: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let code = -1;
    let closed = false;
    // A short command's whole life may arrive in one packet: the library tells of its exit and its end before a promise
    // that it opened has run on.
    const listen = (channel: Command) => {
      channel.on('data', (bytes: Buffer) => out.stdout.push(bytes));
      channel.stderr.on('data', (bytes: Buffer) => out.stderr.push(bytes));
      channel.on('exit', (exit: number | null) => {
        code = exit ?? -1;
      });
      channel.on('close', () => {
        closed = true;
      });
    };
    const channel = await this.#open<Command>('a command', (client, done) =>
      client.exec(command, (error, opened) => {
        if (!error) listen(opened);
        done(error, opened);
      }),
    );
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        channel.destroy();
        reject(
          new PostroomError(
            'unreachable',
            `A command on the shop's server did not end within ${deadlineMs / 1000} s.`,
          ),
        );
      }, deadlineMs);
      const end = () => {
        clearTimeout(timer);
        if (this.#live || code >= 0) resolve();
        else reject(new PostroomError('unreachable', this.#cause));
      };
      if (closed) end();
      else channel.on('close', end);
    });
    return {
      code,
      stdout: Buffer.concat(out.stdout).toString(),
      stderr: Buffer.concat(out.stderr).toString(),
    };
  }

  async sftp(): Promise<Sftp> {
    const raw = await this.#open<RawSftp>('SFTP', (client, done) =>
      client.sftp((error, sftp) => done(error, sftp)),
    );
    return wrapSftp(raw, this.#maker.openMs, () => this.#cause);
  }

  drop(cause = 'The connection was cut on this side.'): void {
    this.#forgetPause();
    this.#down(cause);
  }

  async nudge(): Promise<void> {
    this.#forgetPause();
    const live = this.#live;
    if (!live) return;
    const alive = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 3_000);
      // whatever it answers, it answers: an unknown channel's refusal is a sign of life too
      live.client.forwardOut('127.0.0.1', 0, '127.0.0.1', 1, (error, channel) => {
        clearTimeout(timer);
        if (!error) channel.destroy();
        resolve(!/No response/.test(error?.message ?? ''));
      });
    });
    if (!alive && this.#live === live) this.#down(`${this.#place} no longer answers after a pause.`);
  }

  #forgetPause(): void {
    if (this.#failed?.error.code === 'unreachable') this.#failed = null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const live = this.#live;
    if (!live) return;
    const gone = new Promise<void>((resolve) => live.socket.once('close', () => resolve()));
    live.client.end();
    const timer = setTimeout(() => live.socket.destroy(), 1_000);
    await gone;
    clearTimeout(timer);
  }

  #lazy(
    target: string,
    start: (client: ShellClient, done: (error: Error | undefined, channel: Duplex) => void) => void,
  ): Duplex {
    let socket: Socket | null = null;
    const open = async () => {
      const channel = await this.#open<Duplex>(target, start);
      socket = this.#live?.socket ?? null;
      return channel;
    };
    // the library tells channels and session in either order: whether the session is gone is read off its socket
    return new LazyChannel(open, () =>
      socket === null || socket.destroyed || this.#live?.socket !== socket
        ? new WayLost(this.#cause)
        : new PostroomError('unreachable', `The connection to ${target} was closed at its other end.`),
    );
  }

  /** Opens a channel within the deadline; one that comes later is closed. forwardOut may never call back (FINDINGS 18). */
  async #open<T extends { destroy?(): unknown; end(): unknown }>(
    target: string,
    start: (client: ShellClient, done: (error: Error | undefined, channel: T) => void) => void,
  ): Promise<T> {
    const { client } = await this.#get();
    return new Promise<T>((resolve, reject) => {
      let late = false;
      const fail = (error: unknown) => {
        clearTimeout(timer);
        reject(
          this.#live?.client === client || error instanceof PostroomError
            ? this.#channelFault(error, target)
            : new WayLost(this.#cause),
        );
      };
      const timer = setTimeout(() => {
        late = true;
        fail(
          new PostroomError(
            'unreachable',
            `${this.#place} did not open the way to ${target} within ${this.#maker.openMs / 1000} s.`,
          ),
        );
      }, this.#maker.openMs);
      try {
        start(client, (error, channel) => {
          if (error) return fail(error);
          clearTimeout(timer);
          if (late) channel.end();
          else resolve(channel);
        });
      } catch (error) {
        fail(error); // not connected any more, or a server of another make without unix socket forwarding
      }
    });
  }

  #channelFault(error: unknown, target: string): PostroomError {
    const refusedSession = error instanceof Error && /Unable to (exec|start subsystem)/.test(error.message);
    if (refusedSession)
      return new PostroomError('rights', `This SSH login may not use ${target}. The host must allow it.`, {
        detail: error.message,
        cause: error,
      });
    return channelFault(error, target, this.#place);
  }

  #get(): Promise<Live> {
    if (this.#closed)
      return Promise.reject(new PostroomError('stopped', 'The connection to the shop was closed.'));
    if (this.#live) return Promise.resolve(this.#live);
    if (this.#failed && Date.now() < this.#failed.until) return Promise.reject(this.#failed.error);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Live> {
    try {
      const live = await this.#maker.dial();
      if (this.#closed) {
        live.socket.destroy();
        throw new PostroomError('stopped', 'The connection to the shop was closed.');
      }
      this.#failed = null;
      this.#live = live;
      live.client.on('error', (error) => this.#down(sessionFault(error, this.#place).message, live));
      live.client.on('close', () => this.#down(`The connection to ${this.#place} was lost.`, live));
      if (live.socket.destroyed) throw sessionFault(new Error('closed'), this.#place);
      await primeNoDelay(live.client);
      this.emit('up');
      return live;
    } catch (thrown) {
      const error = sessionFault(thrown, this.#place);
      this.#live = null;
      const count = (this.#failed?.count ?? 0) + 1;
      // 0.25, 0.5, 1, 2 s and a quarter more or less, so that many consoles do not come back in step
      const pause = Math.min(longestPauseMs, 125 * 2 ** count) * (0.75 + Math.random() / 2);
      const waits =
        error.code === 'host-key'
          ? Number.POSITIVE_INFINITY
          : error.code === 'login'
            ? afterRefusedLoginMs
            : pause;
      this.#failed = { error, until: Date.now() + waits, count };
      throw error;
    }
  }

  /** Ends what is live, once, and tells; `of` keeps a late event of an old session from ending the new one. */
  #down(cause: string, of: Live | null = this.#live): void {
    if (!of || this.#live !== of) return;
    this.#cause = cause;
    this.#live = null;
    of.socket.destroy();
    if (!this.#closed) this.emit('down', cause);
  }
}
