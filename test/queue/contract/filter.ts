import { describe, expect, test } from 'vitest';
import { heldForGood } from '../../../src-main/contract/orders.ts';
import { type RowFilter, type RowSort, rowSortKeys } from '../../../src-main/contract/rows.ts';
import {
  countFiltered,
  listRows,
  mailKinds,
  rowsNamed,
  waitingRows,
} from '../../../src-main/queue/browse.ts';
import { type Bench, nowS, put } from '../bench.ts';

/** Finding and ordering rows, as the queue screen does. */
export function filterContract(bench: () => Bench): void {
  const page = async (filter: RowFilter, sort?: RowSort, limit = 1000, offset = 0) => {
    const { rows } = await listRows(bench().place, { filter, limit, offset, ...(sort ? { sort } : {}) });
    return rows.map((row) => Number(row.id));
  };
  const found = async (filter: RowFilter) => (await page(filter)).sort((a, b) => a - b);

  describe('filters', () => {
    test('by the domain of a recipient, and no other that begins or ends so', async () => {
      const { place } = bench();
      const recipients = [
        'a@shop.example',
        'A <b@SHOP.example>',
        'x@else.test, c@shop.example',
        'd@shop.example, x@else.test',
        '["e@shop.example"]',
      ];
      const ids: number[] = [];
      for (const recipient of recipients) ids.push(await put(place, { recipient }));
      for (const recipient of ['a@shop.example.org', 'a@myshop.example', 'shop.example@else.test'])
        await put(place, { recipient });
      expect(await found({ domain: 'shop.example' })).toEqual(ids);
      expect(await found({ domain: '@shop.example' })).toEqual(ids);
      expect(await found({ domain: 'shop_example' })).toEqual([]);
      expect(await found({ domain: '%' })).toEqual([]);
    });

    test('by order, also one above 2^53', async () => {
      const { place } = bench();
      const one = await put(place, { order_id: 17 });
      const big = await put(place, { order_id: 9_007_199_254_740_993n });
      await put(place, { order_id: 9_007_199_254_740_992n });
      expect(await found({ order_id: 17 })).toEqual([one]);
      expect(await found({ order_id: '17' })).toEqual([one]);
      expect(await found({ order_id: '9007199254740993' })).toEqual([big]);
      expect(await found({ order_id: 0 })).toEqual([]);
    });

    test('by the time of writing and of sending: from a moment on, and before another', async () => {
      const { place } = bench();
      const now = await nowS(place);
      const old = await put(place, { created_at: 1000 });
      const fresh = await put(place, { created_at: 10 });
      const sent = await put(place, { state: 'sent', created_at: 5000, sent_at: 500 });
      expect(await found({ created_from: now - 2000, created_to: now - 500 })).toEqual([old]);
      expect(await found({ created_from: now - 500 })).toEqual([fresh]);
      expect(await found({ created_to: now - 2000 })).toEqual([sent]);
      expect(await found({ sent_from: now - 600, sent_to: now - 400 })).toEqual([sent]);
      expect(await found({ sent_from: now - 400 })).toEqual([]);
      expect(await found({ sent_to: now })).toEqual([sent]);
    });

    test('by hold: only what waits and is held now', async () => {
      const { place } = bench();
      const now = await nowS(place);
      const held = await put(place, { held_until: now + 600 });
      const good = await put(place, { held_until: heldForGood });
      const over = await put(place, { held_until: now - 10 });
      const free = await put(place);
      const failed = await put(place, { state: 'failed', held_until: heldForGood });
      expect(await found({ held: true })).toEqual([held, good]);
      expect(await found({ held: false })).toEqual([over, free, failed]);
      // what is held without an end never leaves: no forecast counts it
      expect((await waitingRows(place, 10)).map((row) => row.id)).toEqual([held, over, free]);
    });

    test('counts by state, doubt and hold match what plain SQL counts under the same filter', async () => {
      const { place } = bench();
      const now = await nowS(place);
      for (const context of ['a', 'b'])
        for (let n = 0; n < 3; n += 1) {
          await put(place, { context });
          await put(place, { context, held_until: now + 600 });
          await put(place, { context, state: 'sent', sent_at: 5 });
          await put(place, { context, state: 'failed', in_doubt: n === 0 ? 1 : 0 });
        }
      await put(place, { context: 'a', state: 'sending', claimed_at: 1 });
      expect(await countFiltered(place, { context: 'a' })).toEqual({
        pending: 6,
        sending: 1,
        sent: 3,
        failed: 3,
        in_doubt: 1,
        held: 3,
        all: 13,
      });
      // what it says of state, doubt and hold is what the counts are of
      expect(await countFiltered(place, { context: 'b', state: 'sent', in_doubt: true, held: true })).toEqual(
        {
          pending: 6,
          sending: 0,
          sent: 3,
          failed: 3,
          in_doubt: 1,
          held: 3,
          all: 12,
        },
      );
      expect(await countFiltered(place, { search: 'nobody' })).toMatchObject({ pending: 0, held: 0 });
      const { total } = await listRows(place, { filter: { context: 'a', held: true }, limit: 1, offset: 0 });
      expect(total).toBe(3);
    });

    test('tells the mail types that there are, and rows by name', async () => {
      const { place } = bench();
      const ids = [
        await put(place, { context: 'b', title: 'B mail' }),
        await put(place, { context: 'a', title: '' }),
        await put(place, { context: '' }),
      ];
      expect(await mailKinds(place)).toEqual([
        { context: 'a', title: '' },
        { context: 'b', title: 'B mail' },
      ]);
      const named = await rowsNamed(place, [...ids.slice(0, 2), 424_242]);
      expect(named.map((row) => row.id).sort()).toEqual(ids.slice(0, 2));
      expect(await rowsNamed(place, [])).toEqual([]);
    });
  });

  describe('sort', () => {
    test.each(rowSortKeys)('by %s, both ways, stable by id, each row once over all pages', async (by) => {
      const { place } = bench();
      const ids: number[] = [];
      for (let n = 0; n < 9; n += 1)
        ids.push(
          await put(place, {
            priority: [10, 5, 10][n % 3] ?? 10,
            scheduled_at: 100 * (n % 3),
            created_at: 100 * (n % 3),
            state: n < 6 ? 'pending' : 'sent',
            sent_at: n < 6 ? null : 50 * (n % 3),
            recipient: `${'cab'[n % 3]}@example.test`,
            subject: 'cab'[n % 3] ?? '',
            attempts: n % 3,
          }),
        );
      const up = await page({}, { by, descending: false });
      const down = await page({}, { by, descending: true });
      expect([...down].reverse()).toEqual(up);
      expect([...up].sort((a, b) => a - b)).toEqual(ids);
      const paged: number[] = [];
      for (let at = 0; at < 9; at += 2) paged.push(...(await page({}, { by, descending: false }, 2, at)));
      expect(paged).toEqual(up);
      const rows = new Map(
        (await listRows(place, { filter: {}, limit: 100, offset: 0 })).rows.map((row) => [
          Number(row.id),
          row,
        ]),
      );
      const value = (id: number): number | string => {
        const row = rows.get(id);
        if (!row || by === 'id') return id;
        if (by === 'departure') return row.priority * 1e12 + row.scheduled_at;
        return row[by] ?? -1;
      };
      for (let at = 1; at < up.length; at += 1) {
        const [a, b] = [up[at - 1] ?? 0, up[at] ?? 0];
        expect(value(a) < value(b) || (value(a) === value(b) && a < b), `${by}: ${a} before ${b}`).toBe(true);
      }
    });

    test('far down by id alone, the pages go on as they began', async () => {
      const { place } = bench();
      for (let at = 0; at < 26; at += 1) {
        const tuples = Array.from({ length: 50 }, () => "('pending', '', '', '')").join(', ');
        await place.db.run(
          `INSERT INTO ${place.t.queue} (state, recipient, subject, payload) VALUES ${tuples}`,
        );
      }
      const all = [
        ...(await page({}, { by: 'id', descending: true }, 1000)),
        ...(await page({}, { by: 'id', descending: true }, 1000, 1000)),
      ];
      expect(all).toHaveLength(1300);
      const near = await page({}, { by: 'id', descending: true }, 100, 950);
      expect(await page({}, { by: 'id', descending: true }, 100, 1100)).toEqual(all.slice(1100, 1200));
      expect(near).toEqual(all.slice(950, 1050));
    });
  });
}
