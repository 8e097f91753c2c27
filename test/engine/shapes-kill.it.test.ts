/** Kill -9 at each named point of a row's life, on each shape: its successor leaves every mail sent once. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from 'vite';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeShapeShop, type ShapeShop } from '../support/shape-shop.ts';
import { type KillPoint, points } from './shape-worker.ts';

const root = path.resolve(import.meta.dirname, '../..');
const outDir = path.join(root, 'out/shape-worker');
let shop: ShapeShop | null = null;

beforeAll(async () => {
  // inside the project, so that the program finds its packages
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: true,
      rolldownOptions: {
        input: path.join(import.meta.dirname, 'shape-worker.ts'),
        output: { format: 'es', entryFileNames: 'worker.mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
});
afterEach(async () => {
  await shop?.close();
  shop = null;
});

function killedAt(made: ShapeShop, point: KillPoint): Promise<NodeJS.Signals | null> {
  const order = JSON.stringify({ profile: made.profile, stateDir: made.stateDir, point });
  const child = spawn(process.execPath, [path.join(outDir, 'worker.mjs'), order], { stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
}

const variants = (['wp-email-queue', 'jobs', 'email-jobs'] as const).flatMap((shape) =>
  [true, false].map((booksInShop) => ({
    shape,
    booksInShop,
    where: booksInShop ? 'the shop' : 'the console',
  })),
);

describe.each(variants)('$shape, books with $where', ({ shape, booksInShop }) => {
  it.each(points)('killed at %s: sent once, and the table says so', async (point) => {
    const made = await makeShapeShop({ shape, booksInShop });
    shop = made;
    const id = await made.put('once@example.test');
    expect(await killedAt(made, point)).toBe('SIGKILL');
    const next = await made.open();
    await next.startDraining();
    await next.untilEmpty(AbortSignal.timeout(20_000));
    const row = await next.desk.show(id);
    const { counts } = await next.desk.status();
    await next.close();
    expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['once@example.test']]);
    expect(counts).toMatchObject({ pending: 0, sending: 0, failed: 0, in_doubt: 0 });
    expect(row).toMatchObject({ state: 'sent', in_doubt: false });
    expect([undefined, 'enviado', 'done']).toContain((await made.rows()).get(id)?.word);
    expect(row.reclaims).toBeLessThanOrEqual(1);
  });
});

/** What the next process makes of it. */
async function successor(made: ShapeShop, id: string) {
  const next = await made.open();
  await next.startDraining();
  await next.untilEmpty(AbortSignal.timeout(20_000));
  const row = await next.desk.show(id);
  const { counts } = await next.desk.status();
  const log = (await next.desk.log({ limit: 50 })).map((line) => line.message);
  await next.close();
  return { row, counts, log, word: (await made.rows()).get(id)?.word };
}

describe.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)(
  '%s, books with the console: between the commits of the two databases',
  (shape) => {
    /** under the minute's gate: no guard is asked ahead, so that the writes of the shop's table come in one order */
    const make = async () => {
      const profile = { uncapped: false, settings: { rate_per_minute: 60 } };
      shop = await makeShapeShop({ shape, booksInShop: false, profile });
      return shop;
    };

    it('killed once more when the row was freed and the books were not told: sent once', async () => {
      const made = await make();
      const id = await made.put('once@example.test');
      expect(await killedAt(made, 'after-hold')).toBe('SIGKILL');
      expect(await killedAt(made, 'shop-first')).toBe('SIGKILL');
      const { row, counts } = await successor(made, id);
      expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['once@example.test']]);
      expect(counts).toMatchObject({ pending: 0, sending: 0, failed: 0, in_doubt: 0 });
      expect(row).toMatchObject({ state: 'sent', in_doubt: false });
    });

    it('killed when it was held once more and the guard was not stamped: sent once', async () => {
      const made = await make();
      const id = await made.put('once@example.test');
      expect(await killedAt(made, 'shop-again')).toBe('SIGKILL');
      expect((await successor(made, id)).row).toMatchObject({ state: 'sent', in_doubt: false });
      expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['once@example.test']]);
    });

    it('killed when the table knew of a refusal and the books did not: failed, and told of', async () => {
      const made = await make();
      made.smtp.behaviour = ({ step }) => (step === 'rcpt' ? '550 5.1.1 no such user here' : undefined);
      const id = await made.put('nobody@example.test');
      expect(await killedAt(made, 'shop-again')).toBe('SIGKILL');
      const { row, counts, log, word } = await successor(made, id);
      expect(made.smtp.mails).toHaveLength(0);
      expect(counts).toMatchObject({ pending: 0, sending: 0, failed: 1, in_doubt: 0 });
      expect(row).toMatchObject({ state: 'failed', in_doubt: false });
      // only some of the tables keep the reason
      expect(row.last_error).toMatch(/no such user here|died before it could write down why/);
      expect(log.filter((message) => message.startsWith(`Row ${id} `))).toHaveLength(1);
      expect(['falha', 'dead']).toContain(word);
    });

    it.each(['451 4.3.0 try again later', '550 5.6.0 no such mail'])(
      'killed when the table knew of "%s" to the dot and the books did not: in doubt, not sent again',
      async (reply) => {
        const made = await make();
        made.smtp.behaviour = ({ step }) => (step === 'dot' ? reply : undefined);
        const id = await made.put('once@example.test');
        expect(await killedAt(made, 'shop-told')).toBe('SIGKILL');
        await made.ripen();
        made.smtp.behaviour = () => undefined;
        const { row, word } = await successor(made, id);
        expect(made.smtp.mails).toHaveLength(0);
        expect(row).toMatchObject({ state: 'failed', in_doubt: true });
        expect(['falha', 'dead']).toContain(word);
      },
    );

    it('killed when the table knew that a mail can never be sent and the books did not: it stays failed', async () => {
      const made = await make();
      const id = await made.putBroken();
      expect(await killedAt(made, 'shop-first')).toBe('SIGKILL');
      const { counts, word } = await successor(made, id);
      expect(made.smtp.mails).toHaveLength(0);
      expect(counts).toMatchObject({ pending: 0, sending: 0, failed: 1, in_doubt: 0 });
      expect(['falha', 'dead']).toContain(word);
    });
  },
);
