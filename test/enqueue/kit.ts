/** A shop with a queue table of each shape, and the means to run a producer's program against it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import mysql, { type Pool, type RowDataPacket } from 'mysql2/promise';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Shape } from '../../src-main/enqueue/index.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { readText, root } from '../support/source-tree.ts';

const run = promisify(execFile);

/** The tables of the shapes' documents with their dead letters, and the two that the examples sell from. */
const tables = [
  `CREATE TABLE wp_email_queue (
    id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
    destinatario VARCHAR(255) NOT NULL,
    assunto VARCHAR(255) NOT NULL,
    corpo LONGTEXT NOT NULL,
    cabecalhos JSON,
    status ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente',
    tentativas TINYINT UNSIGNED DEFAULT 0,
    proxima_tentativa DATETIME DEFAULT CURRENT_TIMESTAMP,
    criado_em TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    INDEX idx_processamento (status, proxima_tentativa)
  )`,
  `CREATE TABLE jobs (
    id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
    queue VARCHAR(255) NOT NULL,
    payload JSON NOT NULL,
    attempts INT UNSIGNED NOT NULL,
    reserved_at TIMESTAMP NULL,
    available_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NULL,
    updated_at TIMESTAMP NULL
  )`,
  `CREATE TABLE email_jobs (
    id INTEGER AUTO_INCREMENT PRIMARY KEY,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    status VARCHAR(20) NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    available_at DATETIME NOT NULL
  )`,
  `CREATE TABLE failed_jobs (
    id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
    queue VARCHAR(255) NOT NULL,
    payload JSON NOT NULL,
    attempts INT UNSIGNED NOT NULL,
    error TEXT NOT NULL,
    failed_at TIMESTAMP NOT NULL
  )`,
  `CREATE TABLE failed_email_jobs (
    id INTEGER AUTO_INCREMENT PRIMARY KEY,
    job_id INTEGER NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    reason TEXT NOT NULL,
    failed_at DATETIME NOT NULL
  )`,
  'CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(255) NOT NULL, sku VARCHAR(40) NOT NULL)',
  'CREATE TABLE stock (sku VARCHAR(40) PRIMARY KEY, pieces INT UNSIGNED NOT NULL)',
  "INSERT INTO stock VALUES ('mug', 100), ('rare', 0)",
];

/** The queue table of each shape with the prefix `wp_`. */
export const tableOf: Record<Shape, string> = {
  'studiou-wcmq': 'wp_studiou_wcmq_queue',
  'wp-email-queue': 'wp_email_queue',
  jobs: 'jobs',
  'email-jobs': 'email_jobs',
};

export type Row = Record<string, unknown>;

/** The producer's side of a shop: its own connections, seen from outside of its transactions. */
export interface Producer {
  database: ServerDatabase;
  pool: Pool;
  /** what others see, after commit */
  rows(shape: Shape): Promise<Row[]>;
  query(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** With `database`: in a shop that has its studiou-wcmq tables already. */
export async function makeProducer(database?: ServerDatabase): Promise<Producer> {
  const place = database ?? (await makeDatabase(await sharedMariadb()));
  const { host, port, user, password, database: name } = place;
  const pool = mysql.createPool({
    host,
    port,
    user,
    password: password ?? '',
    database: name,
    timezone: 'Z',
  });
  const query = async (sql: string, values: unknown[] = []): Promise<Row[]> => {
    const [rows] = await pool.query<RowDataPacket[]>(sql, values);
    return rows;
  };
  for (const statement of tables) await pool.query(statement);
  return {
    database: place,
    pool,
    query,
    rows: (shape) => query(`SELECT * FROM ${tableOf[shape]} ORDER BY id`),
    close: () => pool.end(),
  };
}

/** What a run program said. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

async function program(file: string, args: string[], env: NodeJS.ProcessEnv, stdin = ''): Promise<Ran> {
  try {
    const running = run(file, args, { env: { ...process.env, ...env }, timeout: 30_000 });
    running.child.stdin?.on('error', () => {}); // it may end without reading
    running.child.stdin?.end(stdin);
    const { stdout, stderr } = await running;
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error; // it is not there, or did not end
    return { code, stdout, stderr };
  }
}

/** Runs one of the PHP drivers beside this file; it loads the example and calls `place_order`. */
export function runPhp(
  database: ServerDatabase,
  driver: 'pdo' | 'wpdb',
  example: string,
  ...args: string[]
): Promise<Ran> {
  const ini = [
    '-d',
    'display_errors=stderr',
    '-d',
    'error_reporting=E_ALL & ~E_DEPRECATED',
    '-d',
    'html_errors=0',
  ];
  const script = path.join(root, `test/enqueue/run-${driver}.php`);
  return program('php', [...ini, script, path.join(root, example), ...args], {
    SHOP_HOST: database.host,
    SHOP_PORT: String(database.port),
    SHOP_USER: database.user,
    SHOP_PASSWORD: database.password ?? '',
    SHOP_DATABASE: database.database,
    SHOP_CHECKOUT: root,
  });
}

/** Runs a file of SQL as its first line tells: by the client, which stops at the first error. */
export function runSql(database: ServerDatabase, example: string): Promise<Ran> {
  const { host, port, user, password, database: name } = database;
  const args = ['--no-defaults', `--host=${host}`, `--port=${port}`, `--user=${user}`, name];
  return program('mariadb', args, { MYSQL_PWD: password ?? '' }, readText(example));
}

/** Builds what the package's `postroom/enqueue` is, where it is stale. */
export async function builtEntry(): Promise<void> {
  await run(process.execPath, [path.join(root, 'scripts/build.mjs'), 'enqueue']);
}
