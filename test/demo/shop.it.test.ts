import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pdfWith } from '../../src-main/demo/invoice.ts';
import { firstOrder, mailOf, makeOrder } from '../../src-main/demo/orders.ts';
import { type OpenedDemoShop, openDemoShop } from '../../src-main/demo/shop.ts';

let stateDir: string;
let shop: OpenedDemoShop | null = null;
const open = async (more: { mails?: number; rate?: number } = {}) => {
  shop = await openDemoShop({ stateDir, version: '0.0.0', ...more });
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

describe('the demo shop', () => {
  it('begins with a past, disabled, and nothing waiting', async () => {
    const { desk } = await open();
    const status = await desk.status();
    expect(status).toMatchObject({ state: 'disabled', remaining: 0 });
    expect(status.counts.sent).toBeGreaterThan(15);
    expect(status.counts.failed).toBeGreaterThan(0);
    expect(status.counts.in_doubt).toBe(0);
    expect(status.rate.used_minute).toBe(0);
    const failed = (await desk.list({ filter: { state: 'failed' }, limit: 1, offset: 0 })).rows[0];
    const detail = await desk.show(failed?.id ?? 0);
    expect(detail.history).toHaveLength(1);
    expect(detail.last_error).toMatch(/^55[02] 5\./);
  });

  it('sends what is ordered, invoices and all, and clears them away', async () => {
    const opened = await open({ rate: 60 });
    expect(await opened.order(3)).toBe(3);
    expect((await readdir(path.join(stateDir, 'files'))).length).toBeGreaterThan(0);
    await opened.startDraining();
    await opened.untilEmpty();
    expect(opened.inbox(10)).toHaveLength(3);
    expect(await readdir(path.join(stateDir, 'files'))).toEqual([]);
    // rows that arrived while it was disabled were drained all the same, and it is disabled again (promise 11)
    await vi.waitFor(async () => expect((await opened.desk.status()).state).toBe('disabled'), 5000);
  });

  it('sells by itself while it is enabled, until it is told to stop', async () => {
    const opened = await open();
    await opened.desk.enable();
    await vi.waitFor(async () => expect((await opened.desk.status()).counts.pending).toBe(12), {
      timeout: 8000,
      interval: 200,
    });
    opened.stopSelling();
  });

  it('goes on where it was when it is opened again', async () => {
    await (await open({ mails: 2 })).close();
    const again = await open();
    expect((await again.desk.status()).counts).toMatchObject({ pending: 2, sent: 0 });
    await again.order(1);
    const { rows } = await again.desk.list({ filter: {}, limit: 10, offset: 0 });
    expect(rows.map((row) => row.order_id)).toEqual([firstOrder + 2, firstOrder + 1, firstOrder]);
  });

  it('numbers orders of two customers at once apart', async () => {
    const opened = await open({ mails: 0 });
    await Promise.all([opened.order(2), opened.order(2)]);
    const { rows } = await opened.desk.list({ filter: {}, limit: 10, offset: 0 });
    expect(new Set(rows.map((row) => row.order_id)).size).toBe(4);
  });
});

describe('orders', () => {
  it('are the same for the same number, and name nobody real', () => {
    for (let number = firstOrder; number < firstOrder + 48; number += 1) {
      const order = makeOrder(number);
      expect(makeOrder(number)).toEqual(order);
      expect(order.address).toMatch(/^[a-z.]+@[a-z]+\.example$/);
      const mail = mailOf(order, []);
      expect(mail.message).toContain('</html>');
      expect(mail.message).not.toContain('undefined');
      expect(order.total).toBeGreaterThan(0);
    }
  });

  it('escape what customers write', () => {
    const order = makeOrder(firstOrder + 8);
    expect(order.customer.name).toContain('"');
    expect(mailOf(order, []).message).not.toContain('"Tomek"');
  });
});

describe('an invoice', () => {
  it('is a PDF whose table points at its objects', async () => {
    const text = pdfWith(['Invoice (7)', 'ž']).toString('latin1');
    expect(text.startsWith('%PDF-1.4')).toBe(true);
    const table = Number(/startxref\n(\d+)/.exec(text)?.[1]);
    expect(text.slice(table, table + 4)).toBe('xref');
    for (const [index, entry] of [...text.matchAll(/^(\d{10}) 00000 n $/gm)].entries())
      expect(text.slice(Number(entry[1]))).toMatch(new RegExp(`^${index + 1} 0 obj`));
    expect(text).toContain('Invoice \\(7\\)');
  });

  it('lies where the payload says', async () => {
    const opened = await open({ mails: 1 });
    const [row] = (await opened.desk.list({ filter: {}, limit: 1, offset: 0 })).rows;
    const { payload, attachment_dir: folder } = await opened.desk.show(row?.id ?? 0);
    const value = payload.ok ? (payload.value as { attachments: { file: string; size: number }[] }) : null;
    const file = value?.attachments[0];
    expect(file?.file).toContain(`/${folder}/`);
    expect((await readFile(file?.file ?? '')).length).toBe(file?.size);
  });
});
