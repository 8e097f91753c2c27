/** The tables as the connector makes them, against those that the console makes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openShop } from '../../src-main/boot.ts';
import { readProfile } from '../../src-main/contract/profile.ts';
import { tableNames } from '../../src-main/queue/tables.ts';
import { makeSite, type Row, type Site } from './kit.ts';

let site: Site;
beforeAll(async () => {
  site = await makeSite();
});
afterAll(() => site?.close());

const tables = tableNames.map((name) => `wp_studiou_wcmq_${name}`);
const dropAll = async () => {
  for (const table of tables) await site.db.run(`DROP TABLE IF EXISTS ${table}`);
  await site.db.run("DELETE FROM wp_options WHERE option_name LIKE '%studiou_wcmq_db_version'");
};
const there = async () =>
  (
    await site.db.query<{ name: string }>(
      "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%wcmq%'",
    )
  )
    .map(({ name }) => name)
    .sort();

/** Columns and keys of all tables, as the database describes them. */
async function described(): Promise<Row[]> {
  const columns = await site.db.query(
    `SELECT TABLE_NAME AS t, COLUMN_NAME AS c, ORDINAL_POSITION AS at, COLUMN_TYPE AS type, IS_NULLABLE AS nullable, COLUMN_DEFAULT AS usual,
       CHARACTER_SET_NAME AS charset, EXTRA AS extra FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%wcmq%' ORDER BY t, at`,
  );
  const keys = await site.db.query(
    `SELECT TABLE_NAME AS t, INDEX_NAME AS k, SEQ_IN_INDEX AS at, COLUMN_NAME AS c, NON_UNIQUE AS n FROM information_schema.STATISTICS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%wcmq%' ORDER BY t, k, at`,
  );
  const engines = await site.db.query(
    "SELECT TABLE_NAME AS t, ENGINE AS e FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%wcmq%' ORDER BY t",
  );
  return [...columns, ...keys, ...engines];
}

async function consoleSchema(apply: boolean) {
  const profile = readProfile(
    {
      name: 'Shop',
      database: site.database,
      files: { root: site.filesRoot, via: 'local' },
      smtp: { host: '127.0.0.1', port: site.smtp.port, security: 'none' },
      from: 'shop@shop.example',
    },
    'test profile',
  );
  const shop = await openShop(profile, { stateDir: `${site.content}/state`, name: 'test', version: '0' });
  try {
    return await shop.desk.schema(apply);
  } finally {
    await shop.close();
  }
}

describe('the tables', () => {
  it('are made by the first request and are silent from then on', async () => {
    await dropAll();
    const [changes, again] = await site.run([['tables_dbdelta'], ['tables_dbdelta']]);
    expect(await there()).toEqual([...tables].sort());
    expect([changes, again]).toEqual([[], []]);
    expect(await site.db.query('SELECT id, last_start_ms FROM wp_studiou_wcmq_pace')).toEqual([
      { id: 1, last_start_ms: 0 },
    ]);
    // and nobody is made to queue: the state stands nowhere, which means disabled
    expect(await site.db.query('SELECT * FROM wp_studiou_wcmq_settings')).toEqual([]);
    expect(await site.run([['mail', { order: 5 }]])).toEqual([true]);
    expect(await site.rows()).toEqual([]);
  });

  it('are complete for the console after the connector made them', async () => {
    await dropAll();
    await site.run([]);
    const report = await consoleSchema(false);
    expect(report.statements).toEqual([]);
    expect(report.complete).toBe(true);
  });

  it('are the same that the console makes, and dbDelta finds nothing to change in those', async () => {
    await dropAll();
    await site.run([]);
    const byConnector = await described();
    await dropAll();
    await consoleSchema(true);
    expect(byConnector).toEqual(await described());
    expect(await site.run([['install'], ['tables_dbdelta']])).toEqual([[], []]);
    expect(await described()).toEqual(byConnector);
  });

  it('are completed where an older version lacks something', async () => {
    await site.run([]);
    await site.db.run('ALTER TABLE wp_studiou_wcmq_queue DROP COLUMN held_until, DROP KEY claim_order');
    await site.db.run(
      "UPDATE wp_options SET option_value = '0' WHERE option_name = 'studiou_wcmq_db_version'",
    );
    await site.run([]);
    expect((await consoleSchema(false)).complete).toBe(true);
    expect(await site.run([['read_option', 'studiou_wcmq_db_version']])).toEqual(['1']);
  });

  it('are made once by four requests at the same time', async () => {
    await dropAll();
    await Promise.all([1, 2, 3, 4].map(() => site.run([])));
    expect((await consoleSchema(false)).complete).toBe(true);
  });

  it('that cannot be made leave the shop as it is', async () => {
    await dropAll();
    const { user, database } = site.database;
    const admin = (await import('../support/mariadb.ts')).sharedMariadb();
    const grant = `ON \`${database.replaceAll('_', '\\_')}\`.* `;
    await (await admin).admin(`REVOKE CREATE ${grant} FROM '${user}'@'127.0.0.1'`);
    try {
      expect(await site.run([['mail', { order: 5 }]])).toEqual([true]);
      expect(await site.run([['read_option', 'studiou_wcmq_db_version']])).toEqual([null]);
      // and not every request tries again
      expect(await there()).toEqual([]);
      expect(await site.run([['read_option', '_transient_studiou_wcmq_db_version']])).toEqual(['1']);
    } finally {
      await (await admin).admin(`GRANT CREATE ${grant} TO '${user}'@'127.0.0.1'`);
    }
    await site.run([]);
    expect(await there()).toEqual([]);
    // the minute does
    await site.run([['tick']]);
    expect(await there()).toEqual([...tables].sort());
    expect(await site.run([['read_option', 'studiou_wcmq_db_version']])).toEqual(['1']);
  });
});

it('without WooCommerce nothing is done at all', async () => {
  await dropAll();
  const hooks = ['pre_wp_mail', 'admin_notices', 'cron_schedules', 'woocommerce_mail_callback'];
  const answers = await site.run(
    hooks.map((name): [string, string] => ['hooks', name]),
    { env: { SHOP_WOOCOMMERCE: 'none' }, define: { WP_ADMIN: true } },
  );
  expect(answers[0]).toBe(false);
  expect(answers[3]).toBe(false);
  expect(await there()).toEqual([]);
});
