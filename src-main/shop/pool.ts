import { PostroomError } from '../contract/errors.ts';

/** What the pool needs to know of a connection. */
export interface Pooled {
  /** true as soon as it is known to be useless */
  readonly dead: boolean;
  /** whether it still answers; must not hang */
  check(): Promise<boolean>;
  /** at once, without a goodbye; calls that wait on it reject */
  destroy(): void;
  /** with a goodbye; must not hang */
  end(): Promise<void>;
}

interface Waiter<C> {
  resolve(connection: C): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

export interface PoolOptions<C> {
  open(): Promise<C>;
  /** most connections at a time */
  size: number;
  /** ms of idling after which a connection is asked whether it still answers before it is lent */
  checkAfterMs: number;
  /** ms that a caller waits for a free connection */
  waitMs: number;
  /** whether an error of `open` says that there are too many connections: then one that is lent is waited for */
  isCrowded(error: unknown): boolean;
}

/**
 * Connections lent one caller at a time. mysql2's own pool is not used: it lends connections that died while idle
 * (FINDINGS 15), and gives no place to fall back in a session's set-up.
 */
export class Pool<C extends Pooled> {
  readonly #options: PoolOptions<C>;
  readonly #idle: { connection: C; since: number }[] = [];
  readonly #lent = new Set<C>();
  readonly #waiters: Waiter<C>[] = [];
  #opening = 0;
  #closed = false;
  #drained: (() => void) | null = null;

  constructor(options: PoolOptions<C>) {
    this.#options = options;
  }

  /** How many connections there are, lent and idle. */
  get size(): number {
    return this.#idle.length + this.#lent.size + this.#opening;
  }

  /**
   * A connection that answers. Give it back by `release` whatever happens.
   * @throws PostroomError `stopped` after close, `busy` when none came free in time; what `open` throws.
   */
  async acquire(): Promise<C> {
    for (;;) {
      if (this.#closed) throw stopped();
      const idle = this.#idle.pop();
      if (!idle) break;
      if (idle.connection.dead) {
        idle.connection.destroy();
        continue;
      }
      this.#lent.add(idle.connection);
      // the wall clock, since the monotonic one stands still while a laptop sleeps
      const fresh = Math.abs(Date.now() - idle.since) < this.#options.checkAfterMs;
      if (fresh || (await idle.connection.check())) return idle.connection;
      idle.connection.destroy();
      this.#lent.delete(idle.connection);
    }
    if (this.#lent.size + this.#opening < this.#options.size) {
      try {
        return await this.#open();
      } catch (error) {
        if (this.#lent.size === 0 || !this.#options.isCrowded(error)) throw error;
      }
    }
    return this.#wait();
  }

  /** Takes a connection back; a dead one is thrown away and makes room for a new one. */
  release(connection: C): void {
    this.#lent.delete(connection);
    if (this.#closed) {
      void connection.end();
      if (this.#lent.size === 0) this.#drained?.();
      return;
    }
    const waiter = this.#next();
    if (connection.dead) {
      connection.destroy();
      if (waiter) this.#open().then(waiter.resolve, waiter.reject);
    } else if (waiter) {
      this.#lent.add(connection);
      waiter.resolve(connection);
    } else {
      this.#idle.push({ connection, since: Date.now() });
    }
  }

  /** Throws away what is idle: the server turned out to be of no use, and a new connection may reach another one. */
  dropIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  /** Ends all connections; lent ones get `graceMs` to come back, then they are cut. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    for (let waiter = this.#next(); waiter; waiter = this.#next()) waiter.reject(stopped());
    const ends = this.#idle.splice(0).map(({ connection }) => connection.end());
    if (this.#lent.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#drained = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      for (const connection of this.#lent) connection.destroy();
    }
    await Promise.all(ends);
  }

  async #open(): Promise<C> {
    this.#opening++;
    try {
      const connection = await this.#options.open();
      if (this.#closed) {
        void connection.end();
        throw stopped();
      }
      this.#lent.add(connection);
      return connection;
    } catch (error) {
      // those who wait get a lent connection when it comes back; with none lent nobody would ever serve them
      if (this.#lent.size === 0 && this.#opening === 1) {
        for (let next = this.#next(); next; next = this.#next()) next.reject(error);
      }
      throw error;
    } finally {
      this.#opening--;
    }
  }

  #wait(): Promise<C> {
    return new Promise<C>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(
          new PostroomError('busy', `All ${this.#options.size} connections to the database are in use.`),
        );
      }, this.#options.waitMs);
      const waiter: Waiter<C> = { resolve, reject, timer };
      this.#waiters.push(waiter);
    });
  }

  /** The one who waits longest; taken off the list, so that its timer can no longer fire into a lent connection. */
  #next(): Waiter<C> | undefined {
    const waiter = this.#waiters.shift();
    if (waiter) clearTimeout(waiter.timer);
    return waiter;
  }
}

function stopped(): PostroomError {
  return new PostroomError('stopped', 'The connection to the database was closed.');
}
