import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emailJobs } from '../../../src-main/queue/shapes/email-jobs.ts';
import { openSqlite } from '../../../src-main/shop/sqlite.ts';
import { addTo, clearJobs, emailJobsCases, type JobsNames, renamed, usual } from './email-jobs-cases.ts';
import { look, type TableBench, tableContract } from './table-contract.ts';

/** The document's own tables. */
async function bench(names: JobsNames): Promise<TableBench> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-jobs-'));
  const db = openSqlite(join(folder, 'shop.sqlite'));
  const { of } = names;
  await db.run(`CREATE TABLE ${names.jobs} (
    ${of('id')} INTEGER PRIMARY KEY AUTOINCREMENT,
    ${of('recipient')} TEXT NOT NULL,
    ${of('subject')} TEXT NOT NULL,
    ${of('body')} TEXT NOT NULL,
    ${of('status')} TEXT NOT NULL DEFAULT 'pending',
    ${of('attempts')} INTEGER NOT NULL DEFAULT 0,
    ${of('available_at')} TEXT NOT NULL
  )`);
  await db.run(`CREATE TABLE ${names.failed} (
    ${of('id')} INTEGER PRIMARY KEY AUTOINCREMENT,
    ${of('job_id')} INTEGER NOT NULL,
    ${of('recipient')} TEXT NOT NULL,
    ${of('subject')} TEXT NOT NULL,
    ${of('reason')} TEXT NOT NULL,
    ${of('failed_at')} TEXT NOT NULL${names.body ? `, ${of('body')} TEXT` : ''}
  )`);
  return {
    shape: emailJobs,
    table: emailJobs.open('wp_', names.layout, 'sqlite'),
    db,
    other: null,
    add: addTo(db, names, (seconds) => `datetime('now', ${seconds} || ' seconds')`),
    clear: () => clearJobs(db, names),
    async close() {
      await db.close();
      rmSync(folder, { recursive: true });
    },
  };
}

tableContract('email-jobs (embedded)', () => bench(usual));
tableContract('email-jobs (embedded) with other names', () => bench(renamed));
emailJobsCases('the embedded database', (body) => bench({ ...usual, body }));

it('reads times as they are written by hand, and a row whose time cannot be read is due', async () => {
  const { db, table, close } = await bench(usual);
  for (const at of ['2026-01-15T08:00:00Z', '2026-01-15 08:00', 'sekarang', '2999-01-01T00:00:00Z'])
    await db.run(
      "INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES ('a@example.test', 's', 'b', ?)",
      [at],
    );
  await db.run(
    "INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES ('a@example.test', 's', x'c3a9', '')",
  );
  expect(await table.due(db, 9, [])).toEqual(['1', '2', '3', '5']);
  expect(JSON.parse(String((await look(table, db, '5'))?.['payload']))).toMatchObject({ message: 'é' });
  await close();
});
