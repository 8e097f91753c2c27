import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OpenedShop, openShop } from '../../src-main/boot.ts';
import {
  type Profile,
  readProfile,
  type ServerDatabase,
  type ShapeName,
} from '../../src-main/contract/profile.ts';
import type { Database, SqlValue } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { openSqlite } from '../../src-main/shop/sqlite.ts';
import { makeDatabase, sharedMariadb } from './mariadb.ts';
import { type ScriptedSmtpServer, startSmtpServer } from './smtp-server.ts';

/** A shop with a queue table of its own, as its document makes it, and a mail server. */
export interface ShapeShop {
  profile: Profile;
  smtp: ScriptedSmtpServer;
  stateDir: string;
  /** one mail as the shop's own program writes it; answers its id */
  put(to: string, subject?: string): Promise<string>;
  /** a row that can never be sent */
  putBroken(): Promise<string>;
  /** every row by its id: the shop's word for its state, tries, and what stands in the dead letters */
  rows(): Promise<Map<string, { word: string; attempts: number; reason: string | null }>>;
  /** another worker of the shop takes this row, as its own code does */
  holdElsewhere(id: string): Promise<void>;
  /** another worker's row was first seen so many s ago */
  backdateSight(id: string, seconds: number): Promise<void>;
  /** empties the tables, so that ids begin anew */
  forgetRows(): Promise<void>;
  /** what is due later is due now */
  ripen(): Promise<void>;
  open(changes?: Partial<Profile>, stateDir?: string): Promise<OpenedShop>;
  close(): Promise<void>;
}

interface Spelling {
  tables(sqlite: boolean, withoutBody: boolean): string[];
  put(to: string, subject: string): { sql: string; values: SqlValue[] };
  putBroken(): { sql: string; values: SqlValue[] };
  rows: string;
  hold: string;
  ripen: string;
}

