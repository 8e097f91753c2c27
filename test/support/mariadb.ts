import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { endWithUs, freePort, serverPath } from './ports.ts';

/** A private, real MariaDB server: own data, own loopback port, no systemd. */
export interface MariadbServer {
  readonly port: number;
  /** unix socket on which the server's root logs in without a password */
  readonly socket: string;
  readonly pid: number;
  /** a statement as the server's root */
  admin(sql: string): Promise<Record<string, unknown>[]>;
  /** in good order, as `systemctl stop` */
  stop(): Promise<void>;
  /** kill -9, as a power cut */
  kill(): Promise<void>;
  /** same data, same port, after stop or kill */
  start(): Promise<void>;
  /** SIGSTOP: it takes connections and answers nothing */
  freeze(): Promise<void>;
  thaw(): void;
  log(): string;
  /** kills it and deletes its data */
  remove(): Promise<void>;
}

export interface MariadbOptions {
  /** more arguments, as `--log-bin` */
  args?: readonly string[];
  /** whether commits survive kill -9 of the machine; off, since a killed process alone loses nothing */
  durable?: boolean;
  /** the moment at which the server believes to start, s since 1970; its clock goes on from there (libfaketime) */
  startsAt?: number;
}

const env = { ...process.env, PATH: serverPath };
const asRoot = userInfo().uid === 0;

