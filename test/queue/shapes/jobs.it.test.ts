/** The jobs shape over real tables: both databases, ids of both kinds. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '../../../src-main/queue/shapes/jobs.ts';
import type { ShopTable } from '../../../src-main/queue/shapes/shape.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { benches, contractBench, laravel, mail, usual } from './jobs-bench.ts';
import { tableContract } from './table-contract.ts';

for (const bench of benches) tableContract(`jobs on ${bench.name}`, () => contractBench(bench));

describe.each(benches)('jobs on $name', ({ open, tables, uuid, checked }) => {
  let db: Database;
  let table: ShopTable;
  const now = () => (db.dialect === 'mysql' ? 'NOW()' : "datetime('now')");
  const ago = (s: number) =>
    db.dialect === 'mysql' ? `NOW() - INTERVAL ${s} SECOND` : `datetime('now', '${-s} seconds')`;
  let counter = 0;

  beforeAll(async () => {
    db = await open();
    for (const sql of tables) await db.run(sql);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    for (const name of ['jobs', 'failed_jobs']) await db.run(`DELETE FROM ${name}`);
    table = jobs.open('wp_', usual, db.dialect);
  });

  /** A row as its producer writes it; UUIDs that sort as they are made. */
  async function put(payload: string, more: { queue?: string; available?: string; reserved?: string } = {}) {
    counter += 1;
    const id = uuid ? `${String(counter).padStart(8, '0')}-0000-4000-8000-000000000000` : null;
    const { insertId } = await db.run(
      `INSERT INTO jobs (${id ? 'id, ' : ''}queue, payload, attempts, reserved_at, available_at, created_at, updated_at)
       VALUES (${id ? '?, ' : ''}?, ?, 0, ${more.reserved ?? 'NULL'}, ${more.available ?? now()}, ${now()}, ${now()})`,
      [...(id ? [id] : []), more.queue ?? 'default', payload],
    );
    return id ?? String(insertId);
  }
  const due = (limit = 10, not: string[] = []) => db.transaction((tx) => table.due(tx, limit, not));
  const rowsOf = (name: string) => db.query(`SELECT * FROM ${name} ORDER BY id`);
  const listed = async () => {
    const all = [];
    for (const { select } of table.sources) all.push(...(await db.query(`${select} WHERE 1 = 1`)));
    return all;
  };

  it('answers what is due in the order of ids, and nothing else', async () => {
    const first = await put(mail('1'));
    await put(mail('other queue'), { queue: 'reports' });
    await put(mail('held'), { reserved: now() });
    await put(mail('later'), { available: ago(-60) });
    const last = await put(mail('2'));
    expect(await due()).toEqual([first, last]);
    expect(await due(1)).toEqual([first]);
    expect(await due(10, [first])).toEqual([last]);
    await table.remove(db, [first, last]);
    expect(await due()).toEqual([]);
    const at = await table.nextDue(db);
    expect(Math.abs((at ?? 0) - Date.now() / 1000 - 60)).toBeLessThan(5);
  });

  it('holds a row once, and holds it longer', async () => {
    const id = await put(mail('1'));
    expect(await table.claim(db, [id], 900)).toEqual(new Set([id]));
    expect(await table.claim(db, [id], 900)).toEqual(new Set());
    expect(await due()).toEqual([]);
    await db.run(`UPDATE jobs SET reserved_at = ${ago(600)}`);
    const [before] = await table.held(db, 10);
    expect(before?.id).toBe(id);
    expect(await table.renew(db, [id, uuid ? randomUUID() : '987654'], 900)).toEqual(new Set([id]));
    const [after] = await table.held(db, 10);
    expect(after?.mark).not.toBe(before?.mark);
    expect(after?.mark).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\|0$/);
    expect((await listed())[0]).toMatchObject({ state: 'sending' });
    expect(await table.renew(db, [await put(mail('waits'))], 900)).toEqual(new Set());
  });

  it('deletes what was sent, wherever it is', async () => {
    const [held, waits, dead] = [await put(mail('1')), await put(mail('2')), await put(mail('3'))];
    await table.claim(db, [held, dead], 900);
    await table.failed(db, { id: dead, attempts: 5, delayS: 0, reason: 'no' });
    await table.sent(db, [held, waits, dead]);
    expect([...(await rowsOf('jobs')), ...(await rowsOf('failed_jobs'))]).toEqual([]);
  });

  it('lets a row wait, with its counter, and at once where it stood', async () => {
    const id = await put(mail('1'), { available: ago(3_600) });
    await table.waits(db, { id, attempts: 4, delayS: 300, reason: 'not held: nothing happens' });
    expect((await rowsOf('jobs'))[0]).toMatchObject({ attempts: 0 });
    await table.claim(db, [id], 900);
    await table.waits(db, { id, attempts: 1, delayS: 300, reason: 'later' });
    expect(Math.abs(((await table.nextDue(db)) ?? 0) - Date.now() / 1000 - 300)).toBeLessThan(5);
    expect((await rowsOf('jobs'))[0]).toMatchObject({ attempts: 1, reserved_at: null });
    await db.run(`UPDATE jobs SET available_at = ${ago(3_600)}`);
    await table.claim(db, [id], 900);
    await table.waits(db, { id, attempts: 1, delayS: 0, reason: 'given back' });
    expect(Math.abs(((await table.nextDue(db)) ?? 0) - Date.now() / 1000 + 3_600)).toBeLessThan(5);
    expect(await due()).toEqual([id]);
  });

  it('moves a dead row under its own id, once, and brings it back with a fresh counter', async () => {
    const id = await put(mail('1'));
    await table.claim(db, [id], 900);
    const move = { id, attempts: 5, delayS: 0, reason: '550 5.1.1 nobody here 🙁' };
    await table.failed(db, move);
    await table.failed(db, move);
    expect(await rowsOf('jobs')).toEqual([]);
    const [dead] = await rowsOf('failed_jobs');
    expect(dead).toMatchObject({ queue: 'default', attempts: 5, error: move.reason });
    expect(String(dead?.['id'])).toBe(id);
    expect(JSON.parse(String(dead?.['payload']))).toEqual(JSON.parse(mail('1')));
    expect(await listed()).toMatchObject([
      {
        state: 'failed',
        recipient: 'karel@example.test',
        subject: '1',
        attempts: 5,
        last_error: move.reason,
      },
    ]);
    await table.requeue(db, [id]);
    expect(await rowsOf('failed_jobs')).toEqual([]);
    expect(await rowsOf('jobs')).toMatchObject([{ attempts: 0, reserved_at: null }]);
    expect(await due()).toEqual([id]);
    await table.claim(db, [id], 900);
    await table.requeue(db, [id]);
    expect(await due()).toEqual([id]);
  });

  it('finds dead rows by age and never those whose id a job has', async () => {
    const ids = [await put(mail('1')), await put(mail('2'))];
    for (const id of ids) await table.failed(db, { id, attempts: 1, delayS: 0, reason: 'no' });
    await db.run(`UPDATE failed_jobs SET failed_at = ${ago(90_000)}`);
    expect((await table.old(db, 'failed', 86_400, 10)).sort()).toEqual([...ids].sort());
    expect(await table.old(db, 'failed', 86_400, 1)).toHaveLength(1);
    expect(await table.old(db, 'failed', 100_000, 10)).toEqual([]);
    expect(await table.old(db, 'sent', 0, 10)).toEqual([]);
    await db.run(
      `INSERT INTO jobs (id, queue, payload, attempts, available_at) VALUES (?, 'default', ?, 0, ${now()})`,
      [ids[0] ?? '', mail('another')],
    );
    expect(await table.old(db, 'failed', 86_400, 10)).toEqual([ids[1]]);
    await table.remove(db, ids);
    expect(await rowsOf('jobs')).toEqual([]);
    expect(await rowsOf('failed_jobs')).toMatchObject([{ error: 'no' }]);
  });

  it('loses no row whose id a dead letter has already', async () => {
    const id = await put(mail('1'));
    await db.run(
      `INSERT INTO failed_jobs (id, queue, payload, attempts, error, failed_at) VALUES (?, 'default', ?, 1, 'theirs', ${now()})`,
      [id, laravel],
    );
    await table.failed(db, { id, attempts: 1, delayS: 0, reason: 'ours' });
    expect(await rowsOf('jobs')).toEqual([]);
    expect((await rowsOf('failed_jobs')).map((row) => row['error']).sort()).toEqual(['ours', 'theirs']);
  });

  it('leaves other work alone in every statement, and names it', async () => {
    const others = [await put(laravel), await put('{"to": "+420603", "text": "a code"}')];
    const reserved = await put(laravel, { reserved: ago(7_200) });
    const elsewhere = await put(mail('not our queue'), { queue: 'emails' });
    const id = await put(mail('1'));
    const before = (await rowsOf('jobs')).filter((row) => String(row['id']) !== id);
    expect(await due()).toEqual([id]);
    expect(await table.held(db, 10)).toEqual([]);
    const all = [...others, reserved, elsewhere];
    expect(await table.claim(db, all, 900)).toEqual(new Set());
    expect(await table.renew(db, all, 900)).toEqual(new Set());
    await table.sent(db, all);
    await table.remove(db, all);
    await table.requeue(db, all);
    for (const one of all) {
      await table.waits(db, { id: one, attempts: 9, delayS: 9, reason: '' });
      await table.failed(db, { id: one, attempts: 9, delayS: 0, reason: '' });
    }
    expect((await rowsOf('jobs')).filter((row) => String(row['id']) !== id)).toEqual(before);
    expect(await rowsOf('failed_jobs')).toEqual([]);
    expect(await listed()).toHaveLength(1);
    expect(await table.foreign?.(db)).toEqual({ count: 3, example: 'App\\Jobs\\ResizeImage' });
    await table.remove(db, [id]);
    expect(await table.nextDue(db)).toBeNull();
  });

  it('answers a mail with a wrong payload, so that it fails with its reason', async () => {
    const id = await put(mail('1', { body: 'x' }));
    expect(await due()).toEqual([id]);
    const [row] = await listed();
    expect(jobs.read?.(String(row?.['payload']))).toMatchObject({
      ok: false,
      reason: expect.stringMatching('"body" is not known'),
    });
  });

  it('is not held up by what only the database takes for a mail', async () => {
    // deeper than a database's own reading goes, so that it falls back to looking at the text
    const deep = `{"job":"x","data":${'['.repeat(1_500)}{"to":"a","subject":"b"}${']'.repeat(1_500)}}`;
    if (checked) {
      await expect(put(deep)).rejects.toThrow(/CONSTRAINT/);
      return;
    }
    const odd = await put(deep);
    const id = await put(mail('behind it'));
    expect(await due(1)).toEqual([id]);
    expect(await due()).toEqual([id]);
    await table.remove(db, [id]);
    expect(await due()).toEqual([]);
    expect(await table.nextDue(db)).toBeNull();
    expect((await rowsOf('jobs')).map((row) => String(row['id']))).toEqual([odd]);
  });

  it('is not held up by a thousand other jobs', async () => {
    const values = Array.from({ length: 1_000 }, (_, at) => [
      uuid ? `0000${String(at).padStart(4, '0')}-1111-4000-8000-000000000000` : at + 1,
      laravel,
    ]).flat();
    const row = `(?, 'default', ?, 0, ${ago(60)})`;
    await db.run(
      `INSERT INTO jobs (id, queue, payload, attempts, available_at) VALUES ${Array(1_000).fill(row).join(', ')}`,
      values,
    );
    const id = await put(mail('behind them'));
    expect(await due(1)).toEqual([id]);
    expect(await table.foreign?.(db)).toMatchObject({ count: 1_000 });
  });

  it('puts a mail into the queue that it reads as the same mail', async () => {
    const at = Math.floor(Date.now() / 1000) + 600;
    const id = await table.insert(
      db,
      {
        to: ['a@example.test', 'b@example.test'],
        subject: 'Objednávka č. 5 🎉',
        message: '<p>Děkujeme</p>',
        alt: 'Děkujeme',
        headers:
          'Content-Type: text/html; charset=UTF-8\r\nCc: c@example.test\r\nReply-to: r@example.test\r\nX-Shop: 1\r\n',
        attachments: ['uploads/0123456789abcdef0123456789abcdef/faktura.pdf'],
      },
      at,
    );
    expect(await table.nextDue(db)).toBe(at);
    const [row] = await listed();
    expect(String(row?.['id'])).toBe(id);
    expect(row).toMatchObject({ recipient: expect.stringMatching(/^a@example\.test, ?b@example\.test$/) });
    const reading = jobs.read?.(String(row?.['payload']));
    expect(reading?.ok && JSON.parse(reading.payload)).toEqual({
      to: ['a@example.test', 'b@example.test'],
      subject: 'Objednávka č. 5 🎉',
      message: '<p>Děkujeme</p>',
      content_type: 'text/html',
      alt: 'Děkujeme',
      headers: ['Reply-To: r@example.test', 'Cc: c@example.test', 'X-Shop: 1'],
      attachments: ['uploads/0123456789abcdef0123456789abcdef/faktura.pdf'],
    });
    const now = await table.insert(db, { to: 'a@example.test', subject: 's', message: 'm' }, null);
    expect(await due()).toEqual([now]);
    await expect(
      table.insert(
        db,
        { to: 'a@x', subject: 's', message: 'm', headers: 'Content-Type: text/calendar' },
        null,
      ),
    ).rejects.toThrow('text and HTML');
  });

  it('reads several queues, whatever their names hold', async () => {
    table = jobs.open('wp_', { ...usual, queues: ["e-mails'); DROP TABLE jobs; -- ?", 'pošta'] }, db.dialect);
    const ids = [
      await put(mail('1'), { queue: "e-mails'); DROP TABLE jobs; -- ?" }),
      await put(mail('2'), { queue: 'pošta' }),
    ];
    await put(mail('3'));
    expect(await due()).toEqual(ids);
  });
});
