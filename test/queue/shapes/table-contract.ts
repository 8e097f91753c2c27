/** What every shape's table must do, whatever its words are. Run over real databases. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RowState } from '../../../src-main/contract/rows.ts';
import { marks } from '../../../src-main/queue/dialect.ts';
import type { Move, Shape, ShopTable } from '../../../src-main/queue/shapes/shape.ts';
import type { Database, Queryable, SqlValue } from '../../../src-main/shop/database.ts';
import type { MariadbServer } from '../../support/mariadb.ts';
import { serverPath } from '../../support/ports.ts';

/** A row as a test puts it into the table with the shop's own words. */
export interface NewRow {
  /** default pending */
  state?: RowState;
  /** s from now at which it is due, negative = ago; default -60 */
  dueInS?: number;
  attempts?: number;
  /** s since it was written, or finished, as the table can tell; default 0 */
  ageS?: number;
}

/** One shape's tables in a fresh database. */
export interface TableBench {
  shape: Shape;
  table: ShopTable;
  db: Database;
  /** a second worker: its own connection and its own ShopTable; null where the database has one writer */
  other: { table: ShopTable; db: Database } | null;
  /** puts a row there by the shop's own means; answers its id */
  add(row?: NewRow): Promise<string>;
  clear(): Promise<void>;
  close(): Promise<void>;
  /** a finished row leaves the table (jobs) */
  sentVanishes?: boolean;
}

/** One row as the sources show it; null = in none of them. Fails where two show it. */
export async function look(
  table: ShopTable,
  db: Queryable,
  id: string,
): Promise<Record<string, SqlValue> | null> {
  const found: Record<string, SqlValue>[] = [];
  for (const source of table.sources)
    found.push(...(await db.query(`${source.select} WHERE ${source.id} = ?`, [id])));
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0] ?? null;
}

