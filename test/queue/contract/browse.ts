import { describe, expect, test } from 'vitest';
import type { RowFilter } from '../../../src-main/contract/rows.ts';
import {
  auditLedger,
  countFiltered,
  countRows,
  listRows,
  longestWait,
  recentLines,
  showRow,
  totalIn,
  waitingRows,
} from '../../../src-main/queue/browse.ts';
import { type Bench, claimOne, nowS, put, putLine } from '../bench.ts';

export function browseContract(bench: () => Bench): void {
  const found = async (filter: RowFilter) => {
    const { rows, total } = await listRows(bench().place, { filter, limit: 1000, offset: 0 });
    expect(total).toBe(rows.length);
    return rows.map((row) => Number(row.id)).sort((a, b) => a - b);
  };

  describe('browse', () => {
    test('counts match what plain SQL counts', async () => {
      const { place } = bench();
      expect(await countRows(place)).toEqual({ pending: 0, sending: 0, sent: 0, failed: 0, in_doubt: 0 });
      for (const state of ['pending', 'pending', 'pending', 'sending', 'sent', 'sent', 'failed', 'weird'])
        await put(place, { state });
      await put(place, { state: 'failed', in_doubt: 1 });
      const counts = await countRows(place);
      expect(counts).toEqual({ pending: 3, sending: 1, sent: 2, failed: 2, in_doubt: 1 });
      for (const state of ['pending', 'sending', 'sent', 'failed'] as const) {
        const [row] = await place.db.query<{ n: number }>(
          `SELECT COUNT(*) AS n FROM ${place.t.queue} WHERE state = '${state}'`,
        );
        expect(counts[state]).toBe(row?.n);
        expect(await found({ state })).toHaveLength(counts[state]);
      }
    });

    test('the total of a filter is read from the counts under its other conditions, or counted by itself', async () => {
      const { place } = bench();
      const later = (await nowS(place)) + 600;
      for (const state of ['pending', 'pending', 'sending', 'sent', 'failed', 'weird'])
        for (const context of ['a', 'b']) await put(place, { state, context });
      await put(place, { state: 'pending', context: 'a', held_until: later });
      await put(place, { state: 'failed', in_doubt: 1, context: 'a' });
      const states = [undefined, 'pending', 'sending', 'sent', 'failed'] as const;
      const either = [undefined, true, false];
      let derived = 0;
      for (const context of [undefined, 'a', 'b'])
        for (const state of states)
          for (const in_doubt of either)
            for (const held of either) {
              const filter = Object.fromEntries(
                Object.entries({ context, state, in_doubt, held }).filter(([, value]) => value !== undefined),
              ) as RowFilter;
              const total = totalIn(await countFiltered(place, filter), filter);
              const ids = await found(filter);
              if (total !== null) {
                expect(total, JSON.stringify(filter)).toBe(ids.length);
                derived += 1;
              }
              const counting = () => countFiltered(place, filter);
              const page = await listRows(place, { filter, limit: 1, offset: 0 }, counting);
              expect(page.total).toBe(ids.length);
            }
      expect(derived).toBeGreaterThan(20);
    });

    test('filters by state, doubt, mail type and all together', async () => {
      const { place } = bench();
      const doubt = await put(place, { state: 'failed', in_doubt: 1, context: 'a' });
      const plain = await put(place, { state: 'failed', context: 'a' });
      const sent = await put(place, { state: 'sent', context: 'b', subject: 'Invoice 17' });
      expect(await found({ in_doubt: true })).toEqual([doubt]);
      expect(await found({ in_doubt: false })).toEqual([plain, sent]);
      expect(await found({ context: 'a' })).toEqual([doubt, plain]);
      expect(await found({ context: 'a', state: 'failed', in_doubt: false })).toEqual([plain]);
      expect(await found({ search: 'invoice', state: 'sent' })).toEqual([sent]);
      expect(await found({ search: 'invoice', state: 'failed' })).toEqual([]);
      expect(await found({})).toEqual([doubt, plain, sent]);
    });

    test.each([
      '%',
      '_',
      '!',
      '!!',
      '\\',
      '\\\\',
      "'",
      '"',
      '`',
      '%%',
      '!%',
      '\u0000',
      'ř',
      '💌',
      '?',
      '??',
      ';--',
    ])('finds %j as it stands, and nothing else', async (text) => {
      const { place } = bench();
      const inSubject = await put(place, { subject: `before ${text} after` });
      const inRecipient = await put(place, { recipient: `anna${text}@example.test` });
      await put(place, { subject: 'nothing', recipient: 'lise@company.test' });
      expect(await found({ search: text })).toEqual([inSubject, inRecipient]);
      expect(await found({ search: `${text}\u0001` })).toEqual([]);
    });

    test('hostile filters find nothing and break nothing', async () => {
      const { place } = bench();
      const id = await put(place);
      for (const text of [
        "' OR '1'='1",
        "x'; DELETE FROM wp_studiou_wcmq_queue; --",
        "%' ESCAPE '",
        '/* */',
        '\ud800',
      ]) {
        expect(await found({ search: text })).toEqual([]);
        expect(await found({ context: text })).toEqual([]);
      }
      expect(await found({})).toEqual([id]);
    });

    test('pages through all rows, each once: what waits in the order in which it leaves, the rest newest first', async () => {
      const { place } = bench();
      const ids: number[] = [];
      for (let n = 0; n < 7; n += 1) ids.push(await put(place, { priority: n % 2 ? 5 : 10 }));
      const pages = async (filter: RowFilter) => {
        const seen: number[] = [];
        for (let offset = 0; offset < 9; offset += 3) {
          const { rows, total } = await listRows(place, { filter, limit: 3, offset });
          expect(total).toBe(7);
          seen.push(...rows.map((row) => Number(row.id)));
        }
        return seen;
      };
      expect(await pages({})).toEqual([...ids].reverse());
      const leaving = [...ids.filter((_, n) => n % 2), ...ids.filter((_, n) => n % 2 === 0)];
      expect(await pages({ state: 'pending' })).toEqual(leaving);
      expect((await waitingRows(place, 4)).map((row) => row.id)).toEqual(leaving.slice(0, 4));
    });

    test('shows one row with everything and its history, newest first', async () => {
      const { place } = bench();
      const id = await put(place, {
        title: 'Order complete',
        order_id: 17,
        delivered_to: '["a@x.test"]',
        attachment_dir: 'c'.repeat(32),
      });
      await putLine(place, {
        queue_id: id,
        claim_id: 'earlier',
        finished_ms: 500,
        outcome: 'deferred',
        smtp_code: 450,
        response: '450 ř',
      });
      const claim = await claimOne(place);
      const row = await showRow(place, id);
      expect(row).toMatchObject({
        id,
        state: 'sending',
        in_doubt: false,
        title: 'Order complete',
        order_id: 17,
        planned_at: null,
      });
      expect(row).toMatchObject({
        message_id: claim.messageId,
        delivered_to: ['a@x.test'],
        attachment_dir: 'c'.repeat(32),
      });
      expect(row?.payload).toMatchObject({ ok: true, value: { to: 'anna@example.test' } });
      expect(row?.history).toMatchObject([
        { outcome: null, finished_ms: null, body_ms: null, console_id: 'console-one' },
        { outcome: 'deferred', smtp_code: 450, response: '450 ř', body_ms: null },
      ]);
      expect(typeof row?.claimed_at).toBe('number');
      expect(await showRow(place, 4_711)).toBeNull();
      const broken = await put(place, { payload: '{"to":' });
      expect((await showRow(place, broken))?.payload).toMatchObject({
        ok: false,
        error: expect.stringContaining('JSON'),
      });
    });

    test('a row of an unknown state is shown, as failed', async () => {
      const { place } = bench();
      const id = await put(place, { state: 'weird' });
      expect((await listRows(place, { filter: {}, limit: 10, offset: 0 })).rows).toMatchObject([
        { id, state: 'failed' },
      ]);
    });

    test('the longest wait is that of a row sent since then', async () => {
      const { place } = bench();
      const since = (await nowS(place)) - 3600;
      expect(await longestWait(place, since)).toBe(0);
      await put(place, { state: 'sent', created_at: 500, sent_at: 200 });
      await put(place, { state: 'sent', created_at: 900, sent_at: 100 });
      await put(place, { state: 'sent', created_at: 90_000, sent_at: 7_200 });
      await put(place, { state: 'pending', created_at: 90_000 });
      const wait = await longestWait(place, since);
      expect(Math.abs(wait - 800)).toBeLessThanOrEqual(1);
    });

    test('recent lines are those that any window still counts', async () => {
      const { place } = bench();
      await putLine(place, { finished_ms: 5_000, recipients: 2 });
      await putLine(place, { finished_ms: 3_700_000 });
      await putLine(place, { finished_ms: 5_000, recipients: 0 });
      await putLine(place, { started_ms: 9_000_000, finished_ms: null, recipients: 3 });
      const lines = await recentLines(place, (await nowS(place)) * 1000, 3_600_000);
      expect(lines.map((line) => [line.recipients, line.finishedMs === null])).toEqual([
        [2, false],
        [3, true],
      ]);
    });

    test('the audit finds the fullest window and a Message-ID that was accepted twice', async () => {
      const { place } = bench();
      const line = (ago: number, change = {}) =>
        putLine(place, { started_ms: ago + 100, finished_ms: ago, outcome: 'sent', ...change });
      await line(200_000, { message_id: '<a@x.test>' });
      await line(140_001, { message_id: '<b@x.test>', outcome: 'deferred' });
      await line(139_000, { message_id: '<b@x.test>' });
      await line(100_000, { message_id: '<c@x.test>', recipients: 0, outcome: 'none' });
      await line(81_000, { message_id: '<d@x.test>', outcome: 'rejected' });
      await line(500_000_000, { message_id: '<a@x.test>' });
      const since = ((await nowS(place)) - 3600) * 1000;
      expect(await auditLedger(place, since, 60_000)).toEqual({
        mostInWindow: 3,
        duplicates: 0,
        deferred: 1,
      });
      await line(1_000, { message_id: '<a@x.test>' });
      expect(await auditLedger(place, since, 60_000)).toMatchObject({ duplicates: 1 });
      // exactly one window apart is not in the same window
      expect(await auditLedger(place, since, 58_000)).toMatchObject({ mostInWindow: 2 });
      expect(await auditLedger(place, since + 3_600_000 + 60_000, 60_000)).toEqual({
        mostInWindow: 0,
        duplicates: 0,
        deferred: 0,
      });
    });
  });
}
