import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Database, Queryable } from '../../src-main/shop/database.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase, sharedMariadb, startMariadb } from '../support/mariadb.ts';
import { databaseContract } from './database-contract.ts';

databaseContract('mysql', async () => openMysql(await makeDatabase(await sharedMariadb())));

let server: MariadbServer;
let config: ServerDatabase;
let db: Database;
const _connectionId = async (on: Queryable) =>
  (await on.query<{ id: number }>('SELECT CONNECTION_ID() AS id'))[0]?.id;

beforeAll(async () => {
  server = await startMariadb();
  config = await makeDatabase(server, undefined);
  db = openMysql(config);
  await db.run('CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE=InnoDB');
  await db.run('INSERT INTO t VALUES (1, 0), (2, 0)');
});
afterAll(async () => {
  await db.close();
  await server.remove();
});

describe('a session', () => {
  test('is set explicitly, whatever the server holds for normal', async () => {
    expect(
      await db.query(
        `SELECT @@time_zone AS zone, @@character_set_client AS client, @@character_set_results AS results, @@tx_isolation AS isolation,
           @@wait_timeout AS idle, @@idle_transaction_timeout AS idle_transaction, @@innodb_lock_wait_timeout AS lock_wait,
           @@max_statement_time AS statement_time, @@autocommit AS autocommit`,
      ),
    ).toEqual([
      {
        zone: '+00:00',
        client: 'utf8mb4',
        results: 'utf8mb4',
        isolation: 'READ-COMMITTED',
        idle: 20,
        idle_transaction: 5,
        lock_wait: 10,
        statement_time: 0,
        autocommit: 1,
      },
    ]);
    const [row] = await db.query<{ mode: string }>('SELECT @@sql_mode AS mode');
    for (const mode of ['STRICT_TRANS_TABLES', 'NO_ENGINE_SUBSTITUTION', 'ERROR_FOR_DIVISION_BY_ZERO'])
      expect(row?.mode).toContain(mode);
    expect(row?.mode).not.toContain('NO_BACKSLASH_ESCAPES');
  });

  test('text keeps even a NUL', async () => {
    expect(await db.query('SELECT ? AS s', ['before\0after'])).toEqual([{ s: 'before\0after' }]);
  });

  test('big numbers keep every digit; times and JSON are text', async () => {
    expect(
      await db.query(
        "SELECT 9007199254740993 AS big, 42 AS small, CAST('2026-01-02 03:04:05' AS DATETIME) AS at",
      ),
    ).toEqual([{ big: '9007199254740993', small: 42, at: '2026-01-02 03:04:05' }]);
  });

  test('knows what the server can do; SKIP LOCKED as a fact and as a behaviour', async () => {
    const can = await db.capabilities();
    expect(can.version).toMatch(/^10\.\d+\.\d+-MariaDB/);
    expect(can.skipLocked).toBe(true);
    await db.transaction(async (tx) => {
      await tx.query('SELECT id FROM t WHERE id = 1 FOR UPDATE');
      const others = await db.query<{ id: number }>('SELECT id FROM t FOR UPDATE SKIP LOCKED');
      expect(others.map((row) => row.id)).toEqual([2]);
    });
  });

  test('takes one statement at a time, and reads no files of this machine', async () => {
    await expect(db.query('SELECT 1; SELECT 2')).rejects.toMatchObject({ errno: 1064 });
    await expect(db.run("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t")).rejects.toThrow();
    expect(await db.query('SELECT COUNT(*) AS n FROM t')).toEqual([{ n: 2 }]);
  });

  test('own statements of the caller run on each connection', async () => {
    const own = openMysql(config, { onSessionSql: ["SET @tag = 'postroom'"] });
    expect(await own.query('SELECT @tag AS tag')).toEqual([{ tag: 'postroom' }]);
    await own.close();
  });

  test('is REPEATABLE READ where a statement binlog refuses writes otherwise (error 1665)', async () => {
    const strict = await startMariadb({ args: ['--log-bin', '--binlog-format=STATEMENT'] });
    const own = openMysql(await makeDatabase(strict));
    try {
      await own.run('CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB');
      expect((await own.transaction((tx) => tx.run('INSERT INTO t VALUES (1)'))).matched).toBe(1);
      expect(await own.query('SELECT @@tx_isolation AS i')).toEqual([{ i: 'REPEATABLE-READ' }]);
    } finally {
      await own.close();
      await strict.remove();
    }
  });
});

