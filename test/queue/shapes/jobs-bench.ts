/** Tables of the jobs shape as shops have them, and what they carry. */
import { randomUUID } from 'node:crypto';
import type { Layout } from '../../../src-main/contract/profile.ts';
import { jobs } from '../../../src-main/queue/shapes/jobs.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { openSqlite } from '../../../src-main/shop/sqlite.ts';
import { makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import type { NewRow, TableBench } from './table-contract.ts';

export const usual: Layout = { columns: {}, timeZone: null, books: null };
export const mail = (subject: string, more: object = {}) =>
  JSON.stringify({ to: 'karel@example.test', subject, text: 'Ahoj', ...more });
/** as Laravel writes it */
export const laravel = JSON.stringify({
  uuid: randomUUID(),
  displayName: 'App\\Jobs\\ResizeImage',
  job: 'Illuminate\\Queue\\CallQueuedHandler@call',
  maxTries: null,
  data: { commandName: 'App\\Jobs\\ResizeImage', command: 'O:20:"App\\Jobs\\ResizeImage":0:{}' },
});

export interface Bench {
  name: string;
  open(): Promise<Database>;
  tables: string[];
  uuid: boolean;
  /** the database checks the JSON itself */
  checked: boolean;
}
export const mysqlTables = (id: string, payload = 'JSON') => [
  `CREATE TABLE jobs (${id}, queue VARCHAR(191) NOT NULL, payload ${payload} NOT NULL, attempts TINYINT UNSIGNED NOT NULL DEFAULT 0,
     reserved_at DATETIME NULL, available_at DATETIME NOT NULL, created_at DATETIME NULL, updated_at DATETIME NULL) ENGINE=InnoDB`,
  `CREATE TABLE failed_jobs (${id}, queue VARCHAR(191) NOT NULL, payload ${payload} NOT NULL, attempts TINYINT UNSIGNED NOT NULL,
     error TEXT NOT NULL, failed_at DATETIME NOT NULL) ENGINE=InnoDB`,
];
export const openServer = async () => openMysql(await makeDatabase(await sharedMariadb()));
export const benches: Bench[] = [
  {
    name: 'MariaDB, numbers',
    open: openServer,
    tables: mysqlTables('id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY', 'LONGTEXT'),
    uuid: false,
    checked: false,
  },
  {
    name: 'MariaDB, UUIDs',
    open: openServer,
    tables: mysqlTables('id CHAR(36) NOT NULL PRIMARY KEY'),
    uuid: true,
    checked: true,
  },
  {
    name: 'SQLite',
    open: async () => openSqlite(':memory:'),
    tables: mysqlTables('id INTEGER PRIMARY KEY AUTOINCREMENT', 'TEXT').map((sql) =>
      sql.replace(' ENGINE=InnoDB', '').replaceAll('DATETIME', 'TEXT'),
    ),
    uuid: false,
    checked: false,
  },
];

export async function contractBench({ open, tables, uuid }: Bench): Promise<TableBench> {
  const db = await open();
  for (const sql of tables) await db.run(sql);
  const table = jobs.open('wp_', usual, db.dialect);
  const at = (s: number) =>
    db.dialect === 'mysql' ? `NOW() + INTERVAL ${s} SECOND` : `datetime('now', '${s} seconds')`;
  let counter = 0;
  return {
    shape: jobs,
    table,
    db,
    other: db.dialect === 'mysql' ? { table: jobs.open('wp_', usual, 'mysql'), db } : null,
    async add({ state = 'pending', dueInS = -60, attempts = 0, ageS = 0 }: NewRow = {}) {
      counter += 1;
      const id = uuid ? `0000${String(counter).padStart(4, '0')}-0000-4000-8000-000000000000` : counter;
      if (state === 'failed')
        await db.run(
          `INSERT INTO failed_jobs (id, queue, payload, attempts, error, failed_at) VALUES (?, 'default', ?, ?, '550 no', ${at(-ageS)})`,
          [id, mail(String(counter)), attempts],
        );
      else
        await db.run(
          `INSERT INTO jobs (id, queue, payload, attempts, reserved_at, available_at, created_at, updated_at)
           VALUES (?, 'default', ?, ?, ${state === 'sending' ? at(-30) : 'NULL'}, ${at(dueInS)}, ${at(-ageS)}, ${at(-ageS)})`,
          [id, mail(String(counter)), attempts],
        );
      return String(id);
    },
    async clear() {
      for (const name of ['jobs', 'failed_jobs']) await db.run(`DELETE FROM ${name}`);
    },
    close: () => db.close(),
    sentVanishes: true,
  };
}
