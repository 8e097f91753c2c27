import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OpenedShop, openShop } from '../../src-main/boot.ts';
import { type Profile, readProfile, type ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Database, SqlValue } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase, sharedMariadb } from './mariadb.ts';
import { type ScriptedSmtpServer, type SmtpServerOptions, startSmtpServer } from './smtp-server.ts';

/** A shop as a test sees it: a real MariaDB with the tables in it, a real mail server, attachments, and a second login. */
export interface TestShop {
  profile: Profile;
  database: ServerDatabase;
  /** a connection of the test's own: the shop's side */
  db: Database;
  smtp: ScriptedSmtpServer;
  filesRoot: string;
  stateDir: string;
  open(changes?: Partial<Profile>, stateDir?: string): Promise<OpenedShop>;
  /** one row as the plan's own INSERT writes it; answers its id */
  insert(row?: Partial<PlanRow>): Promise<number>;
  rows(where?: string, values?: SqlValue[]): Promise<Record<string, SqlValue>[]>;
  /** a folder with one file; answers its token */
  attach(name: string, content: Buffer | string): string;
  /** a time of the database in s */
  now(): Promise<number>;
  close(): Promise<void>;
}

export interface PlanRow {
  context: string;
  order_id: number;
  recipient: string;
  subject: string;
  payload: unknown;
  attachment_dir: string | null;
  priority: number;
  scheduled_at: number | null;
}

export interface TestShopOptions {
  server?: MariadbServer;
  smtp?: SmtpServerOptions;
  profile?: Partial<Profile>;
  settings?: Record<string, unknown>;
  /** default true */
  installed?: boolean;
}

export async function makeShop(options: TestShopOptions = {}): Promise<TestShop> {
  const database = await makeDatabase(options.server ?? (await sharedMariadb()));
  const smtp = await startSmtpServer(options.smtp ?? {});
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-shop-'));
  const filesRoot = path.join(folder, 'attachments');
  const stateDir = path.join(folder, 'state');
  mkdirSync(filesRoot);
  const profile = readProfile(
    {
      name: 'Test shop',
      database,
      files: { root: filesRoot, via: 'local' },
      smtp: { host: '127.0.0.1', port: smtp.port, security: 'none' },
      from: 'Studio Ú <shop@shop.example>',
      settings: { rate_per_minute: 60, ...options.settings },
      ...options.profile,
    },
    'test profile',
  );
  const db = openMysql(database);
  const opened: OpenedShop[] = [];
  const shop: TestShop = {
    profile,
    database,
    db,
    smtp,
    filesRoot,
    stateDir,
    open: async (changes = {}, state = stateDir) => {
      const one = await openShop({ ...profile, ...changes }, { stateDir: state, name: 'test', version: '0' });
      opened.push(one);
      return one;
    },
    insert: async (row = {}) => {
      const { insertId } = await db.run(
        `INSERT INTO wp_studiou_wcmq_queue (context, order_id, recipient, subject, payload, attachment_dir, priority, state, scheduled_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', COALESCE(?, UNIX_TIMESTAMP()), UNIX_TIMESTAMP())`,
        [
          row.context ?? 'customer_completed_order',
          row.order_id ?? 0,
          row.recipient ?? 'customer@example.test',
          row.subject ?? 'Your order',
          typeof row.payload === 'string' ? row.payload : JSON.stringify(row.payload ?? planPayload()),
          row.attachment_dir ?? null,
          row.priority ?? 10,
          row.scheduled_at ?? null,
        ],
      );
      return insertId;
    },
    rows: (where = '1 = 1', values = []) =>
      db.query(`SELECT * FROM wp_studiou_wcmq_queue WHERE ${where} ORDER BY id`, values),
    attach: (name, content) => {
      const token = randomBytes(16).toString('hex');
      mkdirSync(path.join(filesRoot, token));
      writeFileSync(path.join(filesRoot, token, name), content);
      return token;
    },
    now: async () => Number((await db.query<{ now: number }>('SELECT UNIX_TIMESTAMP() AS now'))[0]?.now),
    close: async () => {
      for (const one of opened) await one.close().catch(() => {});
      await db.close();
      await smtp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (options.installed !== false) {
    const one = await shop.open();
    await one.desk.schema(true);
    await one.close();
  }
  return shop;
}

/** The five keys of the plan, headers as WooCommerce writes them (a CRLF string). */
export function planPayload(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    to: 'customer@example.test',
    subject: 'Your order',
    message: '<p>Thank you for your order.</p>',
    headers: 'Content-Type: text/html\r\nReply-to: Studio Ú & Synové <obchod@studiou.example>\r\n',
    attachments: [],
    ...changes,
  };
}
