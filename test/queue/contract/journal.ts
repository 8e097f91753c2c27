import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { passPointOfNoReturn } from '../../../src-main/queue/guard.ts';
import { settleFromJournal } from '../../../src-main/queue/settle.ts';
import { deferred, rejected, type Settlement, sent } from '../../../src-main/queue/transitions.ts';
import type { SqlValue } from '../../../src-main/shop/database.ts';
import { type Bench, claimOne, get, linesOf, logText, put } from '../bench.ts';

const said = {
  recipients: 1,
  smtpCode: 250,
  enhancedCode: '2.0.0',
  response: '250 Ok: queued as 4F1',
  serverId: '4F1',
};

/** A journaled 2xx outranks the lease (promise 2): what a console remembers when the database is back. */
export function journalContract(bench: () => Bench): void {
  /** a row that was claimed, answered with a 2xx, and then became what `change` says without our knowing */
  const remembered = async (change: Record<string, SqlValue>): Promise<{ id: number; entry: Settlement }> => {
    const { place } = bench();
    const id = await put(place);
    const claim = await claimOne(place);
    const names = Object.keys(change);
    if (names.length > 0) {
      await place.db.run(
        `UPDATE ${place.t.queue} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
        [...names.map((name) => change[name] ?? null), id],
      );
    }
    return { id, entry: sent(claim, said, null) };
  };

  describe('journal', () => {
    test.each<[string, Record<string, SqlValue>, number]>([
      ['sending under its own claim', {}, 1],
      ['sending under another claim', { claim_id: 'foreign', attempts: 1 }, 1],
      ['pending again', { state: 'pending', claim_id: null, claimed_at: null, reclaims: 1 }, 0],
      [
        'in doubt',
        { state: 'failed', in_doubt: 1, claim_id: null, claimed_at: null, attempts: 1, last_error: 'x' },
        1,
      ],
    ])('a row that is %s becomes sent', async (_name, change, attempts) => {
      const { place } = bench();
      const { id, entry } = await remembered(change);
      expect(await settleFromJournal(place, entry)).toBe(true);
      const row = await get(place, id);
      const ended = { claim_id: null, claimed_at: null, in_doubt: 0, last_error: null, notified_at: null };
      expect(row).toMatchObject({ state: 'sent', attempts, ...ended });
      expect(Number(row['sent_at'])).toBeGreaterThan(0);
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'sent', server_id: '4F1' }]);
      expect(await logText(place)).toContain(`Row ${id} sent, as the journal remembers`);
    });

    test.each<[string, Record<string, SqlValue>]>([
      ['sent already', { state: 'sent', claim_id: null, sent_at: 4711, attempts: 1 }],
      ['failed without a doubt', { state: 'failed', claim_id: null, attempts: 3, last_error: '550' }],
      ['another mail by now', { message_id: '<other@x.test>' }],
      ['without a Message-ID', { message_id: null, state: 'pending', claim_id: null }],
    ])('a row that is %s stays as it is', async (_name, change) => {
      const { place } = bench();
      const { id, entry } = await remembered(change);
      const before = await get(place, id);
      expect(await settleFromJournal(place, entry)).toBe(false);
      expect(await get(place, id)).toEqual(before);
      // what the server said is true all the same
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'sent', server_id: '4F1' }]);
      expect(await logText(place)).toBe('');
    });

    test('replaying it twice is harmless, and a deleted row is no fault', async () => {
      const { place } = bench();
      const { id, entry } = await remembered({});
      expect(await settleFromJournal(place, entry)).toBe(true);
      const before = await get(place, id);
      expect(await settleFromJournal(place, entry)).toBe(false);
      expect(await get(place, id)).toEqual(before);
      await place.db.run(`DELETE FROM ${place.t.queue}`);
      expect(await settleFromJournal(place, entry)).toBe(false);
    });

    test('a counter at its most stays there; long notes are cut', async () => {
      const { place } = bench();
      const { id, entry } = await remembered({ attempts: 255 });
      if (entry.to !== 'sent') return;
      expect(await settleFromJournal(place, { ...entry, note: 'ř💌'.repeat(30_000) })).toBe(true);
      expect(await get(place, id)).toMatchObject({ state: 'sent', attempts: 255 });
    });

    test('what was no 2xx goes by the claim like any settlement', async () => {
      const { place } = bench();
      const { id, entry } = await remembered({ claim_id: randomUUID() });
      const end = rejected(entry, { ...said, smtpCode: 550 }, '550', true);
      expect(await settleFromJournal(place, end)).toBe(false);
      expect(await get(place, id)).toMatchObject({ state: 'sending' });
    });

    /** some of its recipients were taken, others refused for now; then the claim was lost as `change` says */
    const partly = async (change: Record<string, SqlValue>) => {
      const { id, entry } = await remembered(change);
      const again = { delayS: 300, reason: 'refused for now: b@x.test', deliveredTo: ['ž@x.test'] };
      return { id, entry: deferred(entry, said, again) };
    };
    const lost = { claim_id: null, claimed_at: null };

    test.each<[string, Record<string, SqlValue>]>([
      ['pending again', { ...lost, state: 'pending', reclaims: 1 }],
      ['in doubt', { ...lost, state: 'failed', in_doubt: 1, attempts: 1 }],
    ])('a mail that some have got goes to the others alone, though its row is %s', async (_name, change) => {
      const { place } = bench();
      const { id, entry } = await partly(change);
      expect(await settleFromJournal(place, entry)).toBe(true);
      const row = await get(place, id);
      expect(row).toMatchObject({
        state: 'pending',
        in_doubt: 0,
        claim_id: null,
        attempts: change['attempts'] ?? 0,
      });
      expect(JSON.parse(String(row['delivered_to']))).toEqual(['ž@x.test']);
      const before = await get(place, id);
      expect(await settleFromJournal(place, entry)).toBe(false);
      expect(await get(place, id)).toEqual(before);
      expect((await claimOne(place).catch(() => null))?.deliveredTo ?? ['ž@x.test']).toEqual(['ž@x.test']);
    });

    test('is taken from another claim that has not come to its dot, and only told to one that has', async () => {
      const { place } = bench();
      for (const passed of [false, true]) {
        const { id, entry } = await partly({ ...lost, state: 'pending' });
        const other = await claimOne(place);
        if (passed) await passPointOfNoReturn(place, [other]);
        expect(await settleFromJournal(place, entry)).toBe(true);
        const row = await get(place, id);
        expect(row).toMatchObject({ state: passed ? 'sending' : 'pending' });
        expect(row['delivered_to']).toContain('x.test');
        expect((await passPointOfNoReturn(place, [other])).size).toBe(passed ? 1 : 0);
        await place.db.run(`DELETE FROM ${place.t.queue}`);
      }
    });

    test('a failed row is only told who has it: a retry by hand spares them', async () => {
      const { place } = bench();
      const { id, entry } = await partly({ ...lost, state: 'failed' });
      expect(await settleFromJournal(place, entry)).toBe(true);
      expect(await get(place, id)).toMatchObject({ state: 'failed', delivered_to: '["\\u017e@x.test"]' });
    });
  });
}
