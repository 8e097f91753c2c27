/** Orders of a person on rows: what was confirmed is what is touched, once, and a delete can be called off. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenedShop } from '../../src-main/boot.ts';
import { heldForGood } from '../../src-main/contract/orders.ts';
import { makeShapeShop, type ShapeShop, type ShapeShopOptions } from '../support/shape-shop.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';

let shop: TestShop | null = null;
let shapeShop: ShapeShop | null = null;
afterEach(async () => {
  await shop?.close();
  await shapeShop?.close();
  [shop, shapeShop] = [null, null];
});

async function open(settings: Record<string, unknown> = { rate_per_minute: 5 }): Promise<OpenedShop> {
  shop = await makeShop({ settings });
  return shop.open();
}
const made = (): TestShop => shop as TestShop;
const failed = async (id: number, more = '') =>
  made().db.run(`UPDATE wp_studiou_wcmq_queue SET state = 'failed', attempts = 3 ${more} WHERE id = ?`, [id]);
const log = async () =>
  (await made().db.query<{ message: string }>('SELECT message FROM wp_studiou_wcmq_log ORDER BY id'))
    .map((row) => row.message)
    .join('\n');

describe('an order', () => {
  it('is prepared with the exact number, the time that it adds at the cap, and what it leaves alone', async () => {
    const { desk } = await open();
    for (let n = 0; n < 7; n += 1) await failed(await made().insert());
    await failed(await made().insert(), ', in_doubt = 1');
    await made().insert();
    const prepared = await desk.prepare({ filter: {} }, { do: 'retry' });
    // one every 12 s; what waits already has its place
    expect(prepared).toMatchObject({ count: 8, adds_s: 84, to: null });
    expect(prepared.refused).toEqual([
      { reason: 'it is in doubt: say whether it arrived, or send it again, one by one', count: 1 },
    ]);
    await desk.saveSettings({ rate_per_hour: 60 });
    await sleep(1100);
    expect((await desk.prepare({ filter: {} }, { do: 'retry' })).adds_s).toBe(7 * 60);
    const [first] = await made().rows("state = 'failed'");
    const gone = await desk.prepare({ ids: [Number(first?.['id']), 999_999] }, { do: 'retry' });
    expect(gone).toMatchObject({ count: 1, refused: [{ reason: 'it is not there any more', count: 1 }] });
  });

  it('touches what was confirmed, though the filter finds others by then, and guards what moved', async () => {
    const { desk } = await open();
    const ids = [await made().insert(), await made().insert(), await made().insert()];
    for (const id of ids) await failed(id);
    const { token, count } = await desk.prepare({ filter: { state: 'failed' } }, { do: 'retry' });
    expect(count).toBe(3);
    const late = await made().insert();
    await failed(late);
    await made().db.run("UPDATE wp_studiou_wcmq_queue SET state = 'sent' WHERE id = ?", [ids[0] ?? 0]);
    const acted = await desk.act(token);
    expect(acted).toEqual({
      waits: false,
      done: 2,
      refused: [{ id: ids[0], reason: 'it was sent already' }],
    });
    const states = Object.fromEntries((await made().rows()).map((row) => [row['id'], row['state']]));
    expect(states).toEqual({
      [ids[0] ?? 0]: 'sent',
      [ids[1] ?? 0]: 'pending',
      [ids[2] ?? 0]: 'pending',
      [late]: 'failed',
    });
  });

  it('is done once: the second click of a double click does nothing', async () => {
    const { desk } = await open();
    await failed(await made().insert());
    const { token } = await desk.prepare({ filter: {} }, { do: 'retry' });
    const both = await Promise.allSettled([desk.act(token), desk.act(token)]);
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(desk.act(token)).rejects.toThrow('answered already');
    expect((await log()).match(/put back into the queue/g)).toHaveLength(1);
  });

  it('to readdress takes an address that mail can go to, and no other', async () => {
    const { desk } = await open();
    const id = await made().insert();
    for (const to of ['nobody', 'a@b.test, c@d.test', 'a@b.test\r\nRCPT TO:<evil@z.test>', 'a b@c.test'])
      await expect(desk.prepare({ ids: [id] }, { do: 'readdress', to })).rejects.toThrow(
        'No mail can go there',
      );
    const prepared = await desk.prepare({ ids: [id] }, { do: 'readdress', to: 'Anna@Büro.example' });
    expect(prepared).toMatchObject({ count: 1, to: 'Anna@xn--bro-hoa.example' });
    await desk.act(prepared.token);
    expect((await desk.show(id)).recipient).toBe('Anna@xn--bro-hoa.example');
  });

  it('to send next, to hold, to change the recipient is what the mail server sees', async () => {
    const opened = await open({ rate_per_minute: 60 });
    const { desk } = opened;
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const to = `c${n}@example.test`;
      ids.push(await made().insert({ recipient: to, payload: planPayload({ to }) }));
    }
    const [first = 0, second = 0, , last = 0] = ids;
    await desk.change({ ids: [last] }, { do: 'next' });
    await desk.change({ ids: [first] }, { do: 'hold', until: null });
    await desk.change({ ids: [second] }, { do: 'readdress', to: 'other@example.test' });
    // what is held without an end is in nobody's forecast
    expect((await desk.show(first)).planned_at).toBeNull();
    const { empty_at, now } = await desk.status();
    expect((empty_at ?? 0) - now).toBeLessThan(60);
    await desk.enable();
    await opened.startDraining();
    await expect.poll(() => made().smtp.mails.length, { timeout: 15_000 }).toBe(3);
    const to = made().smtp.mails.map((mail) => mail.to[0]);
    expect(to[0]).toBe('c3@example.test');
    expect(to).toContain('other@example.test');
    expect(to).not.toContain('c0@example.test');
    expect(to).not.toContain('c1@example.test');
    await desk.change({ ids: [first] }, { do: 'release' });
    await expect.poll(() => made().smtp.mails.at(-1)?.to[0], { timeout: 10_000 }).toBe('c0@example.test');
  });
});

describe('a delete', () => {
  it('waits ten seconds, in which nothing of it leaves and it can be called off', async () => {
    const opened = await open({ rate_per_minute: 60 });
    const { desk } = opened;
    const ids = [await made().insert(), await made().insert()];
    const held = await made().insert();
    await desk.change({ ids: [held] }, { do: 'hold', until: null });
    await desk.enable();
    const { token, adds_s } = await desk.prepare({ filter: {} }, { do: 'delete' });
    expect(adds_s).toBe(-2);
    const acted = await desk.act(token);
    expect(acted).toMatchObject({ waits: true, undo: { count: 3, ids: [...ids, held] } });
    if (!acted.waits) return;
    expect(acted.undo.left_ms).toBeGreaterThan(8_000);
    await opened.startDraining();
    await sleep(1_500);
    expect(made().smtp.mails).toHaveLength(0);
    expect(desk.waitingDeletes()).toHaveLength(1);
    expect(await desk.undo(acted.undo.token)).toBe(true);
    expect(await desk.undo(acted.undo.token)).toBe(false);
    expect(desk.waitingDeletes()).toEqual([]);
    await expect.poll(() => made().smtp.mails.length, { timeout: 10_000 }).toBe(2);
    expect(await made().rows('held_until IS NOT NULL')).toMatchObject([
      { id: held, held_until: heldForGood },
    ]);
  });

  it('is done when nobody calls it off', async () => {
    const { desk } = await open();
    const id = await made().insert();
    const acted = await desk.act((await desk.prepare({ ids: [id] }, { do: 'delete' })).token);
    expect(acted.waits).toBe(true);
    expect(await made().rows()).toHaveLength(1);
    await expect.poll(() => made().rows(), { timeout: 15_000 }).toEqual([]);
    if (acted.waits) expect(await desk.undo(acted.undo.token)).toBe(false);
  });

  it('is dropped when the shop is closed before, and the log says so', async () => {
    const opened = await open();
    const id = await made().insert();
    await opened.desk.act((await opened.desk.prepare({ ids: [id] }, { do: 'delete' })).token);
    await opened.close();
    expect(await made().rows()).toMatchObject([{ id, state: 'pending', held_until: null }]);
    expect(await log()).toContain('Postroom was closed before 1 row was deleted: nothing was deleted');
    await sleep(500);
    expect(await made().rows()).toHaveLength(1);
  });
});

describe('the files of a mail', () => {
  it('are looked at where they lie: presence, size, checksum, and images by what they are', async () => {
    const { desk } = await open();
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    const token = made().attach('faktura č. 7.pdf', 'PDF content');
    const folder = path.join(made().filesRoot, token);
    writeFileSync(path.join(folder, 'logo.png'), png);
    writeFileSync(path.join(folder, 'evil.png'), '<svg onload="alert(1)"/>');
    const sha256 = createHash('sha256').update('PDF content').digest('hex');
    const id = await made().insert({
      attachment_dir: token,
      payload: planPayload({
        attachments: [
          { name: 'faktura.pdf', file: `${token}/faktura č. 7.pdf`, size: 11, sha256 },
          { name: 'wrong.pdf', file: `${token}/faktura č. 7.pdf`, size: 4, sha256: 'a'.repeat(64) },
          `/var/www/${token}/lost.pdf`,
        ],
        embeds: { logo: `/x/${token}/logo.png`, evil: `/x/${token}/evil.png` },
      }),
    });
    const looked = await desk.files(id, false);
    expect(looked.map((file) => [file.name, file.present, file.size, file.told, file.checksum])).toEqual([
      ['faktura.pdf', 'yes', 11, 11, 'unchecked'],
      ['wrong.pdf', 'yes', 11, 4, 'unchecked'],
      ['lost.pdf', 'no', null, null, 'untold'],
      ['logo.png', 'yes', 10, null, 'untold'],
      ['evil.png', 'yes', 24, null, 'untold'],
    ]);
    expect((await desk.files(id, true)).map((file) => file.checksum)).toEqual([
      'matches',
      'differs',
      'untold',
      'untold',
      'untold',
    ]);
    expect(await desk.images(id)).toEqual({ logo: `data:image/png;base64,${png.toString('base64')}` });
  });
});

const variants: ShapeShopOptions[] = [
  { shape: 'wp-email-queue', booksInShop: true },
  { shape: 'jobs', booksInShop: false },
  { shape: 'email-jobs', booksInShop: true },
  { shape: 'email-jobs', booksInShop: false, sqlite: true },
];
describe.each(variants)(
  "on a shop's own table: $shape, sqlite $sqlite, books in shop $booksInShop",
  (variant) => {
    it('filters, sorts, counts, holds and deletes, and says in words what the table cannot carry', async () => {
      shapeShop = await makeShapeShop({ ...variant });
      const ids: string[] = [];
      for (const name of ['b', 'a', 'c'])
        ids.push(await shapeShop.put(`${name}@${name}.example`, `Hello ${name}`));
      const [b = '', a = '', c = ''] = ids;
      const opened = await shapeShop.open();
      const { desk } = opened;
      const list = async (filter: object, sort?: { by: 'recipient' | 'priority'; descending: boolean }) =>
        (await desk.list({ filter, limit: 100, offset: 0, ...(sort ? { sort } : {}) })).rows.map((row) =>
          String(row.id),
        );
      expect(await list({ domain: 'a.example' })).toEqual([a]);
      expect(await list({ order_id: 1 })).toEqual([]);
      expect(await list({}, { by: 'recipient', descending: false })).toEqual([a, b, c]);
      expect(await list({}, { by: 'priority', descending: true })).toHaveLength(3);
      expect(await desk.change({ ids: [b] }, { do: 'hold', until: null })).toEqual({ done: 1, refused: [] });
      expect(await list({ held: true })).toEqual([b]);
      expect((await list({ held: false })).sort()).toEqual([a, c].sort());
      expect(await desk.counts({})).toMatchObject({ pending: 3, held: 1, in_doubt: 0 });
      expect(await desk.counts({ domain: 'b.example' })).toMatchObject({ pending: 1, held: 1 });
      expect((await desk.named([b, a])).find((row) => row.id === b)?.held_until).toBe(heldForGood);
      expect(await desk.kinds()).toEqual([]);
      for (const order of [
        { do: 'next' } as const,
        { do: 'priority', priority: 1 } as const,
        { do: 'readdress', to: 'x@y.example' } as const,
      ])
        await expect(desk.prepare({ ids: [a] }, order)).rejects.toThrow("shop's own table");
      const { token, count } = await desk.prepare({ filter: { domain: 'c.example' } }, { do: 'delete' });
      expect(count).toBe(1);
      const acted = await desk.act(token);
      await opened.startDraining();
      await expect.poll(() => shapeShop?.smtp.mails.length, { timeout: 10_000 }).toBe(1);
      await sleep(1_500);
      // neither what is held nor what is about to be deleted
      expect(shapeShop.smtp.mails.map((mail) => mail.to[0])).toEqual(['a@a.example']);
      if (acted.waits) await desk.undo(acted.undo.token);
      await desk.change({ filter: { held: true } }, { do: 'release' });
      await expect.poll(() => shapeShop?.smtp.mails.length, { timeout: 15_000 }).toBe(3);
      await opened.close();
    });
  },
);
