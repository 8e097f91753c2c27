import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import mysql, { type Connection, type ConnectionOptions } from 'mysql2';
import { PostroomError } from '../contract/errors.ts';
import type { ServerDatabase } from '../contract/profile.ts';
import type { Capabilities, Database, Queryable, Row, SqlValue } from './database.ts';
import { isContention, isCrowded, saysReadOnly } from './mysql-faults.ts';
import { type Answer, Session, type SessionOptions, type Wire } from './mysql-session.ts';
import { hasSkipLocked, readFacts, type ServerFacts, setup } from './mysql-setup.ts';
import { rows, transact, written } from './mysql-transaction.ts';
import { Pool } from './pool.ts';

export interface MysqlOptions {
  /** the way to the server, asked once for each connection (an SSH channel); without it the driver connects itself */
  stream?: () => Duplex;
  /** most connections at a time; 4 = claim, settle, guard and the window at once, and few enough for a small host */
  poolSize?: number;
  /** run on each new connection after our own settings */
  onSessionSql?: string[];
  /** ms for one statement, default 60 s */
  deadlineMs?: number;
  /** ms to be connected and logged in, default 10 s */
  connectMs?: number;
}

/** ms; three quarters of the server's own limit, so that a connection that passes here is not ended under way */
const checkAfterMs = 15_000;
/** ms within which a dead connection shows itself when the other side has closed it */
const quickLossMs = 5_000;
/** ms that a refused login is not tried again: 10 s, doubled each time up to 5 min, as servers shut out who keeps trying */
const refusedMs = { first: 10_000, longest: 300_000 };
/** runs of one transaction that loses against others */
const maxRuns = 6;

/**
 * A MySQL or MariaDB database. Nothing is connected before the first call.
 *
 * Values are put into the text on this side (`query`) and not sent to a prepared statement (`execute`): measured on
 * loopback both do 8 k small selects/s, and `execute` twice as many inserts of 12 KB (4 against 2 k/s, far above any
 * mail rate), but it costs another round trip for each statement on each connection, which through a tunnel is what
 * counts, and its placeholders fail for LIMIT on MySQL 8.0.22+ (FINDINGS 12).
 *
 * Times come as strings, integers as numbers where they are safe, else as strings (FINDINGS 11b), decimals as numbers.
 * @throws PostroomError `config` when the CA file cannot be read
 */
export function openMysql(config: ServerDatabase, options: MysqlOptions = {}): Database {
  return new MysqlDatabase(config, options);
}

class MysqlDatabase implements Database {
  readonly dialect = 'mysql';
  readonly #pool: Pool<Session>;
  readonly #session: SessionOptions;
  readonly #onSessionSql: readonly string[];
  /** the last refused login, how many there were in a row, and until when it is the answer, ms since 1970 */
  #refused: { error: unknown; times: number; until: number } | null = null;
  #facts: Promise<ServerFacts> | null = null;
  #capabilities: Promise<Capabilities> | null = null;

