/** `enqueue` inside transactions of a real MariaDB. */
import { simpleParser } from 'mailparser';
import mysqlCallbacks from 'mysql2';
import mysql, { type Connection as MysqlConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, enqueue, type Mail, type Shape, shapes } from '../../src-main/enqueue/index.ts';
import { makeShop, type TestShop } from '../support/shop.ts';
import { makeProducer, type Producer, tableOf } from './kit.ts';

let shop: TestShop;
let producer: Producer;
let connection: MysqlConnection;

const login = () => {
  const { host, port, user, password, database } = producer.database;
  return { host, port, user, password: password ?? '', database };
};

beforeAll(async () => {
  shop = await makeShop();
  producer = await makeProducer(shop.database);
});
beforeEach(async () => {
  connection = await mysql.createConnection(login());
});
afterEach(async () => {
  connection.destroy();
  for (const table of Object.values(tableOf)) await producer.query(`DELETE FROM ${table}`);
});
afterAll(async () => {
  await producer?.close();
  await shop?.close();
});

const mail: Mail = {
  to: 'Eva Nováková <eva@example.com>',
  subject: 'Objednávka 📦',
  text: "It's on its way \\'",
};
const recipient: Record<Shape, string> = {
  'studiou-wcmq': 'recipient',
  'wp-email-queue': 'destinatario',
  jobs: "JSON_VALUE(payload, '$.to[0]')",
  'email-jobs': 'recipient',
};
const due: Record<Shape, string> = {
  'studiou-wcmq': 'scheduled_at',
  'wp-email-queue': 'UNIX_TIMESTAMP(proxima_tentativa)',
  jobs: 'UNIX_TIMESTAMP(available_at)',
  'email-jobs': 'UNIX_TIMESTAMP(available_at)',
};

