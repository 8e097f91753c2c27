/** Asks a found site's own database, through the same SSH session: its address, its name, and whether the queue is there. */
import { PostroomError } from '../../contract/errors.ts';
import { identifier } from '../../contract/profile.ts';
import type { Database } from '../database.ts';
import { openMysql } from '../mysql.ts';
import type { SshSession } from '../ssh-types.ts';

/** What a config file says of the database. */
export interface DatabaseLogin {
  host: string;
  port: number;
  socketPath: string | null;
  user: string;
  password: string;
  database: string;
}

export interface SiteFacts {
  /** how the database was really reached from the server */
  way: { host: string; port: number; socketPath: string | null };
  url: string | null;
  title: string | null;
  /** WordPress's own setting of the uploads folder, '' where it was left alone */
  uploadPath: string;
  /** whether the queue's tables are there */
  tables: boolean;
}

/** PHP means a unix socket by "localhost"; where TCP is closed these are the places that distributions have it at. */
const usualSockets = [
  '/var/run/mysqld/mysqld.sock',
  '/var/lib/mysql/mysql.sock',
  '/tmp/mysql.sock',
  '/var/run/mysql/mysql.sock',
  '/opt/bitnami/mariadb/tmp/mysql.sock',
];

/** @throws PostroomError `unreachable` | `login` | `config`: why it could not be asked */
export async function askDatabase(ssh: SshSession, login: DatabaseLogin, prefix: string): Promise<SiteFacts> {
  if (!identifier.safeParse(prefix).success)
    throw new PostroomError('config', 'Its table prefix has characters that no table name of MySQL has.');
  let first: unknown;
  for (const way of waysTo(login)) {
    const db = open(ssh, login, way);
    try {
      return { way, ...(await ask(db, prefix)) };
    } catch (error) {
      first ??= error;
      // a user of 'localhost' is let in by the socket alone, where names are not looked up
      if (!(error instanceof PostroomError) || !['unreachable', 'login'].includes(error.code)) throw error;
    } finally {
      await db.close();
    }
  }
  throw first;
}

function waysTo({ host, port, socketPath }: DatabaseLogin): SiteFacts['way'][] {
  const local = /^(localhost|127\.0\.0\.1|::1)$/i.test(host);
  const tcp = { host: local ? '127.0.0.1' : host, port, socketPath: null };
  const sockets = [...(socketPath ? [socketPath] : []), ...(local ? usualSockets : [])];
  const bySocket = [...new Set(sockets)].map((path) => ({ host: '127.0.0.1', port, socketPath: path }));
  return socketPath ? [...bySocket.slice(0, 1), tcp, ...bySocket.slice(1)] : [tcp, ...bySocket];
}

function open(ssh: SshSession, login: DatabaseLogin, way: SiteFacts['way']): Database {
  const { user, password, database } = login;
  const { host, port, socketPath } = way;
  return openMysql(
    { host, port, user, password, database, tablePrefix: '', tls: false },
    {
      stream: () => (socketPath ? ssh.forwardSocket(socketPath) : ssh.forward(host, port)),
      poolSize: 1,
      connectMs: 8_000,
      deadlineMs: 15_000,
    },
  );
}

async function ask(db: Database, prefix: string): Promise<Omit<SiteFacts, 'way'>> {
  await db.ping();
  const there = await db.query<{ name: string }>(
    'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (?, ?)',
    [`${prefix}options`, `${prefix}studiou_wcmq_queue`],
  );
  const has = (name: string) => there.some((table) => table.name.toLowerCase() === name.toLowerCase());
  if (!has(`${prefix}options`))
    throw new PostroomError(
      'config',
      `Its database has no table ${prefix}options: the table prefix may be another one.`,
    );
  const rows = await db.query<{ name: string; value: string }>(
    `SELECT option_name AS name, option_value AS value FROM \`${prefix}options\`
     WHERE option_name IN ('home', 'siteurl', 'blogname', 'upload_path')`,
  );
  const option = (name: string) => rows.find((row) => row.name === name)?.value ?? '';
  return {
    url: option('home') || option('siteurl') || null,
    title: option('blogname') || null,
    uploadPath: option('upload_path'),
    tables: has(`${prefix}studiou_wcmq_queue`),
  };
}
