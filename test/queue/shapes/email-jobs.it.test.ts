import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emailJobs } from '../../../src-main/queue/shapes/email-jobs.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import { addTo, clearJobs, emailJobsCases, type JobsNames, renamed, usual } from './email-jobs-cases.ts';
import { loadPrague, look, type TableBench, tableContract } from './table-contract.ts';

/** The document's tables as MySQL spells them. */
async function install(db: Database, names: JobsNames, reason = 'TEXT', charset = 'utf8mb4'): Promise<void> {
  const { of } = names;
  await db.run(`CREATE TABLE ${names.jobs} (
    ${of('id')} BIGINT AUTO_INCREMENT PRIMARY KEY,
    ${of('recipient')} TEXT NOT NULL,
    ${of('subject')} VARCHAR(255) NOT NULL,
    ${of('body')} MEDIUMTEXT NOT NULL,
    ${of('status')} VARCHAR(20) NOT NULL DEFAULT 'pending',
    ${of('attempts')} INT NOT NULL DEFAULT 0,
    ${of('available_at')} DATETIME NOT NULL,
    KEY due (${of('status')}, ${of('available_at')})
  ) CHARSET=${charset}`);
  await db.run(`CREATE TABLE ${names.failed} (
    ${of('id')} BIGINT AUTO_INCREMENT PRIMARY KEY,
    ${of('job_id')} BIGINT NOT NULL,
    ${of('recipient')} TEXT NOT NULL,
    ${of('subject')} VARCHAR(255) NOT NULL,
    ${of('reason')} ${reason} NOT NULL,
    ${of('failed_at')} DATETIME NOT NULL${names.body ? `, ${of('body')} MEDIUMTEXT` : ''}
  ) CHARSET=${charset}`);
}

async function bench(
  names: JobsNames,
  sessionSql: string[] = [],
  reason = 'TEXT',
  charset = 'utf8mb4',
): Promise<TableBench> {
  const server = await sharedMariadb();
  await loadPrague(server);
  const config = await makeDatabase(server);
  const installer = openMysql(config);
  await install(installer, names, reason, charset);
  await installer.close();
  const modest = await makeDatabase(server, config.database, { rights: 'modest' });
  const [db, other] = [0, 1].map(() => openMysql(modest, { onSessionSql: sessionSql })) as [
    Database,
    Database,
  ];
  return {
    shape: emailJobs,
    table: emailJobs.open('wp_', names.layout, 'mysql'),
    db,
    other: { table: emailJobs.open('wp_', names.layout, 'mysql'), db: other },
    add: addTo(db, names, (seconds) => `NOW() + INTERVAL ${seconds} SECOND`),
    clear: () => clearJobs(db, names),
    async close() {
      await db.close();
      await other.close();
    },
  };
}

tableContract('email-jobs', () => bench(usual));
tableContract('email-jobs in its own zone, with other names', () =>
  bench(renamed, ["SET time_zone = 'Europe/Prague'"]),
);
emailJobsCases('MariaDB', (body) => bench({ ...usual, body }));

describe('email-jobs on MariaDB', () => {
  it('a reason is cut to what the column holds', async () => {
    const shop = await bench(usual, [], 'VARCHAR(40)');
    const id = await shop.add();
    await shop.table.failed(shop.db, { id, attempts: 1, delayS: 0, reason: `550 ${'é'.repeat(100)}` });
    expect(await look(shop.table, shop.db, id)).toMatchObject({ last_error: `550 ${'é'.repeat(36)}` });
    await shop.close();
  });

  it.each([
    ['utf8mb3', '550 ?, říká server'],
    ['latin1', '550 ?, ??k? server'],
  ])('a reason is bent to what %s holds', async (charset, kept) => {
    const shop = await bench(usual, [], 'TEXT', charset);
    const id = await shop.add();
    const reason = '550 \u{1f4e6}, říká server';
    await shop.table.failed(shop.db, { id, attempts: 1, delayS: 0, reason });
    expect(await look(shop.table, shop.db, id)).toMatchObject({
      last_error: kept,
      subject: 'Verifikasi Akun',
    });
    const accented = await shop.table.insert(
      shop.db,
      { to: 'a@example.test', subject: 'é!', message: 'à' },
      null,
    );
    const row = await look(shop.table, shop.db, accented);
    expect(JSON.parse(String(row?.['payload']))).toMatchObject({ subject: 'é!', message: 'à' });
    const all = shop.table.sources.map((source) => source.select).join(' UNION ALL ');
    expect(await shop.db.query(`SELECT id FROM (${all}) v WHERE subject LIKE ?`, ['%é!%'])).toHaveLength(1);
    await shop.close();
  });
});

describe('email-jobs in a DST night', () => {
  let config: Parameters<typeof openMysql>[0];
  const table = emailJobs.open('wp_', usual.layout, 'mysql');
  beforeAll(async () => {
    const server = await sharedMariadb();
    await loadPrague(server);
    config = await makeDatabase(server);
    const db = openMysql(config);
    await install(db, usual);
    await db.close();
  });
  afterAll(() => during('2026-06-01T00:00:00Z', (db) => clearJobs(db, usual)));

  async function during<T>(utc: string, work: (db: Database) => Promise<T>): Promise<T> {
    const db = openMysql(config, {
      onSessionSql: ["SET time_zone = 'Europe/Prague'", `SET timestamp = ${Date.parse(utc) / 1000}`],
    });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  it.each([
    ['2026-03-29', ['00:30', '00:59', '01:00', '01:30'], '01:30', '03:00'],
    ['2026-10-25', ['00:10', '00:50', '01:05', '01:20'], '02:00', '03:00'],
  ])(
    'in the night of %s the order stays, and a retry comes once and not early',
    async (night, times, after, late) => {
      await during(`${night}T00:00:00Z`, (db) => clearJobs(db, usual));
      const ids: string[] = [];
      for (const time of times)
        ids.push(
          await during(`${night}T${time}:00Z`, (db) =>
            table.insert(db, { to: 'a@example.test', subject: 's', message: 'm' }, null),
          ),
        );
      expect(await during(`${night}T${after}:00Z`, (db) => table.due(db, 9, []))).toEqual(ids);
      const [id = ''] = ids;
      await during(`${night}T00:55:00Z`, async (db) => {
        expect(await table.claim(db, [id], 900)).toEqual(new Set([id]));
        expect(await table.renew(db, [id], 900)).toEqual(new Set([id]));
        await table.waits(db, { id, attempts: 1, delayS: 1200, reason: '451' });
      });
      for (const early of ['00:56', '01:00', '01:14'])
        expect(await during(`${night}T${early}:00Z`, (db) => table.due(db, 9, []))).not.toContain(id);
      expect(await during(`${night}T${late}:00Z`, (db) => table.due(db, 9, []))).toEqual(ids);
    },
  );
});
