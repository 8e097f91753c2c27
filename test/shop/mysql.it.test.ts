import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { CommitUnknown, type Database, type Queryable } from '../../src-main/shop/database.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { type MariadbServer, makeDatabase, sharedMariadb, startMariadb } from '../support/mariadb.ts';
import { databaseContract } from './database-contract.ts';

databaseContract('mysql', async () => openMysql(await makeDatabase(await sharedMariadb())));

let server: MariadbServer;
let config: ServerDatabase;
let db: Database;
const connectionId = async (on: Queryable) =>
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

describe('when connections die', () => {
  test('an idle one that was killed is replaced unseen', async () => {
    const before = await connectionId(db);
    await server.admin(`KILL ${before}`);
    expect(await connectionId(db)).not.toBe(before);
    const next = await connectionId(db);
    await server.admin(`KILL ${next}`);
    expect((await db.transaction((tx) => tx.run('UPDATE t SET n = n'))).matched).toBe(2);
  });

  test('one that idled for long behind a dead network is asked first, and costs a ping and not a statement’s deadline', async () => {
    const proxy = await startDelayProxy(server.port);
    const own = openMysql({ ...config, port: proxy.port }, { connectMs: 300 });
    await own.ping();
    proxy.freezeOpen();
    const since = Date.now();
    const now = vi.spyOn(Date, 'now').mockImplementation(() => since + 16_000);
    try {
      expect((await own.run('UPDATE t SET n = n')).matched).toBe(2);
    } finally {
      now.mockRestore();
    }
    expect(Date.now() - since).toBeLessThan(5_000);
    await own.close();
    await proxy.close();
  });

  test('killed in the middle of a transaction: told as a loss, nothing of it remains, and the next works', async () => {
    const error = await db
      .transaction(async (tx) => {
        await tx.run('UPDATE t SET n = 99 WHERE id = 1');
        await server.admin(`KILL ${await connectionId(tx)}`);
        await tx.run('UPDATE t SET n = 99 WHERE id = 2').catch(() => {}); // even when the work looks away
      })
      .catch((thrown: unknown) => thrown);
    expect(isConnectionLoss(error)).toBe(true);
    expect(error).not.toBeInstanceOf(CommitUnknown);
    expect(await db.query('SELECT n FROM t')).toEqual([{ n: 0 }, { n: 0 }]);
  });

  test('killed just before COMMIT: nobody can know', async () => {
    const error = await db
      .transaction(async (tx) => {
        await tx.run('UPDATE t SET n = 99 WHERE id = 1');
        await server.admin(`KILL ${await connectionId(tx)}`);
      })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CommitUnknown);
    expect(isConnectionLoss(error)).toBe(true);
    expect(await db.query('SELECT n FROM t')).toEqual([{ n: 0 }, { n: 0 }]);
  });

  test('kill -9 of the server and its return', async () => {
    await Promise.all([db.ping(), db.ping(), db.ping()]);
    await server.kill();
    const error = await db.query('SELECT 1').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(isConnectionLoss(error)).toBe(true);
    await server.start();
    expect(await Promise.all(Array.from({ length: 6 }, () => db.query('SELECT 1 AS one')))).toHaveLength(6);
    expect((await db.run('UPDATE t SET n = n')).matched).toBe(2);
  });

  test('a frozen server costs one deadline, and not for ever', async () => {
    const own = openMysql(config, { deadlineMs: 300, connectMs: 300, poolSize: 2 });
    await own.ping();
    await server.freeze();
    try {
      const since = Date.now();
      await expect(own.query('SELECT 1')).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('0.3 s'),
      });
      await expect(own.transaction((tx) => tx.run('UPDATE t SET n = n'))).rejects.toMatchObject({
        code: 'unreachable',
      });
      expect(Date.now() - since).toBeLessThan(2_000);
    } finally {
      server.thaw();
    }
    expect((await own.run('UPDATE t SET n = n')).matched).toBe(2);
    await own.close();
  });

  test('the server ends a transaction that sleeps, so that it blocks nobody', async () => {
    const own = openMysql(config, { onSessionSql: ['SET SESSION idle_transaction_timeout = 1'] });
    const error = await own
      .transaction(async (tx) => {
        await tx.run('UPDATE t SET n = 5 WHERE id = 1');
        // another console waits for the row, and gets it
        expect((await db.run('UPDATE t SET n = 0 WHERE id = 1')).matched).toBe(1);
        await tx.run('UPDATE t SET n = 5 WHERE id = 2');
      })
      .catch((thrown: unknown) => thrown);
    expect(isConnectionLoss(error)).toBe(true);
    expect(await db.query('SELECT n FROM t')).toEqual([{ n: 0 }, { n: 0 }]);
    await own.close();
  });

  test('read-only server: a reason to wait, not a fault of the row', async () => {
    await server.admin('SET GLOBAL read_only = 1');
    try {
      const error = await db.run('UPDATE t SET n = n').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('read-only') });
    } finally {
      await server.admin('SET GLOBAL read_only = 0');
    }
    expect((await db.run('UPDATE t SET n = n')).matched).toBe(2);
  });
});

