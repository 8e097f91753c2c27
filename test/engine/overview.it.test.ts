/** The overview over shops' own tables: the rows are theirs, the ledger is ours. */
import { afterEach, describe, expect, it } from 'vitest';
import { makeShapeShop, type ShapeShop } from '../support/shape-shop.ts';

let shop: ShapeShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

describe.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)('the overview of %s', (shape) => {
  it.each([true, false])(
    'counts who waits and what was sent (books in the shop: %s)',
    async (booksInShop) => {
      shop = await makeShapeShop({ shape, booksInShop });
      await shop.put('a@first.test');
      const one = await shop.open();
      await one.startDraining();
      await one.untilEmpty(AbortSignal.timeout(20_000));
      await one.close();
      for (const to of ['b@slow.test', 'c@slow.test', 'd@quick.test']) await shop.put(to);
      const { desk } = await shop.open();
      const overview = await desk.overview();
      expect(overview.domains.map(({ domain, total, tried }) => [domain, total, tried])).toEqual([
        ['slow.test', 2, 0],
        ['quick.test', 1, 0],
      ]);
      expect(overview.history.minute.reduce((sum, { sent }) => sum + sent, 0)).toBe(1);
      expect(overview.history.hour.at(-1)).toMatchObject({ sent: 1, counted: 1 });
      expect(overview.forecast[0]?.remaining).toBe(3);
      expect(overview.caps).toEqual({ minute: null, hour: null, day: null });
    },
  );
});
