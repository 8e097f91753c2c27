/**
 * The demo shop over a table that is not Postroom's, made as its document makes it, in a file database. Its past and what
 * waits are written as the shop's own program would write them; Postroom's books lie beside it.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type OpenedShop, openShop } from '../boot.ts';
import type { MailToEnqueue } from '../contract/desk.ts';
import { type Profile, profileSchema } from '../contract/profile.ts';
import { openSqlite } from '../shop/sqlite.ts';
import { refusalOf } from './history.ts';
import { firstOrder, makeOrder, type Order } from './orders.ts';
import { type DemoTable, demoTables } from './shape-tables.ts';
import { assemble, type DemoOptions, type OpenedDemoShop, usualRate } from './shop.ts';
import { MailSink, sinkDomains } from './sink.ts';

/** orders of the past: a whole round of the odd domains (orders.ts) */
const pastOrders = 24;
/** s between two mails of the past, and s ago that the last one left */
const spacingS = 1_900;
const lastS = 2_400;
const connections = 3;

/** @throws PostroomError busy | disk */
export async function openShapeDemo(
  shape: DemoTable,
  { stateDir, version, mails, rate }: DemoOptions,
): Promise<OpenedDemoShop> {
  await mkdir(stateDir, { recursive: true });
  const file = path.join(stateDir, `${shape}.db`);
  const isNew = !existsSync(file);
  const written = await prepare(shape, file, isNew ? pastOrders : 0);
  const sink = await MailSink.open();
  let shop: OpenedShop | null = null;
  try {
    const profile = profileOf(shape, file, sink.port, rate);
    shop = await openShop(profile, { stateDir, name: 'Demo shop', version });
    if (rate !== undefined) await shop.desk.saveSettings({ rate_per_minute: rate });
    const order = orderBook(shape, shop, written);
    if (mails !== undefined) await order(mails);
    return assemble(shop, sink, order, mails === undefined);
  } catch (error) {
    await shop?.close().catch(() => {});
    await sink.close();
    throw error;
  }
}

function profileOf(shape: DemoTable, file: string, port: number, rate: number | undefined): Profile {
  return profileSchema.parse({
    name: `Demo shop (${shape})`,
    shape,
    database: { file },
    smtp: { host: '127.0.0.1', port, security: 'none', connections },
    from: 'Studio U <shop@demo.example>',
    settings: { rate_per_minute: rate ?? usualRate },
  });
}

/** Makes what lacks, and the past. Answers how many mails there ever were: jobs that were done are gone from their table. */
async function prepare(shape: DemoTable, file: string, past: number): Promise<number> {
  const { tables, queue, past: write } = demoTables[shape];
  const db = openSqlite(file);
  try {
    for (const sql of tables) await db.run(sql);
    await db.transaction(async (tx) => {
      for (let at = 0; at < past; at += 1) {
        const order = makeOrder(firstOrder + at);
        const ago = `-${lastS + (past - 1 - at) * spacingS} seconds`;
        await write(tx, shapeMailOf(shape, order), refusalOf(order.address)?.text ?? null, ago);
      }
    });
    const [last] = await db.query<{ seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?', [queue]);
    return last?.seq ?? 0;
  } finally {
    await db.close();
  }
}

/** The tables have no order numbers: orders are numbered on from how many there ever were. */
function orderBook(shape: DemoTable, shop: OpenedShop, written: number): (n: number) => Promise<number> {
  let next = firstOrder + written;
  return async (n) => {
    const first = next;
    next += n;
    await shop.desk.enqueue(Array.from({ length: n }, (_, at) => shapeMailOf(shape, makeOrder(first + at))));
    return n;
  };
}

/** The mail that the shop would write: plain text, and in email_jobs for some a list of recipients, who share one conversation. */
export function shapeMailOf(shape: DemoTable, order: Order): MailToEnqueue {
  const { words, number, customer, items, total } = order;
  const money = (cents: number) => `${(cents / 100).toFixed(2)} €`;
  const usual = !Object.values<string>(sinkDomains).some((domain) => order.address.endsWith(`@${domain}`));
  return {
    to:
      shape === 'email-jobs' && usual && number % 5 === 0
        ? [order.address, `${customer.mailbox}@office.example`]
        : order.address,
    subject: words.subject(number),
    message: [
      words.hello(customer.name),
      '',
      words.thanks,
      '',
      `${words.order} #${number}`,
      ...items.map(({ goods, pieces }) => `  ${pieces} × ${goods.name}  ${money(goods.price * pieces)}`),
      `  ${words.total}: ${money(total)}`,
      '',
      'Studio U — a demo shop, it sells nothing',
      '',
    ].join('\n'),
  };
}