describe('transactions against each other', () => {
  test('a deadlock is run again until both are done', async () => {
    const runs = { a: 0, b: 0 };
    let meet = 0;
    let both: () => void = () => {};
    const met = new Promise<void>((resolve) => {
      both = resolve;
    });
    const add = (who: 'a' | 'b', first: number, second: number) =>
      db.transaction(async (tx) => {
        runs[who]++;
        await tx.run('UPDATE t SET n = n + 1 WHERE id = ?', [first]);
        if (++meet === 2) both();
        await met;
        await tx.run('UPDATE t SET n = n + 1 WHERE id = ?', [second]);
      });
    await Promise.all([add('a', 1, 2), add('b', 2, 1)]);
    expect(runs.a + runs.b).toBe(3);
    expect(await db.query('SELECT n FROM t')).toEqual([{ n: 2 }, { n: 2 }]);
    await db.run('UPDATE t SET n = 0');
  });

  test('a deadlock that the work swallows does not commit half of it', async () => {
    let runs = 0;
    const other = openMysql(config);
    await db.transaction(async (tx) => {
      runs++;
      await tx.run('UPDATE t SET n = n + 1 WHERE id = 1');
      if (runs > 1) return void (await tx.run('UPDATE t SET n = n + 1 WHERE id = 2'));
      let crossed: () => void = () => {};
      const second = new Promise<void>((resolve) => {
        crossed = resolve;
      });
      const rival = other.transaction(async (rivals) => {
        // ten rows' worth of writes make ours the cheaper victim
        await rivals.run('INSERT INTO t SELECT seq, 0 FROM seq_100_to_200');
        await rivals.run('UPDATE t SET n = n WHERE id = 2');
        crossed();
        await rivals.run('UPDATE t SET n = n WHERE id = 1');
        throw new Error('undo');
      });
      await second;
      await tx.run('UPDATE t SET n = n + 1 WHERE id = 2').catch(() => {});
      await rival.catch(() => {});
    });
    expect(runs).toBe(2);
    expect(await db.query('SELECT n FROM t')).toEqual([{ n: 1 }, { n: 1 }]);
    await db.run('UPDATE t SET n = 0');
    await other.close();
  });

  test('gives up after six runs', async () => {
    let runs = 0;
    await expect(
      db.transaction(async (tx) => {
        runs++;
        await tx.query("SIGNAL SQLSTATE '40001'");
      }),
    ).rejects.toMatchObject({ sqlState: '40001' });
    expect(runs).toBe(6);
  });

  test('leaves no transaction and no connection behind', async () => {
    const [row] = await server.admin('SELECT COUNT(*) AS n FROM information_schema.innodb_trx');
    expect(Number(row?.['n'])).toBe(0);
    await db.close();
    // the server notices a goodbye a moment after it was said
    await expect
      .poll(
        () => server.admin(`SELECT id FROM information_schema.processlist WHERE user = '${config.user}'`),
        { timeout: 2_000 },
      )
      .toEqual([]);
  });
});
