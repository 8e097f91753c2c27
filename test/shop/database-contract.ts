import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database, Queryable } from '../../src-main/shop/database.ts';

/** What both drivers must do alike; `open` gives a fresh, empty database. */
export function databaseContract(name: string, open: () => Promise<Database>): void {
  describe(`database contract: ${name}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      const id =
        db.dialect === 'mysql' ? 'BIGINT PRIMARY KEY AUTO_INCREMENT' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
      const binary = db.dialect === 'mysql' ? 'LONGBLOB' : 'BLOB';
      await db.run(`CREATE TABLE t (id ${id}, n BIGINT NULL, s TEXT NULL, b ${binary} NULL, f DOUBLE NULL)`);
    });
    beforeEach(async () => {
      await db.run('DELETE FROM t');
    });
    afterAll(async () => {
      await db.close();
    });

    test('values come back as they went in', async () => {
      const hostile = `O'Brien "x" \\ \\' ? ?? %s \r\n \u2028 Žluťoučký kůň 💌`;
      await db.run('INSERT INTO t (n, s, b, f) VALUES (?, ?, ?, ?)', [
        Number.MAX_SAFE_INTEGER,
        hostile,
        new Uint8Array([0, 39, 92, 255]),
        1.5,
      ]);
      await db.run('INSERT INTO t (n, s) VALUES (?, ?)', [-1, '']);
      await db.run('INSERT INTO t (n, s) VALUES (?, ?)', [null, null]);
      const rows = await db.query<{ n: number; s: string; b: Uint8Array | null; f: number | null }>(
        'SELECT n, s, b, f FROM t ORDER BY id',
      );
      expect(rows[0]?.n).toBe(Number.MAX_SAFE_INTEGER);
      expect(rows[0]?.s).toBe(hostile);
      expect([...(rows[0]?.b ?? [])]).toEqual([0, 39, 92, 255]);
      expect(rows[0]?.b).toBeInstanceOf(Uint8Array);
      expect(rows[0]?.f).toBe(1.5);
      expect(rows[1]).toMatchObject({ n: -1, s: '', b: null, f: null });
      expect(rows[2]).toMatchObject({ n: null, s: null });
    });

    test('booleans are 1 and 0; what no column holds is refused before it is sent', async () => {
      await db.run('INSERT INTO t (n, s) VALUES (?, ?)', [true, 'yes']);
      await db.run('INSERT INTO t (n, s) VALUES (?, ?)', [false, 'no']);
      expect(await db.query('SELECT n FROM t WHERE n = ?', [true])).toEqual([{ n: 1 }]);
      expect(await db.query('SELECT n FROM t WHERE n = ?', [false])).toEqual([{ n: 0 }]);
      for (const bad of [undefined, Number.NaN, { toSqlString: () => '1 OR 1=1' }, ['a', 'b']]) {
        await expect(db.query('SELECT * FROM t WHERE n = ?', [bad as never])).rejects.toThrow(TypeError);
      }
    });

    test('numbers stay whole numbers: LIMIT, division, sums and counts', async () => {
      for (let n = 1; n <= 5; n++) await db.run('INSERT INTO t (n) VALUES (?)', [n]);
      expect(await db.query('SELECT n FROM t ORDER BY n LIMIT ? OFFSET ?', [2, 1])).toEqual([
        { n: 2 },
        { n: 3 },
      ]);
      expect(await db.query('SELECT SUM(n) AS s, COUNT(*) AS c, MAX(n) AS m FROM t')).toEqual([
        { s: 15, c: 5, m: 5 },
      ]);
      expect(await db.query('SELECT n % ? AS r FROM t WHERE n = ?', [2, 5])).toEqual([{ r: 1 }]);
    });

    test('matched counts rows that the WHERE matched, changed or not; insertId is the first one', async () => {
      const first = await db.run('INSERT INTO t (n) VALUES (?), (?), (?)', [1, 2, 3]);
      expect(first.matched).toBe(3);
      const [row] = await db.query<{ id: number }>('SELECT MIN(id) AS id FROM t');
      expect(first.insertId).toBe(row?.id);
      expect(await db.run('UPDATE t SET n = n')).toEqual({ matched: 3, insertId: 0 });
      expect(await db.run('UPDATE t SET n = 9 WHERE n = ?', [77])).toEqual({ matched: 0, insertId: 0 });
      expect((await db.run('DELETE FROM t WHERE n < ?', [3])).matched).toBe(2);
    });

    test('a transaction is seen by others only when it is committed, and not at all when it throws', async () => {
      await db.transaction(async (tx) => {
        await tx.run('INSERT INTO t (n) VALUES (1)');
        expect(await tx.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
      });
      await expect(
        db.transaction(async (tx) => {
          await tx.run('INSERT INTO t (n) VALUES (2)');
          throw new Error('changed my mind');
        }),
      ).rejects.toThrow('changed my mind');
      expect(await db.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
    });

    test('a statement beside an open transaction is not part of it', async () => {
      let beside: Promise<unknown> = Promise.resolve();
      let go: () => void = () => {};
      const inside = new Promise<void>((resolve) => {
        go = resolve;
      });
      const rolledBack = db.transaction(async (tx) => {
        await tx.run('INSERT INTO t (n) VALUES (1)');
        go();
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error('no');
      });
      await inside;
      beside = db.run('INSERT INTO t (n) VALUES (2)');
      await expect(rolledBack).rejects.toThrow('no');
      await beside;
      expect(await db.query('SELECT n FROM t')).toEqual([{ n: 2 }]);
    });

    test('an error inside that is caught leaves the rest of the transaction standing', async () => {
      await db.run('INSERT INTO t (id, n) VALUES (1000, 1)');
      await db.transaction(async (tx) => {
        await tx.run('INSERT INTO t (n) VALUES (5)');
        await expect(tx.run('INSERT INTO t (id, n) VALUES (1000, 2)')).rejects.toThrow(/duplicate|unique/i);
        await tx.run('INSERT INTO t (n) VALUES (6)');
      });
      expect(await db.query('SELECT n FROM t ORDER BY n')).toEqual([{ n: 1 }, { n: 5 }, { n: 6 }]);
    });

    test('a transaction cannot be used after its end', async () => {
      let kept: Queryable | null = null;
      await db.transaction(async (tx) => {
        kept = tx;
      });
      await expect((kept as unknown as Queryable).run('INSERT INTO t (n) VALUES (1)')).rejects.toThrow(
        'ended',
      );
      expect(await db.query('SELECT n FROM t')).toEqual([]);
    });

    test('twenty counters at once: every transaction counts once', async () => {
      await db.run('INSERT INTO t (id, n) VALUES (1, 0)');
      const lock = db.dialect === 'mysql' ? ' FOR UPDATE' : '';
      await Promise.all(
        Array.from({ length: 20 }, () =>
          db.transaction(async (tx) => {
            const [row] = await tx.query<{ n: number }>(`SELECT n FROM t WHERE id = 1${lock}`);
            await tx.run('UPDATE t SET n = ? WHERE id = 1', [(row?.n ?? 0) + 1]);
          }),
        ),
      );
      expect(await db.query('SELECT n FROM t')).toEqual([{ n: 20 }]);
    });

    test('a table that changes under known statements', async () => {
      await db.run('CREATE TABLE u (a INTEGER)');
      await db.run('INSERT INTO u (a) VALUES (1)');
      expect(await db.query('SELECT * FROM u')).toEqual([{ a: 1 }]);
      await db.run('ALTER TABLE u ADD COLUMN b INTEGER DEFAULT 2');
      expect(await db.query('SELECT * FROM u')).toEqual([{ a: 1, b: 2 }]);
      await db.run('DROP TABLE u');
    });

    test('a missing table and a missing column are schema errors in words', async () => {
      await expect(db.query('SELECT * FROM not_there')).rejects.toMatchObject({ code: 'schema' });
      await expect(db.query('SELECT not_there FROM t')).rejects.toMatchObject({ code: 'schema' });
      await expect(db.run('INSERT INTO t (not_there) VALUES (1)')).rejects.toMatchObject({ code: 'schema' });
    });

    test('answers a ping, tells its version, and is shut after close', async () => {
      const own = await open();
      await own.ping();
      expect((await own.capabilities()).version).toMatch(/^(SQLite )?\d+\.\d+/);
      await own.close();
      await expect(own.query('SELECT 1')).rejects.toMatchObject({ code: 'stopped' });
    });
  });
}
