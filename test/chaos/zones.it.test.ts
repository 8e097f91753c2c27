/** Nights on which clocks are set: database server, shop and console in three zones (promise 9). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MariadbServer } from '../support/mariadb.ts';

let server: MariadbServer;
const zone = process.env['TZ'];

beforeAll(async () => {
  // read when the support file is loaded: the server's own zone
  process.env['TZ'] = 'Europe/Prague';
  const { startMariadb } = await import('../support/mariadb.ts');
  server = await startMariadb({ args: ['--default-time-zone=SYSTEM'] });
  process.env['TZ'] = 'America/New_York';
});

afterAll(async () => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
  await server?.remove();
});

/** s since 1970, and what a clock in Prague shows */
const moments = [
  ['2026-03-29T00:59:59Z', '01:59:59, the last second before the hour that is left out'],
  ['2026-03-29T01:00:00Z', '03:00:00, the first one after it'],
  ['2026-10-25T00:30:00Z', '02:30:00, for the first time'],
  ['2026-10-25T01:30:00Z', '02:30:00, for the second time'],
] as const;

describe('a night on which clocks are set', () => {
  it.each(moments)('stamps %s (in Prague %s) as what it is', async (moment) => {
    const { makeShop } = await import('../support/shop.ts');
    const at = Date.parse(moment) / 1000;
    await server.admin(`SET GLOBAL init_connect = 'SET timestamp = ${at}'`);
    const shop = await makeShop({ server });
    try {
      expect(await shop.now()).toBe(at);
      const due = await shop.insert();
      const later = await shop.insert({ scheduled_at: at + 1 });
      const console = await shop.open({ uncapped: true });
      await console.startDraining();
      await shop.smtp.waitForMails(1);
      await expect.poll(async () => (await shop.rows('id = ?', [due]))[0]?.['state']).toBe('sent');
      expect((await shop.rows('id = ?', [due]))[0]).toMatchObject({
        sent_at: at,
        scheduled_at: at,
        created_at: at,
      });
      expect((await shop.rows('id = ?', [later]))[0]).toMatchObject({ state: 'pending' });
      const [line] = await shop.db.query('SELECT * FROM wp_studiou_wcmq_attempts');
      expect(line).toMatchObject({ started_ms: at * 1000, body_ms: at * 1000, finished_ms: at * 1000 });
      expect((await console.desk.status()).now).toBe(at);
    } finally {
      await shop.close();
    }
  });
});
