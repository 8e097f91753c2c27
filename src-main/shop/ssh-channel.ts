import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/**
 * A socket that is there at once and is wired to an SSH channel when that is open: mysql2 and nodemailer want theirs
 * immediately (FINDINGS 16). It also has what SSH channels lack: setTimeout, and write callbacks that come even when the
 * channel closed. Emits `connect` when the channel is open.
 */
export class LazyChannel extends Duplex {
  readonly #open: Promise<Duplex>;
  readonly #why: () => Error;
  #channel: Duplex | null = null;
  /** callback of the write that is under way */
  #writing: Done | null = null;
  #idle: NodeJS.Timeout | null = null;

  /**
   * @param open rejects with a PostroomError
   * @param why the cause when the channel closes under way
   */
  constructor(open: () => Promise<Duplex>, why: () => Error) {
    super({ allowHalfOpen: false });
    this.#why = why;
    this.#open = open();
    this.#open.then(
      (channel) => this.#wire(channel),
      (error: Error) => this.destroy(error),
    );
  }

  #wire(channel: Duplex): void {
    if (this.destroyed) return void channel.destroy();
    this.#channel = channel;
    channel.on('data', (bytes: Buffer) => {
      this.#idle?.refresh();
      if (!this.push(bytes)) channel.pause();
    });
    channel.on('end', () => this.push(null));
    channel.on('error', (error: Error) => this.destroy(error));
    channel.on('close', () => {
      if (this.destroyed || this.writableEnded) return void this.destroy();
      this.destroy(this.#why());
    });
    this.emit('connect');
  }

  override _read(): void {
    this.#channel?.resume();
  }

  override _write(bytes: Buffer, _encoding: string, done: Done): void {
    this.#writing = done;
    this.#idle?.refresh();
    this.#open.then(
      (channel) => {
        if (this.#writing === done) channel.write(bytes, (error) => this.#written(done, error));
      },
      (error: Error) => this.#written(done, error),
    );
  }

  #written(done: Done, error?: Error | null): void {
    if (this.#writing !== done) return;
    this.#writing = null;
    done(error);
  }

  override _final(done: Done): void {
    this.#open.then((channel) => {
      channel.end();
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#channel?.destroy();
    const writing = this.#writing;
    this.#writing = null;
    writing?.(error ?? new Error('The channel was closed'));
    done(error);
  }

  /** As net.Socket has it: `timeout` after so many ms without a byte either way, 0 = never. */
  setTimeout(ms: number, listener?: () => void): this {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = ms > 0 ? setTimeout(() => this.emit('timeout'), ms) : null;
    if (listener) this.once('timeout', listener);
    return this;
  }

  /** Both Nagle cures are the session's (FINDINGS 17). */
  setNoDelay(): this {
    return this;
  }

  /** The session's keepalive covers its channels. */
  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
