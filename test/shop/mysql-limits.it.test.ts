/** What a server refuses for a while or for good: connections, writes, large statements, a login. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase, startMariadb } from '../support/mariadb.ts';

let server: MariadbServer;
let other: MariadbServer;
let config: ServerDatabase;
beforeAll(async () => {
  [server, other] = await Promise.all([
    startMariadb({ args: ['--max-allowed-packet=2M', '--max-connections=10'] }),
    startMariadb(),
  ]);
  config = await makeDatabase(server);
});
afterAll(() => Promise.all([server.remove(), other.remove()]));

test('a statement above max_allowed_packet is refused here, and the connection goes on', async () => {
  const db = openMysql(config, { poolSize: 1 });
  const [first] = await db.query<{ id: number }>('SELECT CONNECTION_ID() AS id');
  for (const value of ['x'.repeat(3_000_000), '\\'.repeat(1_100_000), new Uint8Array(1_100_000)]) {
    await expect(db.query('SELECT LENGTH(?)', [value])).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/max_allowed_packet \(\d\.\d MB, allowed are 2\.0 MB\)/),
    });
  }
  expect(await db.query('SELECT LENGTH(?) AS n', ['ü'.repeat(900_000)])).toEqual([{ n: 1_800_000 }]);
  expect(await db.query('SELECT CONNECTION_ID() AS id')).toEqual([first]);
  await db.close();
});

test('an account with room for one connection: the others wait for it', async () => {
  const narrow = await makeDatabase(server);
  await server.admin(`ALTER USER '${narrow.user}'@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1`);
  const db = openMysql(narrow);
  await db.ping();
  const all = Array.from({ length: 5 }, (_, n) => db.query('SELECT SLEEP(0.05), ? AS n', [n]));
  expect((await Promise.all(all)).map((rows) => rows[0]?.n)).toEqual([0, 1, 2, 3, 4]);
  await db.close();
});

test('no connection left at all: a reason to wait, in plain words', async () => {
  const greedy = Array.from({ length: 11 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
  await sleep(200);
  const db = openMysql(config);
  await expect(db.ping()).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('takes no more connections at the moment'),
  });
  for (const socket of greedy) socket.destroy();
  await expect
    .poll(() =>
      db.ping().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await db.close();
});

test('a failover: who meets a read-only server leaves it with all connections, and finds the new primary', async () => {
  const there = await makeDatabase(other, config.database);
  await other.admin(`RENAME USER '${there.user}'@'127.0.0.1' TO '${config.user}'@'127.0.0.1'`);
  await other.admin(`SET PASSWORD FOR '${config.user}'@'127.0.0.1' = PASSWORD(${quoted(config.password)})`);
  let primary = server;
  // as a name that a failover points at another server
  const db = openMysql(config, { stream: () => connect(primary.port, '127.0.0.1') });
  await db.run('CREATE TABLE moved (n INT)');
  await other.admin(`CREATE TABLE \`${config.database}\`.moved (n INT)`);
  await Promise.all(Array.from({ length: 4 }, () => db.query('SELECT SLEEP(0.05)')));
  await server.admin('SET GLOBAL read_only = 1');
  primary = other;
  try {
    await expect(db.run('INSERT INTO moved VALUES (1)')).rejects.toMatchObject({ code: 'unreachable' });
    for (let n = 2; n < 5; n += 1)
      expect(await db.run('INSERT INTO moved VALUES (?)', [n])).toMatchObject({ matched: 1 });
    expect(await other.admin(`SELECT COUNT(*) AS n FROM \`${config.database}\`.moved`)).toEqual([{ n: 3 }]);
  } finally {
    await server.admin('SET GLOBAL read_only = 0');
    await db.close();
  }
});

test('a refused login is not tried again at once, unless a person asks', async () => {
  const db = openMysql({ ...config, password: 'wrong' });
  const refusals = async () =>
    Number((await server.admin("SHOW GLOBAL STATUS LIKE 'Access_denied_errors'"))[0]?.Value);
  const before = await refusals();
  for (let n = 0; n < 20; n += 1) await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'login' });
  expect((await refusals()) - before).toBe(1);
  await expect(db.ping()).rejects.toMatchObject({ code: 'login' });
  expect((await refusals()) - before).toBe(2);
  await db.close();
});

const quoted = (text: string | null): string => `'${(text ?? '').replace(/[\\']/g, '\\$&')}'`;
