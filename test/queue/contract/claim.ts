import { describe, expect, test } from 'vitest';
import { grantAndClaim } from '../../../src-main/queue/claim.ts';
import { glance } from '../../../src-main/queue/glance.ts';
import { mergeSettings, writeValue } from '../../../src-main/queue/settings-table.ts';
import { type Bench, claimOne, get, linesOf, logText, mailTo, nowS, order, put, restPace } from '../bench.ts';

export function claimContract(bench: () => Bench): void {
  /** ids in the order in which they are claimed, until nothing is left */
  async function drain(): Promise<number[]> {
    const ids: number[] = [];
    for (;;) {
      const { claims, refused } = await grantAndClaim(bench().place, order({ uncapped: true }));
      if (claims.length + refused.length === 0) return ids;
      ids.push(...claims.map((claim) => Number(claim.id)));
    }
  }

  describe('claim', () => {
    test('takes by priority, then not-before, then id', async () => {
      const { place } = bench();
      const last = await put(place, { priority: 20, scheduled_at: 900 });
      const third = await put(place, { scheduled_at: 60 });
      const fourth = await put(place, { scheduled_at: 60 });
      const second = await put(place, { scheduled_at: 61 });
      const first = await put(place, { priority: -3, scheduled_at: 1 });
      expect(await drain()).toEqual([first, second, third, fourth, last]);
    });

    test('takes no more large mails at once than fit into the memory, and at least one', async () => {
      const { place } = bench();
      const huge = JSON.stringify({ ...JSON.parse(mailTo('a@x.test')), message: 'x'.repeat(3_500_000) });
      const ids: number[] = [];
      for (let n = 0; n < 5; n += 1) ids.push(await put(place, { payload: huge }));
      ids.push(await put(place));
      const many = order({ uncapped: true, most: 50 });
      const taken: number[][] = [];
      for (let n = 0; n < 3; n += 1)
        taken.push((await grantAndClaim(place, many)).claims.map((claim) => Number(claim.id)));
      expect(taken).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    });

    test('leaves what is not due, what is held, and what does not wait', async () => {
      const { place } = bench();
      const now = await nowS(place);
      const due = await put(place);
      await put(place, { scheduled_at: -30, priority: 1 });
      await put(place, { held_until: now + 30, priority: 1 });
      const heldBefore = await put(place, { held_until: now - 1 });
      for (const state of ['sending', 'sent', 'failed', 'weird', ''])
        await put(place, { state, priority: 1 });
      expect(await drain()).toEqual([due, heldBefore]);
    });

    test('takes negative and refuses nothing for far-future times', async () => {
      const { place } = bench();
      const old = await put(place, { scheduled_at: 10 ** 12, created_at: 10 ** 12 });
      await put(place, { scheduled_at: -(10 ** 15) });
      expect(await drain()).toEqual([old]);
    });

    test('marks the row, opens a ledger line, moves the pace; attempts stay', async () => {
      const { place } = bench();
      const id = await put(place, {
        payload: mailTo('a@x.test', 'b@x.test'),
        recipient: 'a@x.test, b@x.test',
        attempts: 2,
      });
      const from = await nowS(place);
      const { claims, facts, closed } = await grantAndClaim(place, order());
      const [claim] = claims;
      expect(claim).toMatchObject({
        id,
        recipients: 2,
        attempts: 2,
        reclaims: 0,
        deliveredTo: [],
        attachmentDir: null,
      });
      expect(closed).toBeNull();
      const row = await get(place, id);
      expect(row).toMatchObject({
        state: 'sending',
        claim_id: claim?.claimId,
        message_id: claim?.messageId,
        attempts: 2,
      });
      expect(Number(row['claimed_at'])).toBeGreaterThanOrEqual(from);
      expect(await linesOf(place, id)).toMatchObject([
        {
          claim_id: claim?.claimId,
          message_id: claim?.messageId,
          console_id: 'console-one',
          recipients: 2,
          started_ms: facts.nowMs,
          body_ms: null,
          finished_ms: null,
          outcome: null,
        },
      ]);
      expect(await place.db.query(`SELECT last_start_ms FROM ${place.t.pace}`)).toEqual([
        { last_start_ms: facts.nowMs },
      ]);
      expect(Math.abs(facts.nowMs - from * 1000)).toBeLessThan(3000);
    });

    test('gives several rows at once, each its own claim, where nothing spaces them', async () => {
      const { place } = bench();
      const ids = [await put(place), await put(place), await put(place)];
      const { claims } = await grantAndClaim(place, order({ uncapped: true, most: 2 }));
      expect(claims.map((claim) => claim.id)).toEqual(ids.slice(0, 2));
      expect(new Set(claims.map((claim) => claim.claimId)).size).toBe(2);
      for (const claim of claims) {
        expect(await get(place, claim.id)).toMatchObject({
          claim_id: claim.claimId,
          message_id: claim.messageId,
        });
        expect(await linesOf(place, claim.id)).toMatchObject([
          { claim_id: claim.claimId, message_id: claim.messageId },
        ]);
      }
      expect(await get(place, ids[2] ?? 0)).toMatchObject({ state: 'pending', claim_id: null });
    });

    test('keeps the Message-ID of a row over all its claims', async () => {
      const { place } = bench();
      const id = await put(place);
      const first = await claimOne(place);
      await place.db.run(`UPDATE ${place.t.queue} SET state = 'pending', claim_id = NULL WHERE id = ?`, [id]);
      const second = await claimOne(place);
      expect(second.messageId).toBe(first.messageId);
      expect(second.claimId).not.toBe(first.claimId);
      await put(place, { message_id: '' });
      expect((await claimOne(place, { newMessageId: () => '<made@x.test>' })).messageId).toBe(
        '<made@x.test>',
      );
    });

    test('hands over what was accepted before, and nothing of a broken list', async () => {
      const { place } = bench();
      await put(place, { delivered_to: '["a@x.test",7,null]', attachment_dir: 'a'.repeat(32), priority: 1 });
      await put(place, { delivered_to: '{"a":', priority: 2 });
      expect(await claimOne(place)).toMatchObject({
        deliveredTo: ['a@x.test'],
        attachmentDir: 'a'.repeat(32),
      });
      expect(await claimOne(place)).toMatchObject({ deliveredTo: [] });
    });

    test('fails corrupt rows with the reason and goes on to the next; no attempt is burnt', async () => {
      const { place } = bench();
      const corrupt = await put(place, { payload: '{"to":"a@x.test","subj', priority: 1, attempts: 1 });
      const nobody = await put(place, { payload: mailTo(), priority: 2, recipient: 'anna@example.test' });
      const fine = await put(place, { priority: 3 });
      const { claims, refused } = await grantAndClaim(place, order());
      expect(claims.map((claim) => claim.id)).toEqual([fine]);
      expect(refused.map(({ id }) => id)).toEqual([corrupt, nobody]);
      expect(refused[1]).toEqual({
        id: nobody,
        reason: 'it has no recipient',
        recipient: 'anna@example.test',
        subject: 'Hello',
      });
      for (const { id, reason } of refused) {
        const row = await get(place, id);
        expect(row).toMatchObject({
          state: 'failed',
          last_error: reason,
          claim_id: null,
          claimed_at: null,
          in_doubt: 0,
        });
        expect(row['attempts']).toBe(id === corrupt ? 1 : 0);
        expect(await linesOf(place, id)).toEqual([]);
      }
      expect(await logText(place)).toContain(`error: Row ${nobody} failed: it has no recipient`);
    });

    test('fails a flood of corrupt rows in bounded parts, each once', async () => {
      const { place } = bench();
      for (let n = 0; n < 30; n += 1) await put(place, { payload: 'x' });
      const fine = await put(place);
      const first = await grantAndClaim(place, order());
      expect(first.claims).toEqual([]);
      expect(first.closed).toBeNull();
      const second = await grantAndClaim(place, order());
      expect(first.refused.length + second.refused.length).toBe(30);
      expect(first.refused.length).toBeLessThan(30);
      expect(second.claims.map((claim) => claim.id)).toEqual([fine]);
    });

    test('fails stale mail as expired by its own mail type alone', async () => {
      const { place } = bench();
      await mergeSettings(place, { expire_after: { customer_reset_password: 3600 } });
      const stale = await put(place, { context: 'customer_reset_password', created_at: 3700 });
      const fresh = await put(place, { context: 'customer_reset_password', created_at: 3500 });
      const other = await put(place, { context: 'customer_note', created_at: 10 ** 6 });
      expect(await drain()).toEqual([fresh, other]);
      expect(await get(place, stale)).toMatchObject({ state: 'failed', attempts: 0 });
      expect(String((await get(place, stale))['last_error'])).toMatch(/^expired: waited 37\d\d s/);
    });

    test.each(['constructor', 'toString', '__proto__', "x' OR '1'='1"])(
      'takes a row of the context %s like any other',
      async (context) => {
        const { place } = bench();
        const id = await put(place, { context });
        expect(await drain()).toEqual([id]);
      },
    );

    test('starts nothing while disabled or paused, and says why', async () => {
      const { place } = bench();
      const id = await put(place);
      await writeValue(place, 'state', 'disabled');
      expect((await grantAndClaim(place, order())).closed).toMatchObject({ why: 'disabled' });
      await writeValue(place, 'state', 'draining');
      await place.db.run(
        `UPDATE ${place.t.pace} SET paused_until = ${place.d.nowS} + 60, pause_reason = 'person: lunch'`,
      );
      expect(await grantAndClaim(place, order())).toMatchObject({
        claims: [],
        closed: { why: 'paused' },
        facts: { pace: { pause: { by: 'person', reason: 'lunch' } } },
      });
      expect(await get(place, id)).toMatchObject({ state: 'pending' });
      await place.db.run(`UPDATE ${place.t.pace} SET paused_until = ${place.d.nowS} - 1`);
      expect((await grantAndClaim(place, order())).claims).toHaveLength(1);
    });

    test('a glance tells the state, the first due row and whether something is being sent', async () => {
      const { place } = bench();
      expect(await glance(place)).toMatchObject({ state: 'enabled', dueS: null, sending: false });
      const now = await nowS(place);
      await put(place, { scheduled_at: 900, held_until: now + 600 });
      await put(place, { state: 'failed', scheduled_at: 800 });
      await put(place, { priority: 1, scheduled_at: -60 });
      expect(Number((await glance(place)).dueS) - now).toBeGreaterThan(50);
      const due = await put(place, { priority: 90, scheduled_at: 60 });
      const seen = await glance(place);
      expect(seen.dueS).toBe((await get(place, due))['scheduled_at']);
      expect(Math.abs(seen.nowS - now)).toBeLessThan(3);
      await put(place, { state: 'sending' });
      await writeValue(place, 'state', 'nonsense');
      expect(await glance(place)).toMatchObject({ state: 'disabled', sending: true });
    });

    test('works where the pace row is missing, and makes it', async () => {
      const { place } = bench();
      await put(place);
      await place.db.run(`DELETE FROM ${place.t.pace}`);
      expect((await grantAndClaim(place, order())).claims).toHaveLength(1);
      expect(await place.db.query(`SELECT id FROM ${place.t.pace}`)).toEqual([{ id: 1 }]);
    });

    test('two consoles that claim at once never get the same row', async () => {
      const { place, other } = bench();
      const ids: number[] = [];
      for (let n = 0; n < 40; n += 1) ids.push(await put(place));
      const taken: number[] = [];
      const worker = async (at: number) => {
        for (;;) {
          const my = order({ uncapped: true, most: 1 + (at % 3), consoleId: `console-${at}` });
          const { claims } = await grantAndClaim(at % 2 ? place : other, my);
          if (claims.length === 0) return;
          taken.push(...claims.map((claim) => Number(claim.id)));
        }
      };
      await Promise.all([1, 2, 3, 4].map(worker));
      expect(taken.sort((a, b) => a - b)).toEqual(ids);
      const [lines] = await place.db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${place.t.attempts}`);
      expect(lines?.n).toBe(40);
    });

    test('nor do they where the server has no SKIP LOCKED and no key for the order', async () => {
      const { place, other } = bench();
      const bare = { skipLocked: false, claimKey: null };
      for (let n = 0; n < 20; n += 1) await put(place);
      const taken: number[] = [];
      const worker = async (at: number) => {
        for (;;) {
          const { claims } = await grantAndClaim(
            { ...(at % 2 ? place : other), ...bare },
            order({ uncapped: true, most: 2 }),
          );
          if (claims.length === 0) return;
          taken.push(...claims.map((claim) => Number(claim.id)));
        }
      };
      await Promise.all([1, 2, 3, 4].map(worker));
      expect(taken).toHaveLength(20);
      expect(new Set(taken).size).toBe(20);
    });

    test('the interval holds across both consoles', async () => {
      const { place, other } = bench();
      for (let n = 0; n < 4; n += 1) await put(place);
      const answers = await Promise.all([place, other, place, other].map((at) => grantAndClaim(at, order())));
      expect(answers.flatMap((answer) => answer.claims)).toHaveLength(1);
      for (const { closed } of answers.filter((answer) => answer.claims.length === 0)) {
        expect(closed).toMatchObject({ why: 'interval' });
        expect(closed?.waitMs).toBeGreaterThan(0);
      }
      await restPace(place);
      expect((await grantAndClaim(place, order())).claims).toHaveLength(1);
    });
  });
}
