import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readMail } from '../../../src-main/mail/read-mail.ts';
import { wpEmailQueue } from '../../../src-main/queue/shapes/wp-email-queue.ts';
import { openSqlite } from '../../../src-main/shop/sqlite.ts';
import { look, type NewRow, type TableBench, tableContract } from './table-contract.ts';

const layout = { columns: {}, timeZone: null, books: null };

/** The table as WordPress on SQLite keeps it. */
async function bench(): Promise<TableBench> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-wp-'));
  const db = openSqlite(join(folder, 'shop.sqlite'));
  await db.run(`CREATE TABLE wp_email_queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT, destinatario TEXT NOT NULL, assunto TEXT NOT NULL, corpo TEXT NOT NULL,
    cabecalhos TEXT, status TEXT DEFAULT 'pendente', tentativas INTEGER DEFAULT 0,
    proxima_tentativa TEXT DEFAULT CURRENT_TIMESTAMP, criado_em TEXT DEFAULT CURRENT_TIMESTAMP
  )`);
  return {
    shape: wpEmailQueue,
    table: wpEmailQueue.open('wp_', layout, 'sqlite'),
    db,
    other: null,
    async add({ state = 'pending', dueInS = -60, attempts = 0, ageS = 0 }: NewRow = {}) {
      const { insertId } = await db.run(
        `INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos, status, tentativas, proxima_tentativa, criado_em)
         VALUES (?, ?, ?, '[]', ?, ?, datetime('now', ? || ' seconds'), datetime('now', '-' || ? || ' seconds'))`,
        [
          'jana@example.test',
          'Objednávka',
          'Text',
          wpEmailQueue.words[state],
          attempts,
          String(dueInS),
          String(ageS),
        ],
      );
      return String(insertId);
    },
    clear: async () => void (await db.run('DELETE FROM wp_email_queue')),
    async close() {
      await db.close();
      rmSync(folder, { recursive: true });
    },
  };
}

tableContract('wp-email-queue (embedded)', bench);

it('reads headers of each kind as on the server: none, a list, an object, one line, and what is no JSON', async () => {
  const { db, table, close } = await bench();
  const read = async (headers: string | null) => {
    const { insertId } = await db.run(
      "INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES ('a@example.test', 'Olá', x'c3a9', ?)",
      [headers],
    );
    const row = await look(table, db, String(insertId));
    return readMail({
      payload: String(row?.['payload']),
      sender: { name: '', address: 'shop@example.test' },
      attachmentDir: null,
      deliveredTo: [],
    });
  };
  expect(await read(null)).toMatchObject({ ok: true, mail: { message: 'é', headers: [] } });
  for (const headers of [
    '["Reply-To: b@example.test"]',
    '{"0":"Reply-To: b@example.test"}',
    '"Reply-To: b@example.test"',
  ])
    expect(await read(headers), headers).toMatchObject({
      ok: true,
      mail: { replyTo: [{ address: 'b@example.test' }] },
    });
  expect(await read('Reply-To: b@example.test')).toMatchObject({ ok: false });
  await close();
});
