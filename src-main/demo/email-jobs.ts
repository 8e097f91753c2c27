/**
 * The demo shop over a table that is not Postroom's: `email_jobs`, as its document makes it, in a file database. Its past
 * and what waits are written as the shop's own program would write them; Postroom's books lie beside it.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type OpenedShop, openShop } from '../boot.ts';
import type { MailToEnqueue } from '../contract/desk.ts';
import { type Profile, profileSchema } from '../contract/profile.ts';
import type { Database } from '../shop/database.ts';
import { openSqlite } from '../shop/sqlite.ts';
import { refusalOf } from './history.ts';
import { firstOrder, makeOrder, type Order } from './orders.ts';
import { assemble, type DemoOptions, type OpenedDemoShop, usualRate } from './shop.ts';
import { MailSink, sinkDomains } from './sink.ts';

/** orders of the past: a whole round of the odd domains (orders.ts) */
const pastOrders = 24;
/** s between two mails of the past, and s ago that the last one left */
const spacingS = 1_900;
const lastS = 2_400;
const connections = 3;

const tables = [
  `CREATE TABLE IF NOT EXISTS email_jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL,
     body TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0, available_at TEXT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS email_jobs_claim ON email_jobs (status, available_at)',
  `CREATE TABLE IF NOT EXISTS failed_email_jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL, recipient TEXT NOT NULL,
     subject TEXT NOT NULL, reason TEXT NOT NULL, failed_at TEXT NOT NULL, body TEXT NULL)`,
];

/** @throws PostroomError busy | disk */
export async function openEmailJobsDemo({
  stateDir,
  version,
  mails,
  rate,
}: DemoOptions): Promise<OpenedDemoShop> {
  await mkdir(stateDir, { recursive: true });
  const file = path.join(stateDir, 'email-jobs.db');
  const isNew = !existsSync(file);
  await prepare(file, isNew ? pastOrders : 0);
  const sink = await MailSink.open();
  let shop: OpenedShop | null = null;
  try {
    const profile = profileOf(file, sink.port, rate);
    shop = await openShop(profile, { stateDir, name: 'Demo shop', version });
    if (rate !== undefined) await shop.desk.saveSettings({ rate_per_minute: rate });
    const order = orderBook(shop);
    if (mails !== undefined) await order(mails);
    return assemble(shop, sink, order, mails === undefined);
  } catch (error) {
    await shop?.close().catch(() => {});
    await sink.close();
    throw error;
  }
}

function profileOf(file: string, port: number, rate: number | undefined): Profile {
  return profileSchema.parse({
    name: 'Demo shop (email_jobs)',
    shape: 'email-jobs',
    database: { file },
    smtp: { host: '127.0.0.1', port, security: 'none', connections },
    from: 'Studio U <shop@demo.example>',
    settings: { rate_per_minute: rate ?? usualRate },
  });
}

async function prepare(file: string, past: number): Promise<void> {
  const db = openSqlite(file);
  try {
    for (const sql of tables) await db.run(sql);
    if (past > 0) await writePast(db, past);
  } finally {
    await db.close();
  }
}

/** Rows that were done, and dead letters with what the mail server said; the last one 40 min ago. */
async function writePast(db: Database, count: number): Promise<void> {
  await db.transaction(async (tx) => {
    for (let at = 0; at < count; at += 1) {
      const order = makeOrder(firstOrder + at);
      const { to, subject, message } = emailJobOf(order);
      const recipient = typeof to === 'string' ? to : JSON.stringify(to);
      const refusal = refusalOf(order.address);
      const ago = `-${lastS + (count - 1 - at) * spacingS} seconds`;
      const { insertId } = await tx.run(
        `INSERT INTO email_jobs (recipient, subject, body, status, attempts, available_at) VALUES (?, ?, ?, 'done', 1, datetime('now', ?))`,
        [recipient, subject, message, ago],
      );
      if (!refusal) continue;
      // as its worker does: the job goes, its number stays in the dead letter
      await tx.run(
        `INSERT INTO failed_email_jobs (job_id, recipient, subject, reason, failed_at, body) VALUES (?, ?, ?, ?, datetime('now', ?), ?)`,
        [insertId, recipient, subject, refusal.text, ago, message],
      );
      await tx.run('DELETE FROM email_jobs WHERE id = ?', [insertId]);
    }
  });
}

/** The table has no order numbers: orders are counted. */
function orderBook(shop: OpenedShop): (n: number) => Promise<number> {
  let last: Promise<unknown> = Promise.resolve();
  const write = async (n: number) => {
    const { counts } = await shop.desk.status();
    const first = firstOrder + counts.pending + counts.sending + counts.sent + counts.failed;
    await shop.desk.enqueue(Array.from({ length: n }, (_, at) => emailJobOf(makeOrder(first + at))));
    return n;
  };
  return (n) => {
    const mine = last.then(() => write(n));
    last = mine.catch(() => {});
    return mine;
  };
}

/** The job that the shop would write: plain text, and for some a list of recipients, who share one conversation. */
export function emailJobOf(order: Order): MailToEnqueue {
  const { words, number, customer, items, total } = order;
  const money = (cents: number) => `${(cents / 100).toFixed(2)} €`;
  const usual = !Object.values<string>(sinkDomains).some((domain) => order.address.endsWith(`@${domain}`));
  return {
    to: usual && number % 5 === 0 ? [order.address, `${customer.mailbox}@office.example`] : order.address,
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
