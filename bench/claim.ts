/** Grant + claim at 100 and 50,000 pending rows of 8 KB: the median must stay flat and below 5 ms. */
import { randomUUID } from 'node:crypto';
import { decide, windowsOf } from '../src-main/engine/gate.ts';
import { grantAndClaim } from '../src-main/queue/claim.ts';
import { openPlace } from '../src-main/queue/place.ts';
import { applySchema } from '../src-main/queue/schema.ts';
import { writeValue } from '../src-main/queue/settings-table.ts';
import { openMysql } from '../src-main/shop/mysql.ts';
import { makeDatabase, startMariadb } from '../test/support/mariadb.ts';
import { median } from './run.ts';

const claims = 200;

export async function grantAndClaimTimes(): Promise<void> {
  const server = await startMariadb({ durable: true });
  console.log('| grant + claim, ms | median | slowest of 200 |');
  console.log('| --- | --- | --- |');
  for (const rows of [100, 50_000]) {
    const database = await makeDatabase(server);
    const db = openMysql(database);
    const place = await openPlace(db, database.tablePrefix);
    await applySchema(place);
    await writeValue(place, 'state', 'enabled');
    const payload = JSON.stringify({
      to: 'a@example.test',
      subject: 's',
      message: 'x'.repeat(8000),
      headers: '',
      attachments: [],
    });
    for (let at = 0; at < rows + claims; at += 500) {
      await db.run(
        `INSERT INTO ${place.t.queue} (recipient, subject, payload, scheduled_at, created_at) VALUES ${Array.from({ length: 500 }, () => '(?, ?, ?, 1, 1)').join(', ')}`,
        Array.from({ length: 500 }, () => ['a@example.test', 's', payload]).flat(),
      );
    }
    const times: number[] = [];
    for (let n = 0; n < claims; n += 1) {
      const start = performance.now();
      const answer = await grantAndClaim(place, {
        consoleId: randomUUID(),
        most: 1,
        read: () => ({ ok: true, recipients: 1 }),
        newMessageId: () => `<${randomUUID()}@example.test>`,
        newClaimId: randomUUID,
        windows: (settings) => windowsOf(settings, false),
        // the minute's gate would space the claims: the distance is taken out, the counting stays
        decide: (facts, started) =>
          decide(
            { ...facts, pace: { ...facts.pace, lastStartMs: 0 }, used: { ...facts.used, minute: 0 } },
            started,
            1,
            false,
          ),
      });
      if (answer.claims.length !== 1) throw new Error(`Expected 1 claim, got ${answer.claims.length}`);
      times.push(performance.now() - start);
    }
    await db.close();
    console.log(
      `| ${rows} pending rows of 8 KB | ${median(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} |`,
    );
  }
  await server.remove();
}
