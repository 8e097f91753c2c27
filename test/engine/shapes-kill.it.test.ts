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