describe.each(shapes)('%s', (shape) => {
  it('has the mail exactly when the transaction has', async () => {
    await connection.beginTransaction();
    const ids = await enqueue(connection, [mail, { ...mail, to: 'b@example.com' }], { shape });
    expect(await producer.rows(shape)).toEqual([]);
    const [[inside]] = await connection.query<mysql.RowDataPacket[]>('SELECT @@in_transaction AS open');
    expect(inside?.['open']).toBe(1);
    await connection.commit();
    const rows = await producer.query(
      `SELECT id, ${recipient[shape]} AS who FROM ${tableOf[shape]} ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: ids[0], who: mail.to },
      { id: ids[1], who: 'b@example.com' },
    ]);

    await connection.beginTransaction();
    expect(await enqueue(connection, mail, { shape })).toHaveLength(1);
    await connection.rollback();
    expect(await producer.rows(shape)).toHaveLength(2);
  });

  it('takes the time of the database, in the zone of the session', async () => {
    await connection.query("SET time_zone = '+05:30', timestamp = 1700000000");
    await enqueue(connection, mail, { shape });
    await enqueue(connection, { ...mail, sendAt: new Date(1_800_000_000_000) }, { shape });
    await enqueue(connection, { ...mail, sendAt: 1_900_000_000 }, { shape });
    const [rows] = await connection.query<mysql.RowDataPacket[]>(
      `SELECT CAST(${due[shape]} AS SIGNED) AS due FROM ${tableOf[shape]} ORDER BY id`,
    );
    expect(rows.map((row) => row['due'])).toEqual([1_700_000_000, 1_800_000_000, 1_900_000_000]);
  });

  it('makes jobs of k recipients, each address once', async () => {
    const to = ['a', 'b', 'c', 'a', 'd', 'e', 'f', 'g'].map((name) => `${name}@example.com`);
    const ids = await enqueue(connection, { ...mail, to: [...to, 'a@EXAMPLE.com'] }, { shape, chunk: 3 });
    expect(ids).toHaveLength(3);
    const text = JSON.stringify(await producer.rows(shape));
    for (const address of new Set(to)) expect(text).toContain(address);
    const last = (await producer.rows(shape)).at(-1);
    expect(JSON.stringify(last)).toContain('g@example.com');
    expect(JSON.stringify(last)).not.toMatch(/[a-f]@example/);
  });

  it('writes what it was given, whatever the session makes of a backslash', async () => {
    await connection.query("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')");
    await enqueue(connection, mail, { shape });
    const [row] = await producer.rows(shape);
    const said = Object.values(row ?? {}).flatMap((value) => {
      const json = typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
      return typeof json === 'object' && json !== null ? Object.values(json) : [json];
    });
    expect(said).toContain(mail.text);
    expect(said).toContain(mail.subject);
  });
});

describe('any connection', () => {
  const options = { shape: 'jobs' } as const;
  const answer = { insertId: 7n, affectedRows: 1, warningStatus: 0 };

  it('of mysql2 with callbacks', async () => {
    const plain = mysqlCallbacks.createConnection(login());
    await plain.promise().beginTransaction();
    const ids = await enqueue(plain, mail, options);
    expect(await producer.rows('jobs')).toEqual([]);
    await plain.promise().commit();
    expect((await producer.rows('jobs')).map((row) => row['id'])).toEqual(ids);
    await expect(enqueue(plain, mail, { ...options, table: 'missing' })).rejects.toMatchObject({
      code: 'ER_NO_SUCH_TABLE',
    });
    plain.destroy();
  });

  it('out of a pool, but no pool', async () => {
    await expect(enqueue(producer.pool, mail, options)).rejects.toThrow('got a pool');
    await expect(enqueue(producer.pool.pool, mail, options)).rejects.toThrow('got a pool');
    const own = await producer.pool.getConnection();
    expect(await enqueue(own, mail, options)).toHaveLength(1);
    own.release();
  });

  it.each<[string, Connection]>([
    ['a promise of the result', { query: async () => answer }],
    ['a promise of result and fields', { query: async () => [answer, undefined] }],
    [
      'a callback',
      { query: (_: string, __: unknown[], done: (...given: unknown[]) => void) => void done(null, answer) },
    ],
    ['execute alone', { execute: async () => answer }],
  ])('that answers with %s', async (_, given) => {
    expect(await enqueue(given, mail, options)).toEqual([7]);
  });

  it('whose error is passed on', async () => {
    const gone = new Error('gone');
    const byCallback = { query: (_: string, __: unknown[], done: (error: Error) => void) => void done(gone) };
    await expect(enqueue(byCallback, mail, options)).rejects.toBe(gone);
    await expect(enqueue({ execute: () => Promise.reject(gone) }, mail, options)).rejects.toBe(gone);
  });

  it('with ids beyond 2^53, and none without an id', async () => {
    const huge = { query: async () => ({ insertId: '18446744073709551615' }) };
    expect(await enqueue(huge, mail, options)).toEqual(['18446744073709551615']);
    await expect(enqueue({ query: async () => ({}) }, mail, options)).rejects.toThrow('told no insertId');
  });
});

describe('a table of its own kind', () => {
  it('with other names', async () => {
    await producer.query('CREATE TABLE outbox LIKE jobs');
    await producer.query(
      'ALTER TABLE outbox CHANGE payload body JSON NOT NULL, CHANGE available_at due TIMESTAMP NOT NULL',
    );
    await enqueue(connection, mail, {
      shape: 'jobs',
      table: 'outbox',
      queue: 'mail',
      columns: { payload: 'body', available_at: 'due' },
    });
    const [row] = await producer.query('SELECT queue, body, attempts, due FROM outbox');
    expect(row).toMatchObject({ queue: 'mail', attempts: 0 });
    expect(row?.['body']).toEqual({
      to: [mail.to],
      subject: mail.subject,
      text: mail.text,
    });
    await producer.query('DROP TABLE outbox');
  });

  it('in latin1: a payload loses nothing', async () => {
    await producer.query('CREATE TABLE old_jobs LIKE jobs');
    await producer.query('ALTER TABLE old_jobs MODIFY payload LONGTEXT CHARACTER SET latin1 NOT NULL');
    await enqueue(connection, mail, { shape: 'jobs', table: 'old_jobs' });
    const [row] = await producer.query('SELECT payload FROM old_jobs');
    expect(JSON.parse(String(row?.['payload']))).toMatchObject({ to: [mail.to], subject: mail.subject });
    await producer.query('DROP TABLE old_jobs');
  });

  it('too narrow, on a server that is not strict: an error, not half a mail', async () => {
    await producer.query('CREATE TABLE narrow LIKE email_jobs');
    await producer.query('ALTER TABLE narrow MODIFY subject VARCHAR(5) NOT NULL');
    await connection.query("SET SESSION sql_mode = ''");
    await connection.beginTransaction();
    await expect(enqueue(connection, mail, { shape: 'email-jobs', table: 'narrow' })).rejects.toThrow(
      /would not store the mail as it is \(.*subject.*\): roll back/,
    );
    await connection.rollback();
    expect(await producer.query('SELECT * FROM narrow')).toEqual([]);
    // a warning that bends nothing is none of our business
    await producer.query('ALTER TABLE narrow MODIFY subject VARCHAR(255) NOT NULL, ADD must INT NOT NULL');
    expect(await enqueue(connection, mail, { shape: 'email-jobs', table: 'narrow' })).toHaveLength(1);
    await producer.query('DROP TABLE narrow');
  });
});

it('studiou-wcmq: all that a mail can have arrives', async () => {
  const token = shop.attach('faktura č. 1.pdf', '%PDF-1.4');
  await connection.beginTransaction();
  await enqueue(
    connection,
    {
      to: ['"Novák, ml." <a@example.com>', 'b@example.com'],
      subject: 'Objednávka 📦',
      text: 'Děkujeme',
      html: '<p>Děkujeme</p>',
      from: 'Prodej <sales@shop.example>',
      replyTo: 'help@shop.example',
      cc: 'c@example.com',
      bcc: ['d@example.com'],
      headers: { 'X-Campaign': 'spring' },
      attachments: [{ name: 'faktura.pdf', file: `/srv/${token}/faktura č. 1.pdf`, size: 8 }],
      context: 'customer_invoice',
      title: 'Invoice',
      orderId: 18446744073709551615n,
      priority: -5,
    },
    { shape: 'studiou-wcmq' },
  );
  await connection.commit();
  expect(
    await producer.query(
      'SELECT context, title, CAST(order_id AS CHAR) AS order_id, priority, attachment_dir FROM wp_studiou_wcmq_queue',
    ),
  ).toEqual([
    {
      context: 'customer_invoice',
      title: 'Invoice',
      order_id: '18446744073709551615',
      priority: -5,
      attachment_dir: token,
    },
  ]);
  const console = await shop.open({ uncapped: true });
  await console.desk.enable();
  await console.startDraining();
  await console.untilEmpty();
  expect(await console.summary()).toMatchObject({ sent: 1, failed: 0 });
  const [sent] = shop.smtp.mails;
  expect(sent?.to).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`));
  const read = await simpleParser(sent?.raw ?? '');
  expect(read).toMatchObject({ subject: 'Objednávka 📦' });
  expect([read.text?.trim(), String(read.html).includes('<p>Děkujeme</p>')]).toEqual(['Děkujeme', true]);
  expect(read.from?.value).toEqual([{ name: 'Prodej', address: 'sales@shop.example' }]);
  expect(read.replyTo?.text).toBe('help@shop.example');
  expect([read.to].flat()[0]?.value[0]).toMatchObject({ name: 'Novák, ml.', address: 'a@example.com' });
  expect([read.cc].flat()[0]?.text).toBe('c@example.com');
  expect(read.headers.get('x-campaign')).toBe('spring');
  expect(String(sent?.raw)).not.toContain('d@example.com');
  expect(read.attachments.map(({ filename, size }) => [filename, size])).toEqual([['faktura.pdf', 8]]);
});
