import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSqlite } from '../../src-main/shop/sqlite.ts';
import { databaseContract } from './database-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'postroom-sqlite-'));
let count = 0;
const file = () => join(folder, `${++count}`, 'shop.db');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

databaseContract('sqlite', async () => openSqlite(file()));

test('what was committed is there after closing and opening again', async () => {
  const path = file();
  const first = openSqlite(path);
  await first.run('CREATE TABLE t (n INTEGER)');
  await first.run('INSERT INTO t (n) VALUES (?)', [7]);
  await first.close();
  const second = openSqlite(path);
  expect(await second.query('SELECT n FROM t')).toEqual([{ n: 7 }]);
  expect(await second.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  expect(await second.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  await second.close();
});

test('a second process is told that it is busy, and a killed one leaves nothing locked or half done', async () => {
  const path = file();
  const mine = openSqlite(path);
  await mine.run('CREATE TABLE t (n INTEGER)');
  await mine.close();
  const driver = createRequire(import.meta.url).resolve('libsql');
  const holder = spawn(process.execPath, [
    '-e',
    `const db = new (require(${JSON.stringify(driver)}))(${JSON.stringify(path)});
     db.exec('PRAGMA locking_mode = EXCLUSIVE'); db.exec('PRAGMA journal_mode = WAL'); db.exec('PRAGMA synchronous = FULL');
     db.exec('INSERT INTO t VALUES (1)'); db.exec('BEGIN IMMEDIATE'); db.exec('INSERT INTO t VALUES (2)');
     console.log('held'); setInterval(() => {}, 1000);`,
  ]);
  try {
    await once(holder.stdout, 'data');
    expect(() => openSqlite(path)).toThrow(
      expect.objectContaining({ code: 'busy', message: expect.stringContaining('Another program') }),
    );
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
  const again = openSqlite(path);
  expect(await again.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
  await again.close();
});

test('the database itself inside its own transaction is an error at once, not a wait for ever', async () => {
  const db = openSqlite(file());
  await db.run('CREATE TABLE t (n INTEGER)');
  await expect(db.transaction(() => db.run('INSERT INTO t VALUES (1)'))).rejects.toThrow(
    'Inside a transaction',
  );
  // but what was merely started inside may go on after it
  let later: Promise<unknown> = Promise.resolve();
  await db.transaction(async () => {
    later = new Promise((resolve) => setTimeout(resolve, 5)).then(() => db.run('INSERT INTO t VALUES (2)'));
  });
  await later;
  expect(await db.query('SELECT n FROM t')).toEqual([{ n: 2 }]);
  await db.close();
});

test('more different statements than are kept', async () => {
  const db = openSqlite(file());
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 450; n++) expect(await db.query(`SELECT ${n} AS n`)).toEqual([{ n }]);
  }
  await db.close();
});

test('a file that is no database, and a place where none can be made', () => {
  const path = join(folder, 'letter.txt');
  writeFileSync(path, 'Dear database, '.repeat(500));
  expect(() => openSqlite(path)).toThrow(expect.objectContaining({ code: 'config' }));
  expect(() => openSqlite(join(path, 'below', 'shop.db'))).toThrow(expect.objectContaining({ code: 'disk' }));
  expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'disk' }));
});

test('a NUL does not cut a text short', async () => {
  const db = openSqlite(file());
  expect(await db.query('SELECT ? AS s', ['before\0after'])).toEqual([{ s: 'before\uFFFDafter' }]);
  await db.close();
});
