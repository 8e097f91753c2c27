/** One engine over every shape of a shop's own table: the promises that do not depend on whose table it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenedShop } from '../../src-main/boot.ts';
import { makeShapeShop, type ShapeShop, type ShapeShopOptions } from '../support/shape-shop.ts';

interface Variant extends ShapeShopOptions {
  title: string;
  words: { waiting: string; held: string; sent: string | null; dead: string };
}
const words = {
  'wp-email-queue': { waiting: 'pendente', held: 'processando', sent: 'enviado', dead: 'falha' },
  // a job that is done is gone
  jobs: { waiting: 'waiting', held: 'reserved', sent: null, dead: 'dead' },
  'email-jobs': { waiting: 'pending', held: 'processing', sent: 'done', dead: 'dead' },
} as const;
const variants: Variant[] = (['wp-email-queue', 'jobs', 'email-jobs'] as const).flatMap((shape) =>
  [true, false].flatMap((booksInShop) => [
    {
      title: `${shape}, books with ${booksInShop ? 'the shop' : 'the console'}`,
      shape,
      booksInShop,
      words: words[shape],
    },
    // two files of the embedded database, or one: the console's books beside it are looked at with one shape
    ...(booksInShop || shape === 'email-jobs'
      ? [
          {
            title: `${shape} embedded, books with ${booksInShop ? 'the shop' : 'the console'}`,
            shape,
            booksInShop,
            sqlite: true,
            words: words[shape],
          },
        ]
      : []),
  ]),
);

let shop: ShapeShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

async function drained(one: OpenedShop): Promise<void> {
  await one.startDraining();
  await one.untilEmpty(AbortSignal.timeout(20_000));
}

async function until(what: () => Promise<boolean> | boolean, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; !(await what()); await sleep(50))
    if (Date.now() > end) throw new Error('it did not come about in time');
}

describe.each(variants)('$title', (variant) => {
  const make = async (changes: Partial<ShapeShopOptions> = {}) => {
    shop = await makeShapeShop({ ...variant, ...changes });
    return shop;
  };
  const { waiting, sent, dead } = variant.words;

  it('sends what waits, once each, and says so in the words of the table', async () => {
    const made = await make();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await made.put(`one-${n}@example.test`, `Hello ${n}`));
    const one = await made.open();
    await drained(one);
    const counts = (await one.desk.status()).counts;
    await one.close();
    expect(made.smtp.mails.map((mail) => mail.to[0]).sort()).toEqual(
      ids.map((_, n) => `one-${n}@example.test`).sort(),
    );
    const rows = await made.rows();
    for (const id of ids) expect(rows.get(id)?.word).toBe(sent ?? undefined);
    expect(counts).toMatchObject({ pending: 0, sending: 0, failed: 0, in_doubt: 0 });
  });

  it('waits as the shape says after a refusal for now, and goes out again under the same Message-ID', async () => {
    const made = await make();
    const seen: (string | null)[] = [];
    made.smtp.behaviour = ({ step, messageId }) => {
      if (step !== 'dot') return undefined;
      seen.push(messageId);
      return seen.length === 1 ? '451 4.3.0 try again later' : undefined;
    };
    const id = await made.put('later@example.test');
    const one = await made.open();
    await one.startDraining();
    await until(async () => (await one.desk.show(id)).attempts === 1);
    const row = await one.desk.show(id);
    expect(row).toMatchObject({ state: 'pending' });
    // the first wait is 5 minutes in every one of them
    const { now } = await one.desk.status();
    expect(row.scheduled_at - now).toBeGreaterThan(280);
    expect(row.scheduled_at - now).toBeLessThanOrEqual(302);
    await one.close();
    expect((await made.rows()).get(id)).toMatchObject({ word: waiting, attempts: 1 });
    await made.ripen();
    const again = await made.open();
    await drained(again);
    await again.close();
    expect(made.smtp.mails).toHaveLength(1);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  it('buries what is refused for good with its reason, and digs it out again by hand', async () => {
    const made = await make();
    let refuse = true;
    made.smtp.behaviour = ({ step }) =>
      step === 'rcpt' && refuse ? '550 5.1.1 no such user here' : undefined;
    const id = await made.put('nobody@example.test');
    const one = await made.open();
    await drained(one);
    const row = await one.desk.show(id);
    expect(row).toMatchObject({ state: 'failed', in_doubt: false });
    expect(row.last_error).toContain('no such user here');
    expect(row.history).toHaveLength(1);
    expect((await one.desk.list({ filter: { state: 'failed' }, limit: 10, offset: 0 })).rows).toMatchObject([
      { id, recipient: 'nobody@example.test' },
    ]);
    refuse = false;
    expect(await one.desk.retry({ ids: [id] })).toEqual({ done: 1, refused: [] });
    await one.untilEmpty(AbortSignal.timeout(20_000));
    await one.close();
    expect(made.smtp.mails).toHaveLength(1);
    expect((await made.rows()).get(id)?.word).toBe(sent ?? undefined);
  });

  it('a row that takes the id of an old one is another mail', async () => {
    const made = await make();
    const old = await made.put('old@example.test');
    const one = await made.open();
    await drained(one);
    await one.close();
    await made.forgetRows();
    const fresh = await made.put('new@example.test');
    const next = await made.open();
    await drained(next);
    await next.close();
    expect(fresh).toBe(old);
    expect(made.smtp.mails.map((mail) => mail.to[0])).toEqual(['old@example.test', 'new@example.test']);
    expect(made.smtp.mails[0]?.messageId).not.toBe(made.smtp.mails[1]?.messageId);
  });

  it('fails a row that can never be sent with its exact reason, and holds up no other', async () => {
    const made = await make();
    const broken = await made.putBroken();
    await made.put('fine@example.test');
    const one = await made.open();
    await drained(one);
    const row = await one.desk.show(broken);
    await one.close();
    expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['fine@example.test']]);
    expect(row).toMatchObject({ state: 'failed' });
    expect(row.last_error).toMatch(/no valid recipient|subject|to has a wrong type/);
    expect((await made.rows()).get(broken)?.word).toBe(dead);
  });

  it('deletes by hand what it says, and nothing else', async () => {
    const made = await make();
    const [first, second] = [await made.put('a@example.test'), await made.put('b@example.test')];
    const one = await made.open();
    expect(await one.desk.remove({ ids: [first] })).toMatchObject({ done: 1 });
    await one.close();
    expect([...(await made.rows()).keys()]).toEqual([second]);
  });

  it('an answer that never came leaves the mail in doubt, and a person says what is to be done', async () => {
    const made = await make();
    made.smtp.behaviour = ({ step }) =>
      step === 'dot' ? { drop: 'rst', reply: '250 ok', decide: true } : undefined;
    const ids = [await made.put('a@example.test'), await made.put('b@example.test')];
    const one = await made.open();
    await drained(one);
    const doubts = await one.desk.list({ filter: { in_doubt: true }, limit: 10, offset: 0 });
    expect(doubts.rows.map((row) => row.id).sort()).toEqual([...ids].sort());
    expect((await one.desk.status()).counts.in_doubt).toBe(2);
    const refused = await one.desk.retry({ ids });
    expect(refused).toMatchObject({ done: 0 });
    made.smtp.behaviour = () => undefined;
    await one.desk.resolve(ids[0] ?? '', 'arrived');
    await one.desk.resolve(ids[1] ?? '', 'send-again');
    await one.untilEmpty(AbortSignal.timeout(20_000));
    expect((await one.desk.status()).counts).toMatchObject({ in_doubt: 0, failed: 0, pending: 0 });
    await one.close();
    const rows = await made.rows();
    for (const id of ids) expect(rows.get(id)?.word).toBe(sent ?? undefined);
    expect(made.smtp.mails.map((mail) => mail.to[0])).toEqual([
      'a@example.test',
      'b@example.test',
      'b@example.test',
    ]);
  });

  // the embedded database has one process at a time: there is no other worker
  const onServers = variant.sqlite ? () => {} : it;
  onServers(
    'a row that another worker holds is timed from first sight, then in doubt, and stays where it is',
    async () => {
      const made = await make();
      const [late, young] = [await made.put('late@example.test'), await made.put('young@example.test')];
      await made.holdElsewhere(late);
      await made.holdElsewhere(young);
      const one = await made.open();
      await one.startDraining(); // seen now, for the first time
      await made.backdateSight(late, 905);
      await made.backdateSight(young, 890);
      await one.close();
      const next = await made.open();
      await next.startDraining();
      expect(await next.desk.show(late)).toMatchObject({ in_doubt: true, state: 'failed' });
      expect((await next.desk.show(late)).last_error).toContain(
        'another program of the shop took it 15 min ago',
      );
      expect(await next.desk.show(young)).toMatchObject({ in_doubt: false, state: 'sending' });
      const rows = await made.rows();
      expect([rows.get(late)?.word, rows.get(young)?.word]).toEqual([variant.words.held, variant.words.held]);
      await next.desk.resolve(late, 'arrived');
      await next.close();
      expect((await made.rows()).get(late)?.word).toBe(sent ?? undefined);
      expect(made.smtp.mails).toHaveLength(0);
    },
  );

  it('keeps the cap', async () => {
    const made = await make({ profile: { uncapped: false, settings: { rate_per_minute: 30 } } });
    for (let n = 0; n < 3; n += 1) await made.put(`capped-${n}@example.test`);
    const one = await made.open();
    await drained(one);
    await one.close();
    // the dots keep their distance: what comes before one may take its time on a busy machine
    const dots = made.smtp.mails.map((mail) => mail.at);
    expect(dots).toHaveLength(3);
    for (let n = 1; n < 3; n += 1) expect((dots[n] ?? 0) - (dots[n - 1] ?? 0)).toBeGreaterThanOrEqual(1_900);
  });
});

describe('books that move from the console into the shop', () => {
  it.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)(
    '%s: doubts, ledger, pace and state come along',
    async (shape) => {
      shop = await makeShapeShop({ shape, booksInShop: false });
      shop.smtp.behaviour = ({ step }) =>
        step === 'dot' ? { drop: 'rst', reply: '250 ok', decide: true } : undefined;
      const id = await shop.put('doubtful@example.test');
      const one = await shop.open();
      await one.desk.enable();
      await one.desk.saveSettings({ rate_per_minute: 7 });
      await one.startDraining();
      await until(async () => (await one.desk.status()).counts.in_doubt === 1);
      const before = await one.desk.show(id);
      expect((await one.desk.status()).shape.books).toBe('console');
      await one.desk.schema(true);
      await one.close();
      const moved = await shop.open();
      const status = await moved.desk.status();
      expect(status).toMatchObject({ state: 'enabled', shape: { books: 'shop' }, counts: { in_doubt: 1 } });
      expect(status.settings.rate_per_minute).toBe(7);
      expect(status.rate.used_hour).toBe(1);
      const after = await moved.desk.show(id);
      expect(after).toMatchObject({
        in_doubt: true,
        message_id: before.message_id,
        last_error: before.last_error,
      });
      expect(after.history.map((line) => line.outcome)).toEqual(['in-doubt']);
      expect(await moved.desk.retry({ ids: [id] })).toMatchObject({ done: 0 });
      await moved.close();
      // the old books do not come back
      const third = await shop.open();
      expect((await third.desk.status()).counts.in_doubt).toBe(1);
    },
  );
});

describe('a list of recipients', () => {
  it.each([true, false])(
    'is one conversation; who was refused for now goes out again alone (books in the shop: %s)',
    async (booksInShop) => {
      shop = await makeShapeShop({ shape: 'email-jobs', booksInShop });
      let later = true;
      shop.smtp.behaviour = ({ step, recipient }) => {
        if (step !== 'rcpt') return undefined;
        if (recipient?.startsWith('never')) return '550 5.1.1 no such user here';
        return recipient?.startsWith('later') && later ? '451 4.2.1 mailbox busy' : undefined;
      };
      const list = ['now@example.test', 'later@example.test', 'never@example.test'];
      const id = await shop.put(JSON.stringify(list), 'To many');
      const one = await shop.open();
      await one.startDraining();
      await until(async () => (await one.desk.show(id)).attempts === 1);
      const row = await one.desk.show(id);
      expect(row).toMatchObject({ state: 'pending' });
      expect(row.delivered_to).toContain('now@example.test');
      await one.close();
      later = false;
      await shop.ripen();
      const next = await shop.open();
      await drained(next);
      const end = await next.desk.show(id);
      await next.close();
      expect(shop.smtp.mails.map((mail) => mail.to)).toEqual([['now@example.test'], ['later@example.test']]);
      expect(end.state).toBe('sent');
      expect(end.last_error).toContain('refused for good: never@example.test');
      expect(end.last_error).not.toContain('later@');
      expect(end.history.map((line) => line.recipients)).toEqual([1, 3]);
    },
  );
});

describe('a failed table that keeps no text', () => {
  it.each([true, false])(
    'a mail in it is not sent again, and says why (books in the shop: %s)',
    async (booksInShop) => {
      shop = await makeShapeShop({ shape: 'email-jobs', booksInShop, withoutBody: true });
      shop.smtp.behaviour = ({ step }) => (step === 'rcpt' ? '550 5.1.1 no such user here' : undefined);
      const id = await shop.put('nobody@example.test');
      const one = await shop.open();
      await drained(one);
      const { done, refused } = await one.desk.retry({ ids: [id] });
      expect(done).toBe(0);
      expect(refused).toMatchObject([{ id, reason: expect.stringContaining('its text was not kept') }]);
      expect(await one.desk.show(id)).toMatchObject({ state: 'failed' });
      await one.close();
      expect((await shop.rows()).get(id)?.word).toBe('dead');
    },
  );
});
