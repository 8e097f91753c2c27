import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { CommitUnknown, type Database, type Queryable } from '../../src-main/shop/database.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { type MariadbServer, makeDatabase, startMariadb } from '../support/mariadb.ts';

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
      const rival = other
        .transaction(async (rivals) => {
          // ten rows' worth of writes make ours the cheaper victim
          await rivals.run('INSERT INTO t SELECT seq, 0 FROM seq_100_to_200');
          await rivals.run('UPDATE t SET n = n WHERE id = 2');
          crossed();
          await rivals.run('UPDATE t SET n = n WHERE id = 1');
          throw new Error('undo');
        })
        // heard from the start: it may be undone before our own statement has its answer
        .catch(() => {});
      await second;
      await tx.run('UPDATE t SET n = n + 1 WHERE id = 2').catch(() => {});
      await rival;
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