  constructor(config: ServerDatabase, options: MysqlOptions) {
    const deadlineMs = options.deadlineMs ?? 60_000;
    const connectMs = options.connectMs ?? 10_000;
    const driver = { ...driverOptions(config), connectTimeout: 0 };
    this.#onSessionSql = options.onSessionSql ?? [];
    this.#session = {
      connect: (way) => wire(mysql.createConnection({ ...driver, stream: () => way })),
      way: () => named(options.stream ? options.stream() : directWay(config), config.host),
      connectMs,
      deadlineMs,
      place: `the database at ${config.socketPath ?? `${config.host}:${config.port}`}`,
    };
    this.#pool = new Pool({
      open: () => this.#open(),
      size: options.poolSize ?? 4,
      checkAfterMs,
      waitMs: deadlineMs,
      isCrowded,
    });
  }

  query<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<T[]> {
    return this.#lend(
      async (session) => rows<T>(await session.statement(sql, params)),
      () => true,
    );
  }

  /** One statement is one transaction: what loses a deadlock was rolled back whole, and is run again like one. */
  run(sql: string, params?: readonly SqlValue[]): Promise<{ matched: number; insertId: number }> {
    return againOnContention(() =>
      this.#lend(async (session) => written(await session.statement(sql, params))),
    );
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return againOnContention(() => {
      let begun = false;
      const begin = () => {
        begun = true;
      };
      return this.#lend(
        (session) => transact(session, work, begin),
        () => !begun,
      );
    });
  }

  capabilities(): Promise<Capabilities> {
    this.#capabilities ??= this.#readCapabilities().catch((error: unknown) => {
      this.#capabilities = null;
      throw error;
    });
    return this.#capabilities;
  }

  /** A person asks (the doctor): a refused login is tried again. */
  async ping(): Promise<void> {
    if (this.#refused) this.#refused.until = 0;
    await this.#lend(
      (session) => session.statement('SELECT 1'),
      () => true,
    );
  }

  async close(): Promise<void> {
    // 5 s let a settle that is under way end; whatever still hangs then is cut
    await this.#pool.close(5_000);
  }

  /**
   * Runs `use` on a connection. One that had died unseen while it was idle shows only now (FINDINGS 15): where `repeatable`
   * says that nothing was done yet, it is done once more on a new one, and the caller never notices.
   */
  async #lend<T>(use: (session: Session) => Promise<T>, repeatable = () => false): Promise<T> {
    for (let first = true; ; first = false) {
      const session = await this.#pool.acquire();
      const since = Date.now();
      try {
        return await use(session);
      } catch (error) {
        // after a failover the name may lead to another server; those that are idle lead to this one
        if (saysReadOnly(error)) this.#pool.dropIdle();
        // not after a deadline, which has cost the caller enough
        if (
          !first ||
          !session.dead ||
          !repeatable() ||
          Date.now() - since > Math.min(quickLossMs, this.#session.deadlineMs / 2)
        )
          throw error;
      } finally {
        this.#pool.release(session);
      }
    }
  }

  async #open(): Promise<Session> {
    const session = await this.#login();
    try {
      this.#facts ??= readFacts(session);
      const facts = await this.#facts;
      session.maxPacket = facts.maxPacket;
      await session.statement(setup(facts));
      for (const sql of this.#onSessionSql) await session.statement(sql);
      return session;
    } catch (error) {
      this.#facts = null;
      session.destroy();
      throw error;
    }
  }

  async #login(): Promise<Session> {
    if (this.#refused && Date.now() < this.#refused.until) throw this.#refused.error;
    try {
      const session = await Session.open(this.#session);
      this.#refused = null;
      return session;
    } catch (error) {
      if (error instanceof PostroomError && error.code === 'login') {
        const times = (this.#refused?.times ?? 0) + 1;
        const waitMs = Math.min(refusedMs.longest, refusedMs.first * 2 ** (times - 1));
        this.#refused = { error, times, until: Date.now() + waitMs };
      }
      throw error;
    }
  }

  async #readCapabilities(): Promise<Capabilities> {
    return this.#lend(async (session) => {
      const { version } = await (this.#facts ?? readFacts(session));
      return { version: version.replace(/^5\.5\.5-/, ''), skipLocked: await hasSkipLocked(session) };
    });
  }
}

function wire(raw: Connection): Wire {
  return {
    on: (event, listener) => raw.on(event, listener),
    connect: (done) => raw.connect((error) => done(error)),
    query: (statement, done) => void raw.query(statement, (error, result) => done(error, result as Answer)),
    ping: (done) => raw.ping((error) => done(error)),
    end: (done) => raw.end((error) => done(error)),
    destroy: () => raw.destroy(),
  };
}

function directWay(config: ServerDatabase): Duplex {
  const socket = config.socketPath ? connect(config.socketPath) : connect(config.port, config.host);
  // statements are small and each waits for its answer: Nagle's 40 ms would rule (FINDINGS 17)
  return socket.setNoDelay(true).setKeepAlive(true, 10_000);
}

/**
 * The driver names no host to TLS when it is an address, and Node then checks the certificate for `localhost`: refusing the
 * right one, and taking a wrong one. Node also looks for the name on the stream under TLS; there it is put.
 */
function named(way: Duplex, host: string): Duplex {
  return isIP(host) ? Object.assign(way, { _host: host }) : way;
}

function driverOptions(config: ServerDatabase): ConnectionOptions {
  return {
    user: config.user,
    ...(config.password === null ? {} : { password: config.password }),
    database: config.database,
    host: config.host,
    port: config.port,
    ...tlsOptions(config),
    charset: 'utf8mb4',
    // matched rows, not changed ones (FINDINGS 11b); and a server may not ask this machine for files
    flags: ['FOUND_ROWS', '-LOCAL_FILES'],
    supportBigNumbers: true,
    decimalNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    multipleStatements: false,
    stringifyObjects: true,
  };
}

function tlsOptions(config: ServerDatabase): ConnectionOptions {
  // inside SSH the way is encrypted and the host proven already; asked for all the same, it is done
  if (config.tls === false) return {};
  const { ca, verify } = config.tls === true ? { ca: undefined, verify: true } : config.tls;
  return {
    ssl: {
      rejectUnauthorized: verify,
      verifyIdentity: verify,
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca: readCa(ca) }),
    },
  };
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PostroomError('config', `The CA file of the database, ${file}, cannot be read.`, {
      cause: error,
    });
  }
}

/** Runs `work` again, up to `maxRuns` times, when it lost against others (1213, 1205, Galera's certification). */
async function againOnContention<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || run >= maxRuns) throw error;
      // 5 to 15 ms, doubled each time: two that collided do not collide in step again
      await new Promise((resolve) => setTimeout(resolve, (5 + Math.random() * 10) * 2 ** (run - 1)));
    }
  }
}
