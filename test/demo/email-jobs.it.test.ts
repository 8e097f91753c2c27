/** The demo shop over email_jobs: its past, what waits, and that it is drained like any other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emailJobOf, openEmailJobsDemo } from '../../src-main/demo/email-jobs.ts';
import { firstOrder, makeOrder } from '../../src-main/demo/orders.ts';
import type { OpenedDemoShop } from '../../src-main/demo/shop.ts';
import { openSqlite } from '../../src-main/shop/sqlite.ts';

let stateDir: string;
let shop: OpenedDemoShop | null = null;
const open = async (more: { mails?: number; rate?: number } = {}) => {
  shop = await openEmailJobsDemo({ stateDir, version: '0.0.0', ...more });
  return shop;
};
beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'postroom-demo-test-'));
});
afterEach(async () => {
  await shop?.close();
  shop = null;
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

describe('the demo shop over email_jobs', () => {
  it('begins with a past, disabled, and nothing waiting; the doctor has nothing against it', async () => {
    const opened = await open();
    const status = await opened.desk.status();
    expect(status).toMatchObject({
      state: 'disabled',
      remaining: 0,
      counts: { sent: 21, failed: 3, in_doubt: 0 },
    });
    const { rows } = await opened.desk.list({ filter: { state: 'failed' }, limit: 9, offset: 0 });
    expect(rows.map((row) => row.last_error)).toEqual(Array(3).fill(expect.stringMatching(/^55[02] 5\./)));
    const steps = await opened.doctor();
    expect(steps.filter(({ color }) => color === 'red' || color === 'amber')).toEqual([]);
  });

  it('sends what is ordered, a list of recipients in one conversation; a failed mail can be retried', async () => {
    const opened = await open({ mails: 4, rate: 60 });
    const { rows } = await opened.desk.list({ filter: { state: 'pending' }, limit: 9, offset: 0 });
    expect(rows).toHaveLength(4);
    await opened.desk.retry({ filter: { state: 'failed' } });
    expect((await opened.desk.status()).counts).toMatchObject({ pending: 7, failed: 0 });
    await opened.startDraining();
    await opened.untilEmpty();
    // those that were refused before are refused again
    expect((await opened.desk.status()).counts).toMatchObject({ sent: 25, failed: 3, pending: 0 });
    const inbox = opened.inbox(10);
    expect(inbox).toHaveLength(4);
    expect(inbox.some(({ to }) => to.length === 2)).toBe(true);
    expect(opened.proof()).toMatchObject({ arrived: 4, duplicates: 0 });
  });

  it('goes on where it was, and numbers orders of two customers at once apart', async () => {
    await (await open({ mails: 2 })).close();
    const again = await open({ mails: 0 });
    expect((await again.desk.status()).counts).toMatchObject({ pending: 2, sent: 21, failed: 3 });
    await Promise.all([again.order(2), again.order(2)]);
    const { rows } = await again.desk.list({ filter: { state: 'pending' }, limit: 10, offset: 0 });
    expect(new Set(rows.map((row) => row.subject)).size).toBe(6);
  });

  it('writes rows as another program would read them', async () => {
    await (await open({ mails: 12 })).close();
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

  it('makes the same job of the same order, and names nobody real', () => {
    for (let number = firstOrder; number < firstOrder + 48; number += 1) {
      const job = emailJobOf(makeOrder(number));
      expect(job).toEqual(emailJobOf(makeOrder(number)));
      for (const address of [job.to].flat()) expect(address).toMatch(/^[a-z.]+@[a-z]+\.example$/);
    }
  });
});
