/** The demo shop over other programs' tables: its past, what waits, and that it is drained like any other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstOrder, makeOrder } from '../../src-main/demo/orders.ts';
import { openShapeDemo, shapeMailOf } from '../../src-main/demo/shape-shop.ts';
import type { DemoTable } from '../../src-main/demo/shape-tables.ts';
import type { OpenedDemoShop } from '../../src-main/demo/shop.ts';
import { openSqlite } from '../../src-main/shop/sqlite.ts';

let stateDir: string;
let shop: OpenedDemoShop | null = null;
const open = async (shape: DemoTable, more: { mails?: number; rate?: number } = {}) => {
  const opened = await openShapeDemo(shape, { stateDir, version: '0.0.0', ...more });
  shop = opened;
  return opened;
};
beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'postroom-demo-test-'));
});
afterEach(async () => {
  await shop?.close();
  shop = null;
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Rows of the past that are still there: a done job is deleted, and wp_email_queue keeps no reason. */
const pasts = [
  ['wp-email-queue', { sent: 21, failed: 3 }, null],
  ['jobs', { sent: 0, failed: 3 }, expect.stringMatching(/^55[02] 5\./)],
  ['email-jobs', { sent: 21, failed: 3 }, expect.stringMatching(/^55[02] 5\./)],
] as const;

describe.each(pasts)('the demo shop over %s', (shape, past, reason) => {
  it('begins with a past, disabled, and nothing waiting; the doctor has nothing against it', async () => {
    const opened = await open(shape);
    const status = await opened.desk.status();
    expect(status).toMatchObject({
      state: 'disabled',
      remaining: 0,
      counts: { ...past, in_doubt: 0 },
    });
    const { rows } = await opened.desk.list({ filter: { state: 'failed' }, limit: 9, offset: 0 });
    expect(rows.map((row) => row.last_error)).toEqual(Array(3).fill(reason));
    const steps = await opened.doctor();
    expect(steps.filter(({ color }) => color === 'red' || color === 'amber')).toEqual([]);
  });

  it('sends what is ordered; a failed mail can be retried', async () => {
    const opened = await open(shape, { mails: 4, rate: 60 });
    const { rows } = await opened.desk.list({ filter: { state: 'pending' }, limit: 9, offset: 0 });
    expect(rows).toHaveLength(4);
    await opened.desk.retry({ filter: { state: 'failed' } });
    expect((await opened.desk.status()).counts).toMatchObject({ pending: 7, failed: 0 });
    await opened.startDraining();
    await opened.untilEmpty();
    // those that were refused before are refused again
    expect((await opened.desk.status()).counts).toMatchObject({
      sent: past.sent === 0 ? 0 : past.sent + 4,
      failed: 3,
      pending: 0,
    });
    const inbox = opened.inbox(10);
    expect(inbox).toHaveLength(4);
    // email_jobs: a list of recipients goes out as one conversation
    expect(inbox.some(({ to }) => to.length === 2)).toBe(shape === 'email-jobs');
    expect(opened.proof()).toMatchObject({ arrived: 4, duplicates: 0 });
  });

  it('goes on where it was, and numbers orders of two customers at once apart', async () => {
    await (await open(shape, { mails: 2 })).close();
    const again = await open(shape, { mails: 0 });
    expect((await again.desk.status()).counts).toMatchObject({ pending: 2, ...past });
    await Promise.all([again.order(2), again.order(2)]);
    const { rows } = await again.desk.list({ filter: { state: 'pending' }, limit: 10, offset: 0 });
    expect(new Set(rows.map((row) => row.subject)).size).toBe(6);
  });

  it('makes the same mail of the same order, and names nobody real', () => {
    for (let number = firstOrder; number < firstOrder + 48; number += 1) {
      const mail = shapeMailOf(shape, makeOrder(number));
      expect(mail).toEqual(shapeMailOf(shape, makeOrder(number)));
      for (const address of [mail.to].flat()) expect(address).toMatch(/^[a-z.]+@[a-z]+\.example$/);
    }
  });
});

it('writes rows as another program would read them', async () => {
  await (await open('email-jobs', { mails: 12 })).close();
  shop = null;
  const db = openSqlite(path.join(stateDir, 'email-jobs.db'));
  const rows = await db.query<{ recipient: string; status: string; body: string }>(
    'SELECT * FROM email_jobs',
  );
  await db.close();
  expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(12);
  const lists = rows.filter(({ recipient }) => recipient.startsWith('['));
  expect(lists.length).toBeGreaterThan(2);
  for (const { recipient } of lists) expect(JSON.parse(recipient)).toHaveLength(2);
  for (const { body } of rows) expect(body).not.toMatch(/undefined|NaN|&nbsp;|</);
});
