/** The command line on a shop whose queue is a table of its own: its words, and where the books lie. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { makeShapeShop, type ShapeShop, type ShapeShopOptions } from '../support/shape-shop.ts';
import {
  builtCli,
  embeddedConfig,
  type Folder,
  faultsOfError,
  jsonLines,
  linesOf,
  makeFolder,
  type Ran,
  runCli,
} from './kit.ts';

let shop: ShapeShop | null = null;
let folder: Folder;
beforeAll(async () => {
  await builtCli();
});
afterEach(async () => {
  await shop?.close();
  await folder?.remove();
  shop = null;
});

type Run = (...args: string[]) => Promise<Ran>;

async function opened(
  options: ShapeShopOptions,
  layout?: object,
): Promise<{ made: ShapeShop; run: Run; status: () => Promise<ShopStatus> }> {
  const made = await makeShapeShop(options);
  shop = made;
  folder = await makeFolder();
  const config = await folder.file('config.json', {
    ...made.profile,
    layout: { ...made.profile.layout, ...layout },
  });
  const run: Run = (...args) => runCli([...args, '--config', config, '--state', made.stateDir]);
  return {
    made,
    run,
    status: async () => JSON.parse((await run('status', '--json')).stdout) as ShopStatus,
  };
}

const wp = { shape: 'wp-email-queue', booksInShop: false } as const;

describe('a shop with words of its own', () => {
  it('sees them in status, in the list and in a row, and ours in JSON', async () => {
    const { made, run, status } = await opened(wp);
    const id = await made.put('one@example.test');
    await made.putBroken();
    expect((await run('drain', '--until-empty')).code).toBe(1);
    await made.put('two@example.test');

    const words = (await run('status')).stdout;
    expect(words).toMatch(
      /^mails: +1 waiting \(pendente\), 0 being sent \(processando\), 1 sent \(enviado\), 1 failed \(falha\)$/m,
    );
    expect(words).toMatch(/^shape: +wp-email-queue$/m);
    expect(words).toMatch(/^books: +with this console alone: two consoles cannot share the cap/m);
    expect((await status()).counts).toMatchObject({ pending: 1, sent: 1, failed: 1 });

    const table = linesOf((await run('list')).stdout);
    expect(table.map((line) => /pendente|enviado|falha/.exec(line)?.[0])).toEqual([
      undefined,
      'pendente',
      'falha',
      'enviado',
    ]);
    const rows = jsonLines<QueueRow>((await run('list', '--json')).stdout);
    expect(rows.map((row) => row.state)).toEqual(['pending', 'failed', 'sent']);

    const row = (await run('show', id)).stdout;
    expect(row).toMatch(/^row: +\d+, enviado \(sent\)$/m);
    expect(row).not.toMatch(/^(kind|order|priority):/m);
  });

  it('is asked by its words as well as by ours', async () => {
    const { made, run } = await opened(wp);
    await made.putBroken();
    await made.put('later@example.test');
    await run('drain', '--until-empty');
    for (const word of ['falha', 'failed']) {
      const rows = jsonLines<QueueRow>((await run('list', '--json', '--state', word)).stdout);
      expect(rows.map((row) => row.state)).toEqual(['failed']);
    }
    expect((await run('retry', '--state', 'falha')).stderr).toContain('1 mail will be sent again.');
    expect([...(await made.rows()).values()].map((row) => row.word).sort()).toEqual(['enviado', 'pendente']);
    expect((await run('delete', '--state', 'enviado')).stderr).toContain('1 row deleted.');
    expect([...(await made.rows()).values()].map((row) => row.word)).toEqual(['pendente']);
  });

  it.each(['list', 'retry', 'delete'])(
    '%s: a wrong word is refused with all that there are',
    async (name) => {
      const { made, run } = await opened(wp);
      await made.put('stays@example.test');
      const ran = await run(name, '--state', 'falhou');
      expect(ran.code).toBe(2);
      expect(faultsOfError(ran)).toEqual([]);
      expect(ran.stderr).toContain(
        '--state falhou: no state of rows (pending or pendente, sending or processando, sent or enviado, failed or falha)',
      );
      expect([...(await made.rows()).values()].map((row) => row.word)).toEqual(['pendente']);
    },
  );

  it('does not lend them to a shop that has others', async () => {
    const { run } = await opened({ shape: 'email-jobs', booksInShop: false, sqlite: true });
    const ran = await run('list', '--state', 'falha');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('(pending, sending or processing, sent or done, failed)');
    expect((await run('list', '--state', 'processing')).code).toBe(0);
  });

  it('keeps ours alone where the tables are ours', async () => {
    folder = await makeFolder();
    const config = await folder.file('shop.json', embeddedConfig());
    await runCli(['schema', '--apply', '--config', config, '--state', folder.path]);
    const ran = await runCli(['list', '--config', config, '--state', 'falha']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('(pending, sending, sent, failed)');
    const words = (await runCli(['status', '--config', config, '--state', folder.path])).stdout;
    expect(words).toMatch(/^mails: +0 waiting, 0 being sent, 0 sent, 0 failed$/m);
    expect(words).not.toMatch(/^(shape|books):/m);
  });
});

describe.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)('the books of %s', (shape) => {
  it('are offered for the shop, added when told to, and used from then on', async () => {
    const { made, run, status } = await opened({ shape, booksInShop: false });
    await made.put('one@example.test');
    expect((await status()).shape.books).toBe('console');

    const offer = await run('schema');
    expect(offer.code).toBe(3);
    expect(offer.stdout).toContain('CREATE TABLE IF NOT EXISTS `wp_postroom_pace`');
    expect(offer.stderr).toContain(`the shop's own table (${shape}) and stays as it is`);
    expect(offer.stderr).toContain('wp_postroom_pace: would be added');
    expect(offer.stderr).not.toContain('missing');
    expect((await status()).shape.books).toBe('console');

    const added = await run('schema', '--apply');
    expect([added.code, added.stdout]).toEqual([0, '']);
    expect(added.stderr).toContain('wp_postroom_pace: made');
    expect(added.stderr).toContain('used from the next connection on');
    expect((await status()).shape.books).toBe('shop');
    expect((await run('status')).stdout).toMatch(
      /^books: +in the shop's database: all consoles share the cap/m,
    );
    const after = await run('schema');
    expect([after.code, after.stdout]).toEqual([0, '']);
    expect((await run('drain', '--until-empty')).code).toBe(0);
    expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['one@example.test']]);
  });
});

describe('books that the config file pins to the console', () => {
  it('stay there, and schema says so', async () => {
    const { run, status } = await opened(wp, { books: 'console' });
    expect((await run('schema', '--apply')).stderr).toContain(
      'not used while layout.books in the config file is "console"',
    );
    expect((await status()).shape.books).toBe('console');
    expect((await run('schema')).stderr).toContain('All 6 tables are complete.');
  });
});