/** Each document's tables and statements. */
export const spellings: Record<Exclude<ShapeName, 'studiou-wcmq'>, Spelling> = {
  'wp-email-queue': {
    tables: (sqlite) => [
      sqlite
        ? `CREATE TABLE wp_email_queue (
        id INTEGER PRIMARY KEY AUTOINCREMENT, destinatario TEXT NOT NULL, assunto TEXT NOT NULL, corpo TEXT NOT NULL,
        cabecalhos TEXT, status TEXT DEFAULT 'pendente', tentativas INTEGER DEFAULT 0,
        proxima_tentativa TEXT DEFAULT CURRENT_TIMESTAMP, criado_em TEXT DEFAULT CURRENT_TIMESTAMP)`
        : `CREATE TABLE wp_email_queue (
        id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, destinatario VARCHAR(255) NOT NULL, assunto VARCHAR(255) NOT NULL,
        corpo LONGTEXT NOT NULL, cabecalhos JSON,
        status ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente', tentativas TINYINT UNSIGNED DEFAULT 0,
        proxima_tentativa DATETIME DEFAULT CURRENT_TIMESTAMP, criado_em TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        INDEX idx_processamento (status, proxima_tentativa)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
    ],
    put: (to, subject) => ({
      sql: 'INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (?, ?, ?, ?)',
      values: [to, subject, 'Seu cadastro foi um sucesso.', '[]'],
    }),
    putBroken: () => ({
      sql: 'INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (?, ?, ?, ?)',
      values: ['nobody at all', 'Bem-vindo!', 'x', '[]'],
    }),
    rows: 'SELECT id, status AS word, tentativas AS attempts, NULL AS reason FROM wp_email_queue',
    hold: "UPDATE wp_email_queue SET status = 'processando' WHERE id = ?",
    ripen: "UPDATE wp_email_queue SET proxima_tentativa = '2020-01-01 00:00:00' WHERE status = 'pendente'",
  },
  jobs: {
    tables: (sqlite) =>
      sqlite
        ? [
            `CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, payload TEXT NOT NULL,
              attempts INTEGER NOT NULL DEFAULT 0, reserved_at TEXT NULL, available_at TEXT NOT NULL, created_at TEXT NOT NULL,
              updated_at TEXT NOT NULL)`,
            `CREATE TABLE failed_jobs (id INTEGER PRIMARY KEY, queue TEXT NOT NULL, payload TEXT NOT NULL,
              attempts INTEGER NOT NULL, error TEXT NOT NULL, failed_at TEXT NOT NULL)`,
          ]
        : [
            `CREATE TABLE jobs (
        id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, queue VARCHAR(191) NOT NULL, payload JSON NOT NULL,
        attempts TINYINT UNSIGNED NOT NULL DEFAULT 0, reserved_at DATETIME NULL, available_at DATETIME NOT NULL,
        created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, INDEX jobs_claim (queue, reserved_at, available_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
            `CREATE TABLE failed_jobs (
        id BIGINT UNSIGNED PRIMARY KEY, queue VARCHAR(191) NOT NULL, payload JSON NOT NULL,
        attempts TINYINT UNSIGNED NOT NULL, error TEXT NOT NULL, failed_at DATETIME NOT NULL
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
          ],
    put: (to, subject) => ({
      sql: "INSERT INTO jobs (queue, payload, available_at, created_at, updated_at) VALUES ('default', ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
      values: [JSON.stringify({ to, subject, text: 'Welcome.' })],
    }),
    putBroken: () => ({
      sql: "INSERT INTO jobs (queue, payload, available_at, created_at, updated_at) VALUES ('default', ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
      values: [JSON.stringify({ to: 'a@example.test', subject: 7, text: 'x' })],
    }),
    rows: `SELECT id, CASE WHEN reserved_at IS NULL THEN 'waiting' ELSE 'reserved' END AS word, attempts, NULL AS reason FROM jobs
           UNION ALL SELECT id, 'dead', attempts, error FROM failed_jobs`,
    hold: 'UPDATE jobs SET reserved_at = CURRENT_TIMESTAMP WHERE id = ?',
    ripen: "UPDATE jobs SET available_at = '2020-01-01 00:00:00' WHERE reserved_at IS NULL",
  },
  'email-jobs': {
    tables: (sqlite, withoutBody) => {
      const id = sqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY';
      const word = sqlite ? 'TEXT' : 'VARCHAR(20)';
      const at = sqlite ? 'TEXT' : 'DATETIME';
      return [
        `CREATE TABLE email_jobs (id ${id}, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
          status ${word} NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0, available_at ${at} NOT NULL)`,
        `CREATE TABLE failed_email_jobs (id ${id}, job_id INTEGER NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
          reason TEXT NOT NULL, failed_at ${at} NOT NULL${withoutBody ? '' : ', body TEXT NULL'})`,
      ];
    },
    put: (to, subject) => ({
      sql: 'INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES (?, ?, ?, CURRENT_TIMESTAMP)',
      values: [to, subject, 'Klik tautan verifikasi dalam 24 jam ke depan.'],
    }),
    putBroken: () => ({
      sql: 'INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES (?, ?, ?, CURRENT_TIMESTAMP)',
      values: ['[1, 2', 'Invoice', 'x'],
    }),
    rows: `SELECT id, status AS word, attempts, NULL AS reason FROM email_jobs
           UNION ALL SELECT job_id, 'dead', 0, reason FROM failed_email_jobs`,
    hold: "UPDATE email_jobs SET status = 'processing', attempts = attempts + 1 WHERE id = ?",
    ripen: "UPDATE email_jobs SET available_at = '2020-01-01 00:00:00' WHERE status = 'pending'",
  },
};

export interface ShapeShopOptions {
  shape: Exclude<ShapeName, 'studiou-wcmq'>;
  /** lays our books into the shop's database */
  booksInShop: boolean;
  sqlite?: boolean;
  /** email-jobs: the failed table as its document has it, without the text */
  withoutBody?: boolean;
  /** another server's than the shared one */
  database?: ServerDatabase;
  profile?: Partial<Profile>;
}

export async function makeShapeShop(options: ShapeShopOptions): Promise<ShapeShop> {
  const { shape, booksInShop, sqlite = false } = options;
  const spelling = spellings[shape];
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-shape-'));
  const stateDir = path.join(folder, 'state');
  const file = path.join(folder, 'shop.sqlite');
  const server = sqlite ? null : (options.database ?? (await makeDatabase(await sharedMariadb())));
  const smtp = await startSmtpServer();
  const profile = readProfile(
    {
      name: 'Shape shop',
      shape,
      database: server ?? { file },
      smtp: { host: '127.0.0.1', port: smtp.port, security: 'none' },
      from: 'Shop <shop@shop.example>',
      uncapped: true,
      ...options.profile,
    },
    'test profile',
  );
  const opened: OpenedShop[] = [];
  // the embedded database has one process at a time, and within it one connection: it is opened anew each time
  const withDb = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const db = server
      ? openMysql(server, {
          onSessionSql: [
            `SET time_zone = ${profile.layout.timeZone ? `'${profile.layout.timeZone}'` : '@@global.time_zone'}`,
          ],
        })
      : openSqlite(file);
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };
  await withDb(async (db) => {
    for (const sql of spelling.tables(sqlite, options.withoutBody ?? false)) await db.run(sql);
  });
  const insert = ({ sql, values }: { sql: string; values: SqlValue[] }) =>
    withDb(async (db) => String((await db.run(sql, values)).insertId));
  const shop: ShapeShop = {
    profile,
    smtp,
    stateDir,
    put: (to, subject = 'Hello') => insert(spelling.put(to, subject)),
    putBroken: () => insert(spelling.putBroken()),
    rows: () =>
      withDb(async (db) => {
        const rows = await db.query(spelling.rows);
        return new Map(
          rows.map((row) => [
            String(row['id']),
            {
              word: String(row['word']),
              attempts: Number(row['attempts']),
              reason: row['reason'] == null ? null : String(row['reason']),
            },
          ]),
        );
      }),
    holdElsewhere: (id) => withDb(async (db) => void (await db.run(spelling.hold, [id]))),
    backdateSight: async (id, seconds) => {
      const sql = 'UPDATE wp_postroom_cards SET claimed_at = claimed_at - ? WHERE id = ?';
      if (booksInShop) await withDb(async (db) => void (await db.run(sql, [seconds, id])));
      else {
        // the console's own books are open to one process at a time
        for (const one of opened.splice(0)) await one.close();
        const books = openSqlite(path.join(stateDir, 'books.sqlite'));
        await books.run(sql, [seconds, id]);
        await books.close();
      }
    },
    forgetRows: () =>
      withDb(async (db) => {
        for (const sql of spelling.tables(sqlite, options.withoutBody ?? false)) {
          const table = /CREATE TABLE (\w+)/.exec(sql)?.[1];
          await db.run(`DROP TABLE ${table}`);
          await db.run(sql);
        }
      }),
    ripen: () => withDb(async (db) => void (await db.run(spelling.ripen))),
    open: async (changes = {}, state = stateDir) => {
      const one = await openShop({ ...profile, ...changes }, { stateDir: state, name: 'test', version: '0' });
      opened.push(one);
      return one;
    },
    close: async () => {
      for (const one of opened) await one.close().catch(() => {});
      await smtp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (booksInShop) {
    const one = await shop.open();
    await one.desk.schema(true);
    await one.close();
  }
  return shop;
}