/** What gives a program a clock of its own. Timeouts inside it stay real: only the wall clock is another one. */
function clockOf(startsAt: number | undefined): Record<string, string> {
  if (startsAt === undefined) return {};
  const library = readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
    .find((file) => existsSync(file));
  if (!library) throw new Error('libfaketime is not there; on Debian: apt-get install faketime');
  return {
    LD_PRELOAD: library,
    FAKETIME: `@${new Date(startsAt * 1000).toISOString().slice(0, 19).replace('T', ' ')}`,
    TZ: 'UTC',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

/** A server of one's own, for tests that restart, kill or freeze it. About 0.5 s. */
export async function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-db-'));
  const data = join(folder, 'data');
  const socket = join(folder, 's'); // short: a unix socket's path holds at most 107 bytes
  const errors = join(folder, 'err');
  execFileSync('cp', ['-a', template(), data]);
  const port = await freePort();
  let running: { child: ChildProcess; exited: Promise<void>; callOff: () => void } | null = null;

  async function start(): Promise<void> {
    if (running) return;
    const args = [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      // in a shared one a server that starts deletes the temporary tables of the others
      `--tmpdir=${folder}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--log-error=${errors}`,
      '--skip-name-resolve',
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_unicode_520_ci',
      '--innodb-buffer-pool-size=64M',
      '--innodb-log-file-size=16M',
      '--max-connections=200',
      '--performance-schema=OFF',
      '--skip-slave-start',
      ...(options.durable
        ? []
        : ['--innodb-flush-log-at-trx-commit=2', '--innodb-doublewrite=0', '--innodb-flush-method=nosync']),
      ...(asRoot ? ['--user=root'] : []),
      ...(options.args ?? []),
    ];
    const child = spawn('mariadbd', args, { stdio: 'ignore', env: { ...env, ...clockOf(options.startsAt) } });
    let failed: string | null = null;
    const exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        failed = `mariadbd cannot be started (${error.message}); on Debian: apt-get install mariadb-server`;
        resolve();
      });
      child.once('exit', (code, signal) => {
        failed ??= `mariadbd ended (${code ?? signal}):\n${existsSync(errors) ? readFileSync(errors, 'utf8').slice(-4000) : ''}`;
        resolve();
      });
    });
    child.unref();
    running = { child, exited, callOff: child.pid ? endWithUs(child.pid, folder) : () => {} };
    for (const until = Date.now() + 60_000; ; ) {
      if (failed) throw new Error(failed);
      if (
        await admin('SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return;
      if (Date.now() > until) throw new Error(`mariadbd is not ready after 60 s:\n${log()}`);
      await sleep(20);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!running) return;
    const { child, exited, callOff } = running;
    child.kill(signal);
    if (signal === 'SIGTERM') child.kill('SIGCONT');
    await exited;
    callOff();
    running = null;
  }

  async function admin(sql: string): Promise<Record<string, unknown>[]> {
    const connection = await mysql.createConnection({ socketPath: socket, user: 'root' });
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return Array.isArray(rows) ? rows : [];
    } finally {
      connection.destroy();
    }
  }

  const log = () => (existsSync(errors) ? readFileSync(errors, 'utf8') : '');
  await start();
  return {
    port,
    socket,
    get pid() {
      return running?.child.pid ?? 0;
    },
    admin,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async freeze() {
      running?.child.kill('SIGSTOP');
      await stopped(running?.child.pid ?? 0);
    },
    thaw: () => void running?.child.kill('SIGCONT'),
    log,
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A signal is only on its way when kill returns: waits until every thread stands still (Linux tells, elsewhere 50 ms do). */
async function stopped(pid: number): Promise<void> {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return sleep(50);
  const state = (task: string) =>
    / ([A-Z]) /.exec(readFileSync(`${tasks}/${task}/stat`, 'utf8').split(')').at(-1) ?? '')?.[1];
  while (readdirSync(tasks).some((task) => state(task) !== 'T')) await sleep(1);
}

/** The server of this process, for tests that leave it running; it ends with the process. */
export function sharedMariadb(): Promise<MariadbServer> {
  // on globalThis, since the test runner loads modules anew for each file
  const shared = globalThis as { [sharedServer]?: Promise<MariadbServer> };
  shared[sharedServer] ??= startMariadb();
  return shared[sharedServer];
}
const sharedServer = Symbol.for('postroom.test.mariadb');

export interface DatabaseOptions {
  /**
   * `install` (default): SELECT, INSERT, UPDATE, DELETE and what installing tables needs (CREATE, ALTER, INDEX, DROP);
   * `modest`: the four alone, as promise 13 has it
   */
  rights?: 'install' | 'modest';
  /** default utf8mb4 */
  charset?: string;
}

/** A fresh database with a user of its own who comes by TCP with a password. Without a name it gets a random one. */
export async function makeDatabase(
  server: MariadbServer,
  name = `shop_${randomBytes(5).toString('hex')}`,
  options: DatabaseOptions = {},
): Promise<ServerDatabase> {
  const user = `u_${randomBytes(5).toString('hex')}`;
  const password = `p'"\\ ${randomBytes(9).toString('base64')}`;
  await server.admin(
    `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET ${options.charset ?? 'utf8mb4'}`,
  );
  await server.admin(`CREATE USER '${user}'@'127.0.0.1' IDENTIFIED BY ${mysql.escape(password)}`);
  const rights = `SELECT, INSERT, UPDATE, DELETE${options.rights === 'modest' ? '' : ', CREATE, ALTER, INDEX, DROP'}`;
  await server.admin(`GRANT ${rights} ON \`${name.replaceAll('_', '\\_')}\`.* TO '${user}'@'127.0.0.1'`);
  return {
    host: '127.0.0.1',
    port: server.port,
    user,
    password,
    database: name,
    tablePrefix: 'wp_',
    tls: false,
  };
}

/** A pristine data folder, made once on this machine for each server version and user, and copied for each server. */
function template(): string {
  const version =
    execFileSync('mariadbd', ['--no-defaults', '--version'], { env })
      .toString()
      .match(/\d+\.\d+\.\d+/)?.[0] ?? 'any';
  const path = join(tmpdir(), `postroom-db-template-${version}-${userInfo().uid}`);
  if (existsSync(path)) return path;
  const made = mkdtempSync(`${path}-`);
  execFileSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${made}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--innodb-log-file-size=16M',
      ...(asRoot ? ['--user=root'] : []),
    ],
    { stdio: 'pipe', env },
  );
  try {
    renameSync(made, path); // whole or not at all, whoever else makes one at the same time
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
  return path;
}
