/**
 * The demo shop: a file database, a mail server on loopback, customers who keep buying. Everything can be tried on it,
 * and nothing leaves this machine. Its data lives in the state folder; opened again, it goes on where it was.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type OpenedShop, openShop } from '../boot.ts';
import type { DemoMail } from '../contract/channels.ts';
import { type Profile, profileSchema } from '../contract/profile.ts';
import type { MailType } from '../contract/rows.ts';
import { schemaVersion } from '../engine/desk.ts';
import { openPlace } from '../queue/place.ts';
import { applySchema } from '../queue/schema.ts';
import { seedSettings, writeValue } from '../queue/settings-table.ts';
import { openSqlite } from '../shop/sqlite.ts';
import { writeHistory } from './history.ts';
import { writeInvoice } from './invoice.ts';
import { firstOrder, mailOf, makeOrder } from './orders.ts';
import { type Selling, startSelling } from './selling.ts';
import { MailSink, type SinkProof } from './sink.ts';

const tablePrefix = 'wp_';
/** mails a minute, unless another rate is asked for */
export const usualRate = 20;
/** rows of the past in a new demo shop that has no mails waiting: a whole round of the odd domains (orders.ts) */
const pastOrders = 24;
/** the slow server must not hold the others up */
const connections = 3;
/** orders whose invoices are written, and rows made, in one go */
const orderBatch = 100;

export interface DemoOptions {
  /** folder of the shop's database, files and journal */
  stateDir: string;
  version: string;
  /** orders that wait at once; the shop then sells nothing by itself, and a new one has no past */
  mails?: number;
  /** mails a minute, 1 to 60 */
  rate?: number;
}

export interface OpenedDemoShop extends OpenedShop {
  /** the last mails that arrived at the demo's mail server, the newest first */
  inbox(limit: number): DemoMail[];
  /** n customers order something; answers how many mails that queued */
  order(n: number): Promise<number>;
  stopSelling(): void;
  /** the mail server's own books since it was opened */
  proof(): SinkProof;
  onArrival(listener: (mail: DemoMail) => void): void;
}

/** @throws PostroomError busy | disk */
export async function openDemoShop({ stateDir, version, mails, rate }: DemoOptions): Promise<OpenedDemoShop> {
  const files = path.join(stateDir, 'files');
  const database = path.join(stateDir, 'shop.db');
  await mkdir(files, { recursive: true });
  const past = existsSync(database) || mails !== undefined ? 0 : pastOrders;
  await prepare(database, rate ?? usualRate, past);
  const sink = await MailSink.open();
  let shop: OpenedShop | null = null;
  try {
    shop = await openShop(profileOf(database, files, sink.port, rate), {
      stateDir,
      name: 'Demo shop',
      version,
    });
    if (rate !== undefined) await shop.desk.saveSettings({ rate_per_minute: rate });
    const order = orderBook(shop, files);
    if (mails !== undefined) await order(mails);
    return assemble(shop, sink, order, mails === undefined);
  } catch (error) {
    await shop?.close().catch(() => {});
    await sink.close();
    throw error;
  }
}

/** What a demo shop has beside any other, whichever table it is on. */
export function assemble(
  shop: OpenedShop,
  sink: MailSink,
  order: (n: number) => Promise<number>,
  sells: boolean,
): OpenedDemoShop {
  let selling: Selling | null = null;
  let closing: Promise<void> | null = null;
  const stopSelling = () => selling?.stop();
  if (sells) selling = startSelling({ state: async () => (await shop.desk.status()).state, order });
  return {
    ...shop,
    inbox: (limit) => sink.inbox(limit),
    order,
    stopSelling,
    proof: () => sink.proof(),
    onArrival: (listener) => sink.onArrival(listener),
    close: () => {
      stopSelling();
      // the mail server last: what is in flight still gets its answer
      closing ??= shop.close().finally(() => sink.close());
      return closing;
    },
  };
}

/** As a WooCommerce shop's connector tells of its mail types. */
const mailTypes: MailType[] = [
  { id: 'new_order', title: 'New order' },
  { id: 'customer_processing_order', title: 'Processing order' },
  { id: 'customer_completed_order', title: 'Completed order' },
  { id: 'customer_refunded_order', title: 'Refunded order' },
  { id: 'customer_note', title: 'Customer note' },
  { id: 'customer_reset_password', title: 'Reset password' },
  { id: 'customer_new_account', title: 'New account' },
];

/** Makes what lacks of the tables (all of them in a new demo shop), and its past. */
async function prepare(file: string, rate: number, past: number): Promise<void> {
  const db = openSqlite(file);
  try {
    const place = await openPlace(db, tablePrefix);
    await applySchema(place);
    await seedSettings(place, { rate_per_minute: rate }, schemaVersion);
    await writeValue(place, 'email_types', mailTypes);
    if (past > 0) await writeHistory(place, past);
  } finally {
    await db.close();
  }
}

function profileOf(database: string, files: string, port: number, rate: number | undefined): Profile {
  return profileSchema.parse({
    name: 'Demo shop',
    database: { file: database, tablePrefix },
    files: { root: files, via: 'local' },
    smtp: { host: '127.0.0.1', port, security: 'none', connections },
    from: 'Studio U <shop@demo.example>',
    settings: { rate_per_minute: rate ?? usualRate },
  });
}

/** Orders are numbered on from how many there ever were. */
function orderBook(shop: OpenedShop, files: string): (n: number) => Promise<number> {
  let next: Promise<number> | null = null;
  const numberOfNext = async () => {
    const newest = (await shop.desk.list({ filter: {}, limit: 1, offset: 0 })).rows[0];
    return newest ? Math.max(firstOrder, Number(newest.order_id) + 1) : firstOrder;
  };
  return async (n) => {
    const mine = next ?? numberOfNext();
    next = mine.then((number) => number + n);
    next.catch(() => {
      next = null; // asked again by whoever comes next
    });
    const first = await mine;
    for (let at = 0; at < n; at += orderBatch) {
      const numbers = Array.from({ length: Math.min(orderBatch, n - at) }, (_, index) => first + at + index);
      const mails = await Promise.all(
        numbers.map(async (number) => {
          const order = makeOrder(number);
          return mailOf(order, order.invoice ? [await writeInvoice(files, order)] : []);
        }),
      );
      await shop.desk.enqueue(mails);
    }
    return n;
  };
}
