/** A shop with real WordPress, the connector in its mu-plugins and a stand-in for WooCommerce, on a real MariaDB. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Database } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { type ScriptedSmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { root } from '../support/source-tree.ts';
import { connectorFolder, wordpressFolder } from './wordpress.ts';

const php = path.join(root, 'test/connector/php');

/** A step of test/connector/php/steps.php and what it gets. */
export type Step = [name: string, with_?: unknown];

export const order = { order: 7 };
export const mail = (more: object = {}): Step => ['mail', { ...order, ...more }];
export const sender = { name: '', address: 'shop@shop.example' };
/** Whom mails reached that left at once. */
export const arrivedAt = (site: Site) => site.smtp.mails.map((one) => one.to.join(','));

export interface Request {
  /** other environment, as SHOP_WOOCOMMERCE */
  env?: Record<string, string>;
  define?: Record<string, unknown>;
  wpCli?: boolean;
}

export interface LogLine {
  level: string;
  message: string;
  context: Record<string, unknown>;
}

export type Row = Record<string, unknown>;

export interface Site {
  database: ServerDatabase;
  db: Database;
  smtp: ScriptedSmtpServer;
  /** wp-content */
  content: string;
  /** where copies of attachments stand */
  filesRoot: string;
  /** One PHP process of the shop; answers what each step answered. Throws when anything was printed. */
  run(steps: Step[], request?: Request): Promise<unknown[]>;
  rows(): Promise<Row[]>;
  payloads(): Promise<Record<string, unknown>[]>;
  /** folders of attachments that are there */
  folders(): string[];
  /** lines of WooCommerce's log */
  wooLog(): LogLine[];
  /** lines of the queue's own log */
  queueLog(): Promise<string[]>;
  /** an empty queue that is enabled, with a console that has just been able to send */
  reset(settings?: Record<string, unknown>): Promise<void>;
  /** the console's last sign of being able to send, in s before now; null = never */
  consoleSeen(secondsAgo: number | null): Promise<void>;
  close(): Promise<void>;
}

export async function makeSite(env: Record<string, string> = {}): Promise<Site> {
  const database = await makeDatabase(await sharedMariadb());
  const smtp = await startSmtpServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-wp-'));
  const content = path.join(folder, 'wp-content');
  const plugins = path.join(content, 'mu-plugins');
  mkdirSync(plugins, { recursive: true });
  for (const one of ['postroom-connector.php', 'postroom-connector'])
    cpSync(path.join(connectorFolder, one), path.join(plugins, one), { recursive: true });
  writeFileSync(
    path.join(plugins, 'a-woocommerce.php'),
    `<?php if ('none' !== getenv('SHOP_WOOCOMMERCE')) { require '${path.join(php, 'woocommerce.php')}'; }`,
  );
  // WordPress complains without a theme
  const theme = path.join(content, 'themes/bare');
  mkdirSync(theme, { recursive: true });
  writeFileSync(path.join(theme, 'style.css'), '/* Theme Name: Bare */');
  writeFileSync(path.join(theme, 'index.php'), '<?php');
  // nor does it take a language that is not installed
  const languages = path.join(content, 'languages');
  mkdirSync(languages);
  cpSync(
    path.join(connectorFolder, 'postroom-connector/languages/postroom-connector-cs_CZ.mo'),
    path.join(languages, 'cs_CZ.mo'),
  );
  const logFile = path.join(folder, 'woocommerce.log');
  const filesRoot = path.join(content, 'uploads/studiou-wcmq-attachments');
  const shopEnv = {
    WORDPRESS: wordpressFolder(),
    SHOP_HOST: database.host,
    SHOP_PORT: String(database.port),
    SHOP_USER: database.user,
    SHOP_PASSWORD: database.password ?? '',
    SHOP_DATABASE: database.database,
    SHOP_CONTENT: content,
    SHOP_LOG: logFile,
    SHOP_SMTP_PORT: String(smtp.port),
    SHOP_WOOCOMMERCE: '10.9',
    ...env,
  };
  const installed = await runPhp('install.php', '', shopEnv);
  if (!installed.includes('installed ')) throw new Error(`WordPress was not installed: ${installed}`);
  const db = openMysql(database);
  const t = 'wp_studiou_wcmq_';
  const site: Site = {
    database,
    db,
    smtp,
    content,
    filesRoot,
    async run(steps, { env: more = {}, define = {}, wpCli = false } = {}) {
      const input = JSON.stringify({ steps, define, wp_cli: wpCli });
      const answer = await runPhp('run.php', input, { ...shopEnv, ...more });
      const { answers, output } = JSON.parse(answer) as { answers: unknown[]; output: string };
      if (output !== '') throw new Error(`it printed: ${output}`);
      return answers;
    },
    rows: () => db.query(`SELECT * FROM ${t}queue ORDER BY id`),
    payloads: async () =>
      (await site.rows()).map((row) => JSON.parse(String(row['payload'])) as Record<string, unknown>),
    folders: () =>
      existsSync(filesRoot) ? readdirSync(filesRoot).filter((name) => /^[0-9a-f]{32}$/.test(name)) : [],
    wooLog: () =>
      existsSync(logFile)
        ? readFileSync(logFile, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as LogLine)
        : [],
    queueLog: async () =>
      (await db.query<{ message: string }>(`SELECT message FROM ${t}log ORDER BY id`)).map(
        ({ message }) => message,
      ),
    async reset(settings = {}) {
      for (const table of ['queue', 'log', 'settings', 'consoles', 'attempts'])
        await db.run(`DELETE FROM ${t}${table}`);
      await db.run("DELETE FROM wp_options WHERE option_name LIKE '%postroom_connector_minute'");
      await db.run(
        `INSERT INTO ${t}settings (name, value, updated_at) VALUES ('state', '"enabled"', 0), ('settings', ?, 0)`,
        [JSON.stringify(settings)],
      );
      await site.consoleSeen(0);
      rmSync(logFile, { force: true });
      rmSync(filesRoot, { recursive: true, force: true });
      smtp.mails.length = 0;
    },
    async consoleSeen(secondsAgo) {
      await db.run(`DELETE FROM ${t}consoles`);
      await db.run(
        `INSERT INTO ${t}consoles (id, name, version, seen_at, able_at) VALUES ('one', 'Office <PC>', '1', UNIX_TIMESTAMP() - ?, UNIX_TIMESTAMP() - ?)`,
        [secondsAgo ?? 0, secondsAgo],
      );
    },
    async close() {
      await db.close();
      await smtp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return site;
}

/** WordPress is compiled once: 400 files for each request otherwise, which is most of its time. */
const compiled = path.join(tmpdir(), `postroom-php-${userInfo().uid}`);

function runPhp(script: string, input: string, env: Record<string, string>): Promise<string> {
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  const ini = [
    'opcache.enable_cli=1',
    `opcache.file_cache=${compiled}`,
    'opcache.file_cache_only=1',
    'display_errors=stderr',
    'error_reporting=E_ALL',
    'html_errors=0',
    'log_errors=0',
  ];
  const args = [...ini.flatMap((one) => ['-d', one]), path.join(php, script)];
  return new Promise((resolve, reject) => {
    const child = spawn('php', args, { env: { ...process.env, ...env } });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
    });
    child.stderr.on('data', (part: Buffer) => {
      stderr += part.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 && stderr === '') resolve(stdout);
      else reject(new Error(`${script} ended with ${code}: ${stderr} ${stdout.slice(0, 2000)}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
