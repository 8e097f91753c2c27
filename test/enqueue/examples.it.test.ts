/** Every example of docs/producers, run as it stands there against a real MariaDB. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { simpleParser } from 'mailparser';
import type { Pool } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enqueue, type Shape, shapes } from '../../src-main/enqueue/index.ts';
import { makeShop, type TestShop } from '../support/shop.ts';
import { root } from '../support/source-tree.ts';
import { builtEntry, makeProducer, type Producer, type Row, runPhp, runSql, tableOf } from './kit.ts';

const folder = (shape: Shape) => path.join(root, 'docs/producers', shape);
const customer = 'eva@example.com';
const thanks = 'Thank you – it is on its way.';

let shop: TestShop;
let producer: Producer;

beforeAll(async () => {
  await builtEntry();
  shop = await makeShop();
  producer = await makeProducer(shop.database);
});
afterEach(async () => {
  for (const table of [...Object.values(tableOf), 'orders']) await producer.query(`DELETE FROM ${table}`);
  await producer.query("UPDATE stock SET pieces = IF(sku = 'mug', 100, 0)");
});
afterAll(async () => {
  await producer?.close();
  await shop?.close();
});

/** Runs an example for one piece of `sku`; resolves with the order's number, null where the file tells none. */
async function sell(shape: Shape, file: string, sku: string): Promise<number | null> {
  const example = `docs/producers/${shape}/${file}`;
  if (file === 'order.ts') {
    const { placeOrder } = (await import(path.join(root, example))) as {
      placeOrder(pool: Pool, customer: string, sku: string): Promise<number>;
    };
    return placeOrder(producer.pool, customer, sku);
  }
  const ran =
    file === 'order.sql'
      ? await runSql(producer.database, example)
      : await runPhp(producer.database, file === 'pdo.php' ? 'pdo' : 'wpdb', example, customer, sku);
  if (ran.code !== 0) throw new Error(`${ran.code}: ${ran.stderr}`);
  expect(ran.stderr).toBe('');
  return file === 'order.sql' ? null : Number(ran.stdout);
}

/** What the mail of order `n` has to be in each shape, whoever wrote it. */
const expected: Record<Shape, (n: unknown) => Row> = {
  'studiou-wcmq': (n) => ({
    context: 'customer_completed_order',
    order_id: n,
    recipient: customer,
    subject: `Your order ${n}`,
    priority: 10,
    state: 'pending',
    attempts: 0,
    attachment_dir: null,
  }),
  'wp-email-queue': (n) => ({
    destinatario: customer,
    assunto: `Your order ${n}`,
    corpo: `<p>${thanks}</p>`,
    status: 'pendente',
    tentativas: 0,
  }),
  jobs: () => ({ queue: 'mail', attempts: 0, reserved_at: null }),
  'email-jobs': (n) => ({
    recipient: customer,
    subject: `Your order ${n}`,
    body: thanks,
    status: 'pending',
    attempts: 0,
  }),
};
const json = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
/** What stands in its JSON column. */
const expectedJson: Partial<Record<Shape, [column: string, (n: unknown) => unknown]>> = {
  'wp-email-queue': ['cabecalhos', () => ['Content-Type: text/html; charset=UTF-8']],
  jobs: [
    'payload',
    (n) => ({ to: [customer], subject: `Your order ${n}`, text: thanks, html: `<p>${thanks}</p>` }),
  ],
};
/** The shape's column of "not before", and how the database reads it as s since 1970. */
const due: Record<Shape, string> = {
  'studiou-wcmq': 'scheduled_at',
  'wp-email-queue': 'UNIX_TIMESTAMP(proxima_tentativa)',
  jobs: 'UNIX_TIMESTAMP(available_at)',
  'email-jobs': 'UNIX_TIMESTAMP(available_at)',
};

const files = {
  'studiou-wcmq': ['order.sql', 'order.ts', 'pdo.php', 'wpdb.php'],
  'wp-email-queue': ['order.sql', 'order.ts', 'pdo.php', 'wpdb.php'],
  jobs: ['order.sql', 'order.ts', 'pdo.php'],
  'email-jobs': ['list.ts', 'order.sql', 'order.ts', 'pdo.php'],
} as const satisfies Record<Shape, string[]>;

it('runs every file that is there', () => {
  for (const shape of shapes) expect(readdirSync(folder(shape)).sort()).toEqual(files[shape]);
  expect(readdirSync(path.join(root, 'docs/producers')).sort()).toEqual([...shapes].sort());
});

