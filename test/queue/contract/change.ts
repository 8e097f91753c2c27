import { describe, expect, test } from 'vitest';
import { heldForGood } from '../../../src-main/contract/orders.ts';
import type { ActionResult } from '../../../src-main/contract/rows.ts';
import {
  holdRows,
  keepForUndo,
  letGoAfterUndo,
  readdressRows,
  releaseRows,
  sendNext,
  setPriority,
} from '../../../src-main/queue/change.ts';
import { grantAndClaim } from '../../../src-main/queue/claim.ts';
import { glance } from '../../../src-main/queue/glance.ts';
import { surveyRows } from '../../../src-main/queue/guarded.ts';
import { type Bench, claimOne, exists, get, logText, mailTo, nowS, order, put } from '../bench.ts';

const timeout = 900;

/** Holding, ordering and readdressing rows by hand. */
export function changeContract(bench: () => Bench): void {
  const claimed = async () =>
    (await grantAndClaim(bench().place, order({ uncapped: true }))).claims.map((claim) => claim.id);
  /** a row of each state that no such order may touch, with the reason */
  const guarded = async () => {
    const { place } = bench();
    return [
      { id: await put(place, { state: 'sent', sent_at: 5 }), reason: 'it was sent already' },
      {
        id: await put(place, { state: 'sending', claimed_at: 5, claim_id: 'c' }),
        reason: 'it is being sent right now',
      },
      {
        id: await put(place, { state: 'sending', claimed_at: timeout + 5, claim_id: 'd' }),
        reason: 'its worker died: it is taken over by the next check, within 5 minutes',
      },
      {
        id: await put(place, { state: 'failed', in_doubt: 1, message_id: '<kept@x.test>' }),
        reason: 'it is in doubt: say first whether it arrived',
      },
    ];
  };
  const orders: Record<string, (ids: number[]) => Promise<ActionResult>> = {
    hold: (ids) => holdRows(bench().place, { ids }, timeout, null),
    release: (ids) => releaseRows(bench().place, { ids }, timeout),
    next: (ids) => sendNext(bench().place, { ids }, timeout),
    priority: (ids) => setPriority(bench().place, { ids }, timeout, 3),
    readdress: (ids) => readdressRows(bench().place, { ids }, timeout, 'new@example.test'),
  };

  describe.each(Object.keys(orders))('%s by hand', (name) => {
    const run = (...ids: number[]) => (orders[name] as (typeof orders)[string])(ids);

    test('touches no row that was sent, is being sent, or is in doubt', async () => {
      const { place } = bench();
      const rows = await guarded();
      const before = await Promise.all(rows.map(({ id }) => get(place, id)));
      const { done, refused } = await run(...rows.map(({ id }) => id), 424_242);
      expect(done).toBe(0);
      expect(refused).toEqual(
        expect.arrayContaining([...rows, { id: 424_242, reason: 'it is not there any more' }]),
      );
      expect(await Promise.all(rows.map(({ id }) => get(place, id)))).toEqual(before);
      expect(await logText(place)).toBe('');
    });

    test('does not touch other rows, and twice is as once', async () => {
      const { place } = bench();
      const held = name === 'release' ? { held_until: heldForGood } : {};
      const other = await put(place, { ...held, subject: 'other' });
      const id = await put(place, held);
      const before = await get(place, other);
      expect(await run(id, id)).toMatchObject({ done: 1, refused: [] });
      expect(await get(place, other)).toEqual(before);
      const first = await get(place, id);
      await run(id);
      const { scheduled_at: _at, priority: _priority, ...again } = await get(place, id);
      expect(first).toMatchObject(again);
    });
  });

  describe('a held row', () => {
    test('is not claimed until it is released', async () => {
      const { place } = bench();
      const held = await put(place, { scheduled_at: 500 });
      const free = await put(place);
      await holdRows(place, { ids: [held] }, timeout, null);
      expect(await get(place, held)).toMatchObject({ held_until: heldForGood, state: 'pending' });
      expect(await claimed()).toEqual([free]);
      expect(await claimed()).toEqual([]);
      expect((await glance(place)).dueS).toBeNull();
      expect(await releaseRows(place, { ids: [held] }, timeout)).toEqual({ done: 1, refused: [] });
      expect(await claimed()).toEqual([held]);
      expect(await logText(place)).toContain(`Row ${held} is held by hand\n`);
      expect(await logText(place)).toContain(`Row ${held} was released by hand`);
    });

    test('leaves by itself when its time has come', async () => {
      const { place } = bench();
      const id = await put(place);
      await holdRows(place, { ids: [id] }, timeout, (await nowS(place)) + 600);
      expect(await claimed()).toEqual([]);
      await place.db.run(`UPDATE ${place.t.queue} SET held_until = held_until - 601`);
      expect(await claimed()).toEqual([id]);
    });

    test('that is not held is not released', async () => {
      const { place } = bench();
      const id = await put(place);
      expect((await releaseRows(place, { ids: [id] }, timeout)).refused).toEqual([
        { id, reason: 'it is not held' },
      ]);
    });

    test('by a filter: what matched when it was said', async () => {
      const { place } = bench();
      const ids = [await put(place, { context: 'a' }), await put(place, { context: 'a' })];
      await put(place, { context: 'b' });
      expect(await holdRows(place, { filter: { context: 'a' } }, timeout, null)).toMatchObject({ done: 2 });
      const { rows } = await surveyRows(place, { filter: { held: true } }, timeout);
      expect(rows.map((row) => row.id)).toEqual(ids);
      expect(rows.every((row) => row.held && row.heldForGood)).toBe(true);
    });

    test('waits for an undo without forgetting a longer hold', async () => {
      const { place } = bench();
      const free = await put(place);
      const held = await put(place, { held_until: heldForGood });
      const until = await keepForUndo(place, [free, held], timeout, 70);
      expect(await claimed()).toEqual([]);
      expect(await get(place, free)).toMatchObject({ held_until: until });
      await letGoAfterUndo(place, [free, held], timeout, until);
      expect(await get(place, held)).toMatchObject({ held_until: heldForGood });
      expect(await claimed()).toEqual([free]);
    });
  });

  describe('send next', () => {
    test('is the first that the gate takes, due now and let go, whatever waited before it', async () => {
      const { place } = bench();
      await put(place, { priority: -7, scheduled_at: 9000 });
      const later = await put(place, { priority: 500, scheduled_at: -3600, held_until: heldForGood });
      const last = await put(place, { priority: 900 });
      expect(await sendNext(place, { ids: [last, later] }, timeout)).toEqual({ done: 2, refused: [] });
      expect(await get(place, later)).toMatchObject({ priority: -8, held_until: null });
      // among themselves in the order in which they waited
      expect([(await claimOne(place)).id, (await claimOne(place)).id]).toEqual([last, later]);
    });

    test('at the smallest priority there is', async () => {
      const { place } = bench();
      const first = await put(place, { priority: -32_768, scheduled_at: 9000 });
      const id = await put(place);
      await sendNext(place, { ids: [id] }, timeout);
      expect((await get(place, id))['priority']).toBe(-32_768);
      expect([(await claimOne(place)).id, (await claimOne(place)).id]).toEqual([id, first]);
    });
  });

  describe('another recipient', () => {
    test('is another mail: payload and recipient say so, counters and Message-ID begin anew', async () => {
      const { place } = bench();
      const id = await put(place, {
        state: 'failed',
        attempts: 3,
        reclaims: 1,
        last_error: '550 no such user',
        message_id: '<old@x.test>',
        notified_at: 1,
        payload: JSON.stringify({
          to: ['a@x.test', 'b@x.test'],
          subject: 'Žluť 💌',
          message: '<p>',
          extra: 1,
        }),
      });
      const from = await nowS(place);
      expect(await readdressRows(place, { ids: [id] }, timeout, 'new@example.test')).toEqual({
        done: 1,
        refused: [],
      });
      const row = await get(place, id);
      expect(row).toMatchObject({ state: 'pending', recipient: 'new@example.test', message_id: null });
      expect(row).toMatchObject({ attempts: 0, reclaims: 0, last_error: null, notified_at: null });
      expect(Number(row['scheduled_at'])).toBeGreaterThanOrEqual(from);
      expect(JSON.parse(String(row['payload']))).toEqual({
        to: 'new@example.test',
        subject: 'Žluť 💌',
        message: '<p>',
        extra: 1,
      });
      const claim = await claimOne(place);
      expect(claim.messageId).not.toBe('<old@x.test>');
      expect(await logText(place)).toContain(
        `Row ${id} goes to another address (example.test) by hand, as a new mail`,
      );
      expect(await logText(place)).not.toContain('new@');
    });

    test('does not reach somebody twice, and no mail that cannot be read', async () => {
      const { place } = bench();
      const taken = await put(place, { delivered_to: '["new@example.test"]', payload: mailTo('a@x.test') });
      const broken = await put(place, { state: 'failed', payload: '{"to":' });
      const list = await put(place, { state: 'failed', payload: '[1]' });
      const before = await Promise.all([taken, broken, list].map((id) => get(place, id)));
      const { done, refused } = await readdressRows(
        place,
        { ids: [taken, broken, list] },
        timeout,
        'new@example.test',
      );
      expect(done).toBe(0);
      expect(refused.map(({ reason }) => reason)).toEqual([
        'the mail server has taken it for that address already',
        'its text cannot be read, so it cannot be sent to anybody',
        'its text cannot be read, so it cannot be sent to anybody',
      ]);
      expect(await Promise.all([taken, broken, list].map((id) => get(place, id)))).toEqual(before);
    });
  });

  test('a survey tells where rows stand and which are gone, and changes nothing', async () => {
    const { place } = bench();
    const rows = await guarded();
    const waits = await put(place);
    const { rows: seen, missing } = await surveyRows(
      place,
      { ids: [...rows.map(({ id }) => id), waits, 99_999] },
      timeout,
    );
    expect(missing).toBe(1);
    expect(seen.map((row) => [row.state, row.live, row.inDoubt])).toEqual([
      ['sent', false, false],
      ['sending', true, false],
      ['sending', false, false],
      ['failed', false, true],
      ['pending', false, false],
    ]);
    expect(await exists(place, waits)).toBe(true);
  });
}
