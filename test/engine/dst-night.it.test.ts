/**
 * The nights in which Prague's clock is changed, lived through by the real engine over shops' own tables whose times are
 * DATETIME in that zone. The database server has a clock of its own (libfaketime): 03:00 becomes 02:00, or 02:00 becomes 03:00,
 * while rows wait and leave. Neither order nor cap may change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { openShop } from '../../src-main/boot.ts';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { loadPrague } from '../queue/shapes/table-contract.ts';
import { makeDatabase, startMariadb } from '../support/mariadb.ts';
import { makeShapeShop } from '../support/shape-shop.ts';

const zone = 'Europe/Prague';
/** UTC: at 01:00 clocks go from 03:00 back to 02:00 in autumn, from 02:00 on to 03:00 in spring */
const nights = [
  ['autumn, 03:00 becomes 02:00', Date.UTC(2026, 9, 25, 1, 0, 0) / 1000, ['02:59:5', '02:00:0']],
  ['spring, 02:00 becomes 03:00', Date.UTC(2027, 2, 28, 1, 0, 0) / 1000, ['01:59:5', '03:00:0']],
] as const;
/** s of the night before the change: the engine starts within them */
const before = 9;
const intervalMs = 1_000;

const due = {
  'wp-email-queue': ['wp_email_queue', 'proxima_tentativa', 'processando'],
  jobs: ['jobs', 'available_at', null],
  'email-jobs': ['email_jobs', 'available_at', 'processing'],
} as const;

// each waits for its own server's clock most of the time
describe.concurrent.each(nights)('%s', (_night, changeS, [clockBefore, clockAfter]) => {
  it.concurrent.for(['wp-email-queue', 'jobs', 'email-jobs'] as const)(
    '%s',
    async (shape, { expect, onTestFinished }) => {
      const server = await startMariadb({ startsAt: changeS - before });
      onTestFinished(() => server.remove());
      await loadPrague(server);
      const database: ServerDatabase = await makeDatabase(server);
      const db = openMysql(database, { onSessionSql: [`SET time_zone = '${zone}'`] });
      const clock = async () =>
        String((await db.query<{ at: string }>("SELECT DATE_FORMAT(NOW(), '%H:%i:%s') AS at"))[0]?.at);
      const made = await makeShapeShop({
        shape,
        booksInShop: true,
        database,
        profile: {
          uncapped: false,
          settings: { rate_per_minute: 60 },
          layout: { columns: {}, timeZone: zone, books: null },
        },
      });
      onTestFinished(() => made.close());
      const [table, column] = due[shape];
      const dueIn = async (to: string, seconds: number) => {
        const id = await made.put(to);
        await db.run(`UPDATE ${table} SET ${column} = NOW() + INTERVAL ? SECOND WHERE id = ?`, [seconds, id]);
      };
      expect(await clock()).toContain(clockBefore);

      // what was due before the change, the oldest first though it came last, and more than leave until then
      const expected: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        await made.put(`early${n}@example.test`);
        expected.push(`early${n}@example.test`);
      }
      const opened = await openShop(made.profile, { stateDir: made.stateDir, name: 'night', version: '0' });
      await opened.desk.saveSettings({ rate_per_minute: 60 });
      await opened.startDraining();
      try {
        while (!(await clock()).startsWith(clockAfter)) await sleep(100);
        // what the shop writes after the change: one for now, one for later
        await dueIn('later@example.test', 4);
        await made.put('after@example.test');
        const written = performance.now();
        await expect.poll(() => made.smtp.mails.length, { timeout: 30_000, interval: 100 }).toBe(14);
        expect(performance.now() - written).toBeGreaterThan(3_500);
      } finally {
        await opened.close();
        await db.close();
      }
      const arrived = made.smtp.mails.map(({ to }) => to[0]);
      expect(arrived.slice(0, 12)).toEqual(expected);
      expect(new Set(arrived)).toEqual(new Set([...expected, 'later@example.test', 'after@example.test']));
      const stamps = made.smtp.mails.map(({ at }) => at);
      // the receiving side's own stamps, with a little for this machine's scheduling
      for (const [at, stamp] of stamps.entries())
        if (at > 0) expect(stamp - (stamps[at - 1] ?? 0)).toBeGreaterThan(intervalMs - 150);
    },
  );
});