for (const shape of shapes)
  for (const file of files[shape].filter((name) => name !== 'list.ts'))
    describe(`${shape}/${file}`, () => {
      it('writes an order and its mail, due at once', async () => {
        const number = await sell(shape, file, 'mug');
        const orders = await producer.query('SELECT * FROM orders');
        expect(orders).toMatchObject([{ customer, sku: 'mug' }]);
        expect(number ?? orders[0]?.['id']).toBe(orders[0]?.['id']);
        const rows = await producer.rows(shape);
        expect(rows).toHaveLength(1);
        expect(rows[0]).toMatchObject(expected[shape](orders[0]?.['id']));
        const [column, content] = expectedJson[shape] ?? [];
        if (column && content) expect(json(rows[0]?.[column])).toEqual(content(orders[0]?.['id']));
        const [time] = await producer.query(
          `SELECT UNIX_TIMESTAMP() - ${due[shape]} AS late FROM ${tableOf[shape]}`,
        );
        expect(Number(time?.['late'])).toBeGreaterThanOrEqual(0);
        expect(Number(time?.['late'])).toBeLessThan(30);
        expect(await producer.query("SELECT pieces FROM stock WHERE sku = 'mug'")).toEqual([{ pieces: 99 }]);
      });

      it('leaves neither when the order fails after its mail was written', async () => {
        if (file === 'order.sql') await producer.query("UPDATE stock SET pieces = 0 WHERE sku = 'mug'");
        const before = await nextId(shape);
        await expect(sell(shape, file, file === 'order.sql' ? 'mug' : 'rare')).rejects.toThrow(
          file === 'order.sql' ? /out of range/ : /rare is sold out/,
        );
        expect(await producer.rows(shape)).toEqual([]);
        expect(await producer.query('SELECT * FROM orders')).toEqual([]);
        // an id was used up: the mail had been written, and is gone
        expect(await nextId(shape)).toBe(before + 1);
      });
    });

/** The id that the next row would get; a rollback does not give one back. */
async function nextId(shape: Shape): Promise<number> {
  const [row] = await producer.query(
    'SELECT AUTO_INCREMENT AS next FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
    [tableOf[shape]],
  );
  return Number(row?.['next']);
}

it('email-jobs/list.ts makes jobs of three', async () => {
  const { announce } = await import('../../docs/producers/email-jobs/list.ts');
  const people = Array.from({ length: 7 }, (_, n) => `p${n}@example.com`);
  const connection = await producer.pool.getConnection();
  const ids = await announce(connection, people, 'Closed on Monday', 'Until Tuesday.');
  connection.release();
  const rows = await producer.rows('email-jobs');
  expect(rows.map((row) => row['id'])).toEqual(ids);
  expect(rows.map((row) => row['recipient'])).toEqual([
    JSON.stringify(people.slice(0, 3)),
    JSON.stringify(people.slice(3, 6)),
    'p6@example.com',
  ]);
});

describe('the engine sends what each of them wrote', () => {
  it.each(shapes)('%s', async (shape) => {
    const ours = files[shape].filter((name) => name !== 'list.ts');
    for (const file of ours) await sell(shape, file, 'mug');
    const list = ['"Novák, ml." <a@example.com>', 'Bára <b@example.com>', 'c@example.com'];
    const connection = await producer.pool.getConnection();
    const queue = shape === 'jobs' ? { queue: 'mail' } : {};
    await enqueue(connection, { to: list, subject: 'News', text: 'x' }, { shape, chunk: 2, ...queue });
    connection.release();
    const before = shop.smtp.mails.length;
    const layout = {
      columns: {},
      timeZone: null,
      books: null,
      ...(shape === 'jobs' ? { queues: ['mail'] } : {}),
    };
    const console = await shop.open({ shape, uncapped: true, layout }, path.join(shop.stateDir, shape));
    await console.desk.enable();
    await console.startDraining();
    await console.untilEmpty();
    expect(await console.summary()).toMatchObject({ sent: ours.length + 2, failed: 0, remaining: 0 });
    await console.close();
    const orders = await producer.query('SELECT id FROM orders');
    const all = shop.smtp.mails.slice(before);
    expect(all.map(({ to }) => to.join()).sort()).toEqual(
      ['a@example.com,b@example.com', 'c@example.com', ...ours.map(() => customer)].sort(),
    );
    const sent = all.filter(({ to }) => to[0] === customer);
    const mails = await Promise.all(sent.map(({ raw }) => simpleParser(raw)));
    expect(mails.map(({ subject }) => subject).sort()).toEqual(
      orders.map(({ id }) => `Your order ${id}`).sort(),
    );
    for (const mail of mails) {
      if (shape === 'email-jobs') expect([mail.text?.trim(), mail.html]).toEqual([thanks, false]);
      else expect(mail.html).toContain(`<p>${thanks}</p>`);
    }
    // all of jobs have a text beside their HTML, of studiou-wcmq only the TypeScript one
    const alternatives = sent.filter(({ raw }) =>
      /^Content-Type: multipart\/alternative/im.test(String(raw)),
    );
    expect(alternatives).toHaveLength(
      { 'studiou-wcmq': 1, jobs: 3, 'wp-email-queue': 0, 'email-jobs': 0 }[shape],
    );
  });
});