export function tableContract(name: string, open: () => Promise<TableBench>): void {
  describe(`the table of ${name}`, () => {
    let bench: TableBench;
    let table: ShopTable;
    let db: Database;
    beforeAll(async () => {
      bench = await open();
      ({ table, db } = bench);
    });
    afterAll(() => bench?.close());
    beforeEach(() => bench.clear());

    const stateOf = async (id: string) => (await look(table, db, id))?.['state'] ?? null;
    const attemptsOf = async (id: string) => Number((await look(table, db, id))?.['attempts']);
    const due = (limit = 100, not: string[] = []) => db.transaction((tx) => table.due(tx, limit, not));
    const claim = (...ids: string[]) => table.claim(db, ids, 900);
    const move = (id: string, more: Partial<Move> = {}): Move => ({
      id,
      attempts: 1,
      delayS: 0,
      reason: '451 later',
      ...more,
    });
    const addAll = async (n: number, row?: NewRow) => {
      const ids: string[] = [];
      for (let at = 0; at < n; at++) ids.push(await bench.add(row));
      return ids;
    };
    /** one row of each state that the table keeps */
    const oneOfEach = async () => ({
      pending: await bench.add(),
      sending: await bench.add({ state: 'sending' }),
      failed: await bench.add({ state: 'failed' }),
      ...(bench.sentVanishes ? {} : { sent: await bench.add({ state: 'sent' }) }),
    });

    it('answers due rows in their order, up to the limit, without those named', async () => {
      const ids = await addAll(5);
      await bench.add({ dueInS: 3600 });
      for (const state of ['sending', 'failed'] as const) await bench.add({ state });
      expect(await due()).toEqual(ids);
      expect(await due(2)).toEqual(ids.slice(0, 2));
      expect(await due(2, ids.slice(0, 3))).toEqual(ids.slice(3));
      expect(await due(100, ids)).toEqual([]);
      expect(await table.due(db, 3, [])).toEqual(ids.slice(0, 3));
    });

    it('tells when the first waiting row is due', async () => {
      expect(await table.nextDue(db)).toBeNull();
      await bench.add({ state: 'failed' });
      await bench.add({ state: 'sending' });
      expect(await table.nextDue(db)).toBeNull();
      const now = Date.now() / 1000;
      await bench.add({ dueInS: 3600 });
      expect(Math.abs(Number(await table.nextDue(db)) - now - 3600)).toBeLessThan(10);
      await bench.add();
      expect(Number(await table.nextDue(db))).toBeLessThanOrEqual(Date.now() / 1000);
    });

    it('claims waiting rows alone and answers which they were', async () => {
      const [a = '', b = ''] = await addAll(2);
      expect(await claim(a)).toEqual(new Set([a]));
      expect(await claim(a, b, '999999')).toEqual(new Set([b]));
      expect(await claim(a, b)).toEqual(new Set());
      expect(await table.claim(db, [], 900)).toEqual(new Set());
      expect(await stateOf(a)).toBe('sending');
      expect(await due()).toEqual([]);
      const each = await oneOfEach();
      expect(await claim(...Object.values(each))).toEqual(new Set([each.pending]));
    });

    it('claims in the transaction that read what is due', async () => {
      const ids = await addAll(3);
      const taken = await db.transaction(async (tx) => table.claim(tx, await table.due(tx, 2, []), 900));
      expect(taken).toEqual(new Set(ids.slice(0, 2)));
      await expect(
        db.transaction(async (tx) => {
          await table.claim(tx, await table.due(tx, 2, []), 900);
          throw new Error('changed its mind');
        }),
      ).rejects.toThrow('changed its mind');
      expect(await due()).toEqual(ids.slice(2));
    });

    it('never gives one row to two claimers at once', async () => {
      const two = [bench, bench.other ?? bench];
      const ids = await addAll(60);
      const taken: string[] = [];
      await Promise.all(
        two.map(async (worker) => {
          for (let idle = 0; idle < 5; ) {
            const mine = await worker.db.transaction(async (tx) =>
              worker.table.claim(tx, await worker.table.due(tx, 4, []), 900),
            );
            taken.push(...mine);
            idle = mine.size === 0 ? idle + 1 : 0;
          }
        }),
      );
      expect(taken.toSorted()).toEqual(ids.toSorted());
      // and without what is due read before: both want the same rows
      const more = await addAll(20);
      const sets = await Promise.all(two.map((worker) => worker.table.claim(worker.db, more, 900)));
      const both = sets.flatMap((set) => [...set]);
      expect(both.toSorted()).toEqual(more.toSorted());
    });

    it('renews what is held', async () => {
      const { pending, sending, failed } = await oneOfEach();
      const [mine = ''] = await addAll(1);
      await claim(mine);
      expect(await table.renew(db, [mine], 900)).toEqual(new Set([mine]));
      expect(await table.renew(db, [mine], 900)).toEqual(new Set([mine]));
      expect(await table.renew(db, [pending], 900)).toEqual(new Set());
      expect(await table.renew(db, [pending, mine, failed, sending, '999999'], 900)).toEqual(
        new Set([mine, sending]),
      );
      expect(await table.renew(db, [], 900)).toEqual(new Set());
      expect([await stateOf(pending), await stateOf(failed)]).toEqual(['pending', 'failed']);
    });

    it('tells held rows, with a mark that changes when another worker takes one anew', async () => {
      const { sending } = await oneOfEach();
      const [mine = ''] = await addAll(1);
      await claim(mine);
      const first = await table.held(db, 10);
      expect(first.map((row) => row.id).toSorted()).toEqual([sending, mine].toSorted());
      expect(await table.held(db, 10)).toEqual(first);
      expect(await table.held(db, 1)).toHaveLength(1);
      const markOf = async () => (await table.held(db, 10)).find((row) => row.id === mine)?.mark;
      const before = await markOf();
      await table.waits(db, move(mine, { attempts: 1 }));
      expect(await markOf()).toBeUndefined();
      const other = bench.other ?? bench;
      // another lease, as another worker's claim at another second
      expect(await other.table.claim(other.db, [mine], 960)).toEqual(new Set([mine]));
      expect(await markOf()).not.toBe(before);
    });

    it('ends a row as sent from wherever it stands, and only once', async () => {
      const each = await oneOfEach();
      await table.sent(db, Object.values(each));
      for (const id of Object.values(each))
        expect(await stateOf(id)).toBe(bench.sentVanishes ? null : 'sent');
      await table.waits(db, move(each.sending));
      await table.failed(db, move(each.sending));
      await table.requeue(db, [each.pending, each.sending, each.failed]);
      for (const id of Object.values(each))
        expect(await stateOf(id)).toBe(bench.sentVanishes ? null : 'sent');
      await table.sent(db, []);
    });

    it('lets a held row wait: at once where it stood, or until its time', async () => {
      const ids = await addAll(3);
      const [a = '', b = '', c = ''] = ids;
      await claim(a, b);
      await table.waits(db, move(a, { attempts: 2 }));
      await table.waits(db, move(b, { attempts: 1, delayS: 300 }));
      expect(await due()).toEqual([a, c]);
      expect([await attemptsOf(a), await attemptsOf(b), await attemptsOf(c)]).toEqual([2, 1, 0]);
      const at = Number((await look(table, db, b))?.['scheduled_at']);
      expect(Math.abs(at - Date.now() / 1000 - 300)).toBeLessThan(10);
    });

    it('gives a claim back uncounted', async () => {
      const id = await bench.add({ attempts: 2 });
      expect(await attemptsOf(id)).toBe(2);
      await claim(id);
      // tries that came to an end, however the table counts
      expect(await attemptsOf(id)).toBe(2);
      await table.waits(db, move(id, { attempts: 2 }));
      expect(await attemptsOf(id)).toBe(2);
      expect(await due()).toEqual([id]);
    });

    it('fails a row for good, and takes it back under its id', async () => {
      const [held = '', waiting = ''] = await addAll(2);
      const before = await look(table, db, held);
      await claim(held);
      await table.failed(
        db,
        move(held, { attempts: 5, reason: `550 no such user, said ${'x'.repeat(3000)}` }),
      );
      await table.failed(db, move(waiting, { reason: 'corrupt payload: not JSON' }));
      expect([await stateOf(held), await stateOf(waiting)]).toEqual(['failed', 'failed']);
      expect(await due()).toEqual([]);
      const failed = await look(table, db, held);
      for (const column of ['recipient', 'subject', 'payload'])
        expect(failed?.[column]).toEqual(before?.[column]);

      await table.requeue(db, [held]);
      expect([await stateOf(held), await attemptsOf(held)]).toEqual(['pending', 0]);
      expect(await due()).toEqual([held]);
      const again = await look(table, db, held);
      for (const column of ['recipient', 'subject', 'payload'])
        expect(again?.[column]).toEqual(before?.[column]);
    });

    it('moves a row with its transaction or not at all', async () => {
      const id = await bench.add();
      await claim(id);
      await expect(
        db.transaction(async (tx) => {
          await table.failed(tx, move(id));
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await stateOf(id)).toBe('sending');
    });

    it('requeues waiting and held rows with a fresh counter, at once', async () => {
      const late = await bench.add({ dueInS: 3600, attempts: 3 });
      const held = await bench.add({ attempts: 3 });
      await claim(held);
      await table.requeue(db, [late, held]);
      expect(await due()).toEqual([late, held]);
      expect([await attemptsOf(late), await attemptsOf(held)]).toEqual([0, 0]);
      await table.requeue(db, []);
    });

    it('removes all but what is held', async () => {
      const { sending, ...others } = await oneOfEach();
      await table.remove(db, [sending, ...Object.values(others)]);
      for (const id of Object.values(others)) expect(await stateOf(id)).toBeNull();
      expect(await stateOf(sending)).toBe('sending');
      await table.remove(db, []);
    });

    it('finds finished rows that are old', async () => {
      const week = 7 * 86_400;
      const states = bench.sentVanishes ? (['failed'] as const) : (['sent', 'failed'] as const);
      for (const state of states) {
        const old = await bench.add({ state, ageS: week + 3600 });
        const older = await bench.add({ state, ageS: 2 * week });
        await bench.add({ state, ageS: week - 3600 });
        expect((await table.old(db, state, week, 100)).toSorted()).toEqual([old, older].toSorted());
        expect(await table.old(db, state, week, 1)).toHaveLength(1);
      }
      await bench.add({ ageS: 2 * week, dueInS: -2 * week });
      await bench.add({ state: 'sending', ageS: 2 * week, dueInS: -2 * week });
      if (!bench.sentVanishes) expect(await table.old(db, 'sent', week, 100)).toHaveLength(2);
      expect(await table.old(db, 'failed', week, 100)).toHaveLength(2);
    });

    it('nothing moves that stands elsewhere', async () => {
      const each = await oneOfEach();
      const see = () => Promise.all(Object.values(each).map((id) => look(table, db, id)));
      const before = await see();
      await table.waits(db, move(each.pending, { attempts: 9 }));
      await table.waits(db, move(each.failed, { attempts: 9 }));
      await table.failed(db, move(each.failed, { attempts: 9, reason: 'again' }));
      if (each.sent) {
        await table.waits(db, move(each.sent, { attempts: 9 }));
        await table.failed(db, move(each.sent, { attempts: 9 }));
        await table.requeue(db, [each.sent]);
        await table.claim(db, [each.sent], 900);
        await table.renew(db, [each.sent], 900);
      }
      await table.claim(db, [each.sending, each.failed], 900);
      await table.renew(db, [each.pending, each.failed], 900);
      expect(await see()).toEqual(before);
      for (const id of ['999999', 'no-such-row']) {
        await table.waits(db, move(id));
        await table.failed(db, move(id));
        await table.sent(db, [id]);
        await table.requeue(db, [id]);
        await table.remove(db, [id]);
      }
      expect(await see()).toEqual(before);
    });

    it('puts a new mail into the queue, now or not before', async () => {
      const mail = { to: 'neu@example.test', subject: 'Dobrý den \u{1f4e6}', message: 'Zeile 1\nZeile 2' };
      const now = await table.insert(db, mail, null);
      const later = await table.insert(db, mail, Math.floor(Date.now() / 1000) + 3600);
      const past = await table.insert(db, mail, 1_700_000_000);
      expect(await due()).toEqual([now, past]);
      const row = await look(table, db, now);
      expect(row).toMatchObject({ state: 'pending', recipient: 'neu@example.test', subject: mail.subject });
      expect(Number((await look(table, db, later))?.['scheduled_at'])).toBeGreaterThan(
        Date.now() / 1000 + 3500,
      );
      const reading = bench.shape.read?.(String(row?.['payload'])) ?? {
        ok: true,
        payload: String(row?.['payload']),
      };
      expect(reading.ok && JSON.parse(reading.payload)).toMatchObject({
        subject: mail.subject,
        message: mail.message,
      });
    });

    it('shows the same columns in all its sources, by state and together', async () => {
      const each = await oneOfEach();
      const columns = 'id,state,recipient,subject,payload,attempts,scheduled_at,created_at,last_error'.split(
        ',',
      );
      const all = await db.query(table.sources.map((source) => source.select).join(' UNION ALL '));
      expect(all.map((row) => String(row['id'])).toSorted()).toEqual(Object.values(each).toSorted());
      for (const row of all) expect(Object.keys(row).toSorted()).toEqual(columns.toSorted());
      for (const [state, id] of Object.entries(each)) {
        const parts = table.sources.flatMap((source) => {
          const where = source.where(state as RowState);
          return where === null ? [] : [`${source.select} WHERE ${where}`];
        });
        const rows = await db.query(`SELECT id, state FROM (${parts.join(' UNION ALL ')}) v ORDER BY id`);
        expect(rows.map((row) => [String(row['id']), row['state']])).toEqual([[id, state]]);
      }
      for (const source of table.sources) {
        const ids = Object.values(each);
        const rows = await db.query(`${source.select} WHERE ${source.id} IN (${marks(ids.length)})`, ids);
        for (const row of rows) expect(Number(row['attempts'])).toBeGreaterThanOrEqual(0);
      }
    });

    it('names tables and columns that are there', async () => {
      for (const { name: found, columns, optional } of table.tables) {
        const rows = await db.query(`SELECT * FROM ${found} LIMIT 0`);
        expect(rows).toEqual([]);
        await db.query(
          `SELECT ${[...columns].map((column) => `\`${column}\``).join(', ')} FROM \`${found}\` LIMIT 1`,
        );
        for (const column of optional) expect(columns).not.toContain(column);
      }
    });
  });
}

/** Makes the server know Europe/Prague: a fresh one has no named zones. */
export async function loadPrague(server: MariadbServer): Promise<void> {
  const [known] = await server.admin("SELECT 1 FROM mysql.time_zone_name WHERE Name = 'Europe/Prague'");
  if (known) return;
  const env = { ...process.env, PATH: serverPath };
  const zone = ['/usr/share/zoneinfo/Europe/Prague', 'Europe/Prague'];
  const input = execFileSync('mariadb-tzinfo-to-sql', zone, { env });
  execFileSync('mariadb', ['--no-defaults', `--socket=${server.socket}`, '--user=root', 'mysql'], {
    env,
    input,
  });
}
