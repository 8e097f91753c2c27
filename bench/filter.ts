/**
 * A filter of the window's list over 50,000 rows: its first page and the counts of all tabs, asked at once as the window asks.
 * The server's memory holds the table, as that of a shop that is in use does. Payloads of 3 KB lie within their rows, so that a walk over the table drags them along; those of 30 KB lie beside them.
 */
import type { RowFilter } from '../src-main/contract/rows.ts';
import { Counting } from '../src-main/engine/counting.ts';
import { listRows } from '../src-main/queue/browse.ts';
import { openPlace, type Place } from '../src-main/queue/place.ts';
import { applySchema } from '../src-main/queue/schema.ts';
import { openMysql } from '../src-main/shop/mysql.ts';
import { makeDatabase, startMariadb } from '../test/support/mariadb.ts';
import { median } from './run.ts';

const count = 50_000;
const rounds = 9;

const filters: [name: string, filter: RowFilter][] = [
  ['all', {}],
  ['state: waiting', { state: 'pending' }],
  ['in doubt', { state: 'failed', in_doubt: true }],
  ['mail type', { context: 'customer_note' }],
  ['domain', { domain: 'shop7.example' }],
  ['order', { order_id: 12_345 }],
  ['day of writing', { created_from: 1_760_000_000, created_to: 1_760_086_400 }],
  ['day of sending', { sent_from: 1_760_000_000, sent_to: 1_760_086_400 }],
  ['text that many have', { search: 'order' }],
  ['text that one has', { search: 'customer31234@' }],
  ['text that none has', { search: 'nobody at all' }],
  ['text and state', { state: 'sent', search: 'customer3123' }],
];

export async function filterTimes(): Promise<void> {
  const server = await startMariadb({ durable: true, args: ['--innodb-buffer-pool-size=512M'] });
  console.log(`| a filter over ${count} rows | 3 KB payloads, ms | 30 KB payloads, ms |`);
  console.log('| --- | --- | --- |');
  const places = [await filled(server, 3_000), await filled(server, 30_000)];
  for (const [name, filter] of filters) {
    const cells: string[] = [];
    for (const place of places) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now();
        const counting = new Counting(place);
        await Promise.all([
          listRows(place, { filter, limit: 200, offset: 0 }, () => counting.of(filter)),
          counting.of(filter),
        ]);
        times.push(performance.now() - began);
      }
      cells.push(`${median(times).toFixed(0)} (${Math.max(...times).toFixed(0)})`);
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  for (const place of places) await place.db.close();
  await server.remove();
}

/** 50,000 rows of a shop that has sold for weeks: most are sent, some wait, a few failed. */
export async function filled(
  server: Awaited<ReturnType<typeof startMariadb>>,
  bytes: number,
): Promise<Place> {
  const database = await makeDatabase(server);
  const db = openMysql(database);
  const place = await openPlace(db, database.tablePrefix);
  await applySchema(place);
  const message = 'x'.repeat(bytes);
  for (let at = 0; at < count; at += 250) {
    const rows = Array.from({ length: 250 }, (_, i) => at + i);
    await db.run(
      `INSERT INTO ${place.t.queue} (context, title, order_id, recipient, subject, payload, state, in_doubt, scheduled_at, created_at, sent_at)
       VALUES ${rows.map(() => "(?, 'Mail', ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(', ')}`,
      rows.flatMap((n) => {
        const state = n % 100 === 0 ? 'failed' : n % 10 === 1 ? 'pending' : 'sent';
        const written = 1_758_000_000 + n * 60;
        const to = `customer${n}@shop${n % 40}.example`;
        return [
          n % 5 === 0 ? 'customer_note' : 'customer_completed_order',
          n,
          to,
          `Your order #${n} is complete`,
          JSON.stringify({ to, message }),
          state,
          n % 1_000 === 0 ? 1 : 0,
          written,
          written,
          state === 'sent' ? written + 60 : null,
        ];
      }),
    );
  }
  await db.query(`ANALYZE TABLE ${place.t.queue}`);
  return place;
}
