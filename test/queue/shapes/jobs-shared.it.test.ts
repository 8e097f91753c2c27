/** The jobs shape on a server with other workers, other names, and tables that are not for it. */
import { afterAll, describe, expect, it } from 'vitest';
import { jobs } from '../../../src-main/queue/shapes/jobs.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { laravel, mail, mysqlTables, openServer, usual } from './jobs-bench.ts';

describe('jobs on a server with others', () => {
  const made: Database[] = [];
  const openOne = async () => {
    const db = await openServer();
    made.push(db);
    return db;
  };
  afterAll(async () => {
    for (const db of made) await db.close();
  });

  it('gives two workers different rows, and waits for nobody', async () => {
    const db = await openOne();
    for (const sql of mysqlTables('id INT AUTO_INCREMENT PRIMARY KEY')) await db.run(sql);
    for (const payload of [laravel, mail('1'), mail('2'), laravel])
      await db.run(
        `INSERT INTO jobs (queue, payload, available_at) VALUES ('default', ?, NOW() - INTERVAL 1 MINUTE)`,
        [payload],
      );
    const [one, two] = [jobs.open('', usual, 'mysql'), jobs.open('', usual, 'mysql')];
    await db.transaction(async (tx) => {
      expect(await one.due(tx, 1, [])).toEqual(['2']);
      await db.transaction(async (other) => {
        expect(await two.due(other, 5, [])).toEqual(['3']);
        expect(await two.claim(other, ['3'], 900)).toEqual(new Set(['3']));
        // what is no mail was not locked by either
        await db.run('UPDATE jobs SET attempts = 1 WHERE id IN (1, 4)');
      });
      expect(await one.claim(tx, ['2'], 900)).toEqual(new Set(['2']));
    });
    expect((await one.held(db, 10)).map(({ id }) => id)).toEqual(['2', '3']);
  });

  it('claims no row twice with eight workers', async () => {
    const db = await openOne();
    for (const sql of mysqlTables('id INT AUTO_INCREMENT PRIMARY KEY')) await db.run(sql);
    for (let at = 0; at < 60; at += 1)
      await db.run(`INSERT INTO jobs (queue, payload, available_at) VALUES ('default', ?, NOW())`, [
        at % 3 === 0 ? laravel : mail(String(at)),
      ]);
    const claimed: string[] = [];
    const work = async () => {
      const table = jobs.open('', usual, 'mysql');
      for (;;) {
        const got = await db.transaction(async (tx) =>
          table.claim(tx, await table.due(tx, jobs.most, []), 900),
        );
        if (got.size === 0) return;
        claimed.push(...got);
        await table.sent(db, [...got]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(claimed).toHaveLength(40);
    expect(new Set(claimed).size).toBe(40);
    const [left] = await db.query('SELECT COUNT(*) AS n, COUNT(reserved_at) AS held FROM jobs');
    expect(left).toEqual({ n: 20, held: 0 });
  });

  it('goes by other names, and fits a narrow column of reasons', async () => {
    const db = await openOne();
    await db.run(`CREATE TABLE ukoly (cislo INT AUTO_INCREMENT PRIMARY KEY, fronta VARCHAR(50), obsah TEXT, attempts INT,
      reserved_at TIMESTAMP NULL, available_at TIMESTAMP NOT NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL)`);
    await db.run(
      `CREATE TABLE ukoly_pryc (cislo INT PRIMARY KEY, fronta VARCHAR(50), obsah TEXT, attempts INT, error VARCHAR(20), failed_at DATETIME) CHARSET latin1`,
    );
    const table = jobs.open(
      'wp_',
      {
        ...usual,
        table: 'ukoly',
        failedTable: 'ukoly_pryc',
        columns: { id: 'cislo', queue: 'fronta', payload: 'obsah' },
      },
      'mysql',
    );
    expect(table.tables[0]?.columns).toContain('fronta');
    const id = await table.insert(db, { to: 'a@x.example', subject: 's', message: 'm' }, null);
    expect(await db.transaction((tx) => table.due(tx, 1, []))).toEqual([id]);
    await table.failed(db, {
      id,
      attempts: 1,
      delayS: 0,
      reason: 'příliš dlouhý důvod, který se nevejde 🙁',
    });
    const [dead] = await db.query('SELECT cislo, error FROM ukoly_pryc');
    expect(dead).toEqual({ cislo: Number(id), error: 'p??li? dlouh? d?vod,' });
    await table.requeue(db, [id]);
    expect(await db.query('SELECT cislo FROM ukoly')).toEqual([{ cislo: Number(id) }]);
  });

  it('refuses a table with integer times before it touches it', async () => {
    const db = await openOne();
    await db.run(`CREATE TABLE jobs (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, queue VARCHAR(191) NOT NULL, payload LONGTEXT NOT NULL,
      attempts TINYINT UNSIGNED NOT NULL, reserved_at INT UNSIGNED NULL, available_at INT UNSIGNED NOT NULL, created_at INT UNSIGNED NOT NULL)`);
    await db.run('CREATE TABLE failed_jobs (id INT PRIMARY KEY)');
    const table = jobs.open('', usual, 'mysql');
    await expect(table.due(db, 1, [])).rejects.toThrow(
      /jobs\.reserved_at keeps its times as numbers \(int\)/,
    );
    await expect(table.insert(db, { to: 'a', subject: 's', message: 'm' }, null)).rejects.toThrow('numbers');
    await db.run('DROP TABLE failed_jobs');
    await expect(jobs.open('', usual, 'mysql').due(db, 1, [])).rejects.toThrow('no table failed_jobs');
  });
});