describe('TLS', () => {
  test('verified against the CA that is given, by name too; not verified only when told so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-tls-'));
    const make = (name: string, san: string) => {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
      const args = [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        `/CN=${name}`,
        '-addext',
        `subjectAltName=${san}`,
      ];
      execFileSync('openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'pipe' });
      return { key, cert };
    };
    const right = make('right', 'IP:127.0.0.1');
    const other = make('other', 'DNS:db.example');
    const secure = await startMariadb({ args: [`--ssl-cert=${right.cert}`, `--ssl-key=${right.key}`] });
    const elsewhere = await startMariadb({ args: [`--ssl-cert=${other.cert}`, `--ssl-key=${other.key}`] });
    const attempt = async (on: MariadbServer, tls: ServerDatabase['tls']) => {
      const own = openMysql({ ...(await makeDatabase(on)), tls });
      const cipher = await own.query<{ Value: string }>("SHOW STATUS LIKE 'Ssl_cipher'").then(
        (rows) => rows[0]?.Value,
        (error: unknown) => error,
      );
      await own.close();
      return cipher;
    };
    try {
      expect(await attempt(secure, { ca: right.cert, verify: true })).toMatch(/^TLS_/);
      expect(await attempt(secure, { verify: false })).toMatch(/^TLS_/);
      const untrusted = { code: 'unreachable', message: expect.stringContaining('could not be trusted') };
      expect(await attempt(secure, true)).toMatchObject(untrusted);
      expect(await attempt(elsewhere, { ca: other.cert, verify: true })).toMatchObject(untrusted);
      expect(await attempt(server, true)).toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('offers no TLS'),
      });
      await expect(attempt(secure, { ca: join(folder, 'none'), verify: true })).rejects.toMatchObject({
        code: 'config',
      });
    } finally {
      await secure.remove();
      await elsewhere.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('errors in words', () => {
  const attempt = async (change: Partial<ServerDatabase>) => {
    const own = openMysql({ ...config, ...change }, { connectMs: 1_000 });
    const error = await own.ping().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    await own.close();
    expect(JSON.stringify([error, String(error), (error as { detail?: string }).detail])).not.toContain(
      change.password ?? config.password,
    );
    return error;
  };

  test('wrong password, wrong user, no right on the database, no such database', async () => {
    expect(await attempt({ password: 'secret-but-wrong' })).toMatchObject({
      code: 'login',
      message: expect.stringContaining('refused the login'),
    });
    expect(await attempt({ password: null })).toMatchObject({ code: 'login' });
    expect(await attempt({ user: 'nobody' })).toMatchObject({ code: 'login' });
    expect(await attempt({ database: 'mysql' })).toMatchObject({
      code: 'login',
      message: expect.stringContaining('database'),
    });
    const admin = await makeDatabase(server);
    await server.admin(`GRANT ALL ON *.* TO '${admin.user}'@'127.0.0.1'`);
    expect(await attempt({ ...admin, database: 'not_there' })).toMatchObject({
      code: 'login',
      message: expect.stringContaining('no database'),
    });
  });

  test('nobody listens, no such name, no answer', async () => {
    expect(await attempt({ port: 1 })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('refused'),
    });
    expect(await attempt({ host: 'shop.invalid' })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('name'),
    });
    await server.freeze();
    try {
      expect(await attempt({})).toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('1 s'),
      });
    } finally {
      server.thaw();
    }
  });

  test('a right that lacks', async () => {
    const modest = openMysql(await makeDatabase(server, config.database, { rights: 'modest' }));
    expect((await modest.run('UPDATE t SET n = n')).matched).toBe(2);
    await expect(modest.run('CREATE TABLE x (id INT)')).rejects.toMatchObject({ code: 'rights' });
    await modest.close();
  });

  test('what speaks of the statement stays the driver’s error, without the values', async () => {
    const error = await db.run('INSERT INTO t VALUES (?, ?)', [1, 424242]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ errno: 1062, sql: 'INSERT INTO t VALUES (?, ?)' });
    expect(isConnectionLoss(error)).toBe(false);
  });

  test('too many connections', async () => {
    const crowd = await startMariadb({ args: ['--max-connections=10', '--extra-max-connections=1'] });
    const own = await makeDatabase(crowd);
    await crowd.admin(`ALTER USER '${own.user}'@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1`);
    const first = openMysql(own);
    const second = openMysql(own);
    try {
      await first.ping();
      const error = await second.ping().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('no more connections'),
      });
      expect(isConnectionLoss(error)).toBe(true);
    } finally {
      await first.close();
      await second.close();
      await crowd.remove();
    }
  });
});
