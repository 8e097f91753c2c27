import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { settle, settledAlready } from '../../../src-main/queue/settle.ts';
import {
  deferred,
  inDoubt,
  nothingSaid,
  rejected,
  released,
  type Settlement,
  sent,
} from '../../../src-main/queue/transitions.ts';
import { type Bench, claimOne, get, linesOf, logText, nowS, put } from '../bench.ts';

const said = {
  recipients: 1,
  smtpCode: 250,
  enhancedCode: '2.0.0',
  response: '2.0.0 Ok: queued as 4F1',
  serverId: '4F1',
};
const refused = {
  ...nothingSaid,
  recipients: 1,
  smtpCode: 450,
  enhancedCode: '4.2.0',
  response: '450 4.2.0 Greylisted',
};
const unheard = { ...nothingSaid, recipients: 1 };

export function settleContract(bench: () => Bench): void {
  const claimed = async (columns: Parameters<typeof put>[1] = {}) => {
    const id = await put(bench().place, columns);
    return { id, claim: await claimOne(bench().place) };
  };
  const settleOne = (settlement: Settlement) => settle(bench().place, [settlement]);

  describe('settle', () => {
    test('sent: the row ends, counted once, with what the server said in the ledger', async () => {
      const { place } = bench();
      const { id, claim } = await claimed({ last_error: 'before', attempts: 1, reclaims: 2 });
      const from = await nowS(place);
      expect(await settleOne(sent(claim, said, null))).toEqual(new Set([claim.claimId]));
      const row = await get(place, id);
      const free = { claim_id: null, claimed_at: null, last_error: null, in_doubt: 0, notified_at: null };
      expect(row).toMatchObject({
        state: 'sent',
        attempts: 2,
        reclaims: 2,
        message_id: claim.messageId,
        ...free,
      });
      expect(Number(row['sent_at'])).toBeGreaterThanOrEqual(from);
      const [line] = await linesOf(place, id);
      expect(line).toMatchObject({
        outcome: 'sent',
        smtp_code: 250,
        enhanced_code: '2.0.0',
        server_id: '4F1',
        recipients: 1,
      });
      expect(line).toMatchObject({ response: said.response });
      expect(Number(line?.['finished_ms'])).toBeGreaterThanOrEqual(Number(line?.['started_ms']));
      expect(await logText(place)).toBe(`info: Row ${id} sent (250 ${said.response})`);
    });

    test('sent with some refused for good: named in the row and the log', async () => {
      const { place } = bench();
      const { id, claim } = await claimed();
      await settleOne(sent(claim, said, 'refused: bob@x.test (550 no such user)'));
      expect(await get(place, id)).toMatchObject({
        state: 'sent',
        last_error: 'refused: bob@x.test (550 no such user)',
      });
      expect(await logText(place)).toContain('warning: ');
      expect(await logText(place)).not.toContain('bob@');
    });

    test('deferred: waits from now on, counted, with the reason and what was taken already', async () => {
      const { place } = bench();
      const { id, claim } = await claimed({ attempts: 1, scheduled_at: 5000 });
      const from = await nowS(place);
      await settleOne(
        deferred(claim, refused, { delayS: 300.2, reason: '450 Greylisted', deliveredTo: ['a@x.test'] }),
      );
      const row = await get(place, id);
      expect(row).toMatchObject({
        state: 'pending',
        attempts: 2,
        last_error: '450 Greylisted',
        claim_id: null,
        claimed_at: null,
      });
      expect(Number(row['scheduled_at'])).toBeGreaterThanOrEqual(from + 301);
      expect(Number(row['scheduled_at'])).toBeLessThan(from + 306);
      expect(JSON.parse(String(row['delivered_to']))).toEqual(['a@x.test']);
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'deferred', smtp_code: 450 }]);
    });

    test('released: given back uncounted, at its old place', async () => {
      const { place } = bench();
      const { id, claim } = await claimed({ attempts: 1, scheduled_at: 5000, delivered_to: '["a@x.test"]' });
      const before = await get(place, id);
      await settleOne(released(claim, { ...unheard, recipients: 0 }, 'the login was refused'));
      expect(await get(place, id)).toMatchObject({
        state: 'pending',
        attempts: 1,
        reclaims: 0,
        scheduled_at: before['scheduled_at'],
        delivered_to: '["a@x.test"]',
        claim_id: null,
        message_id: claim.messageId,
      });
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'none', recipients: 0 }]);
    });

    test('rejected: failed at once; counted only when a server judged it', async () => {
      const { place } = bench();
      const judged = await claimed({ attempts: 1 });
      await settleOne(rejected(judged.claim, { ...refused, smtpCode: 550 }, '550 no such user', true));
      expect(await get(place, judged.id)).toMatchObject({
        state: 'failed',
        attempts: 2,
        in_doubt: 0,
        sent_at: null,
      });
      const ours = await claimed({ attempts: 1 });
      await settleOne(rejected(ours.claim, { ...unheard, recipients: 0 }, 'attachment missing', false));
      expect(await get(place, ours.id)).toMatchObject({
        state: 'failed',
        attempts: 1,
        last_error: 'attachment missing',
      });
    });

    test('in doubt: held for a person, or sent again when the setting says so', async () => {
      const { place } = bench();
      const held = await claimed();
      await settleOne(inDoubt(held.claim, unheard, 'no answer', { retry: false, delayS: 0 }));
      expect(await get(place, held.id)).toMatchObject({
        state: 'failed',
        in_doubt: 1,
        attempts: 1,
        claim_id: null,
      });
      const again = await claimed();
      await settleOne(inDoubt(again.claim, unheard, 'no answer', { retry: true, delayS: 60 }));
      expect(await get(place, again.id)).toMatchObject({ state: 'pending', in_doubt: 0, attempts: 1 });
      expect(await linesOf(place, again.id)).toMatchObject([{ outcome: 'in-doubt' }]);
    });

    test('a mixed batch: each row gets its own end, in whatever order they come', async () => {
      const { place } = bench();
      const [a, b, c, d, lost] = [
        await claimed(),
        await claimed(),
        await claimed(),
        await claimed(),
        await claimed(),
      ];
      await place.db.run(`UPDATE ${place.t.queue} SET claim_id = ? WHERE id = ?`, [randomUUID(), lost.id]);
      const held = await settle(place, [
        rejected(d.claim, { ...refused, smtpCode: 554 }, 'no', true),
        sent(b.claim, { ...said, serverId: 'B' }, 'b refused'),
        sent(lost.claim, { ...said, serverId: 'L' }, null),
        sent(a.claim, { ...said, serverId: 'A' }, null),
        released(c.claim, { ...unheard, recipients: 0 }, 'later', 30),
      ]);
      expect(held).toEqual(new Set([a, b, c, d].map((one) => one.claim.claimId)));
      expect(await get(place, a.id)).toMatchObject({ state: 'sent', last_error: null, attempts: 1 });
      expect(await get(place, b.id)).toMatchObject({ state: 'sent', last_error: 'b refused', attempts: 1 });
      expect(await get(place, c.id)).toMatchObject({ state: 'pending', last_error: 'later', attempts: 0 });
      expect(await get(place, d.id)).toMatchObject({ state: 'failed', last_error: 'no', attempts: 1 });
      expect(await get(place, lost.id)).toMatchObject({ state: 'sending', attempts: 0 });
      expect(await linesOf(place, a.id)).toMatchObject([{ server_id: 'A', outcome: 'sent' }]);
      expect(await linesOf(place, b.id)).toMatchObject([{ server_id: 'B', outcome: 'sent' }]);
      expect(await linesOf(place, c.id)).toMatchObject([{ server_id: null, outcome: 'none', recipients: 0 }]);
      expect(await linesOf(place, d.id)).toMatchObject([{ smtp_code: 554, outcome: 'rejected' }]);
      expect(await linesOf(place, lost.id)).toMatchObject([{ server_id: 'L', outcome: 'sent' }]);
    });

    test.each([
      ['under another claim', `claim_id = 'x'`],
      ['pending again', `state = 'pending', claim_id = NULL`],
      ['sent', `state = 'sent', claim_id = NULL`],
      ['in doubt', `state = 'failed', in_doubt = 1, claim_id = NULL`],
    ])(
      'a row that is %s meanwhile is left alone: a log line and the ledger, nothing else',
      async (_name, change) => {
        const { place } = bench();
        const { id, claim } = await claimed();
        await place.db.run(`UPDATE ${place.t.queue} SET ${change} WHERE id = ?`, [id]);
        const before = await get(place, id);
        for (const end of [
          rejected(claim, refused, 'no', true),
          deferred(claim, refused, { delayS: 1, reason: 'later', deliveredTo: ['x@x.test'] }),
          sent(claim, said, null),
        ]) {
          expect(await settleOne(end)).toEqual(new Set());
          expect(await get(place, id)).toEqual(before);
        }
        expect(await linesOf(place, id)).toMatchObject([{ outcome: 'sent', server_id: '4F1' }]);
        expect(await logText(place)).toContain(
          `warning: Row ${id}: the claim was no longer held when its outcome (sent) came`,
        );
      },
    );

    test('a row that was deleted meanwhile: the history keeps what the server said', async () => {
      const { place } = bench();
      const { id, claim } = await claimed();
      await place.db.run(`DELETE FROM ${place.t.queue}`);
      expect(await settleOne(sent(claim, said, null))).toEqual(new Set());
      expect(await linesOf(place, id)).toMatchObject([{ outcome: 'sent' }]);
    });

    test('counters at their most stay there', async () => {
      const { place } = bench();
      for (const end of ['sent', 'deferred'] as const) {
        const { id, claim } = await claimed({ attempts: 255, reclaims: 255 });
        const later = { delayS: 600, reason: 'later', deliveredTo: null };
        await settleOne(end === 'sent' ? sent(claim, said, null) : deferred(claim, refused, later));
        expect(await get(place, id)).toMatchObject({ attempts: 255, reclaims: 255 });
      }
    });

    test('long words of a server, in any alphabet, never keep an outcome from being written', async () => {
      const { place } = bench();
      const long = `550 ${'ř💌'.repeat(30_000)}`;
      const words = {
        recipients: 1,
        smtpCode: 550,
        enhancedCode: '5.999999.9999999',
        response: long,
        serverId: long,
      };
      const failed = await claimed();
      await settleOne(rejected(failed.claim, words, long, true));
      expect(await get(place, failed.id)).toMatchObject({ state: 'failed', attempts: 1 });
      const [line] = await linesOf(place, failed.id);
      expect(String(line?.['response'])).toMatch(/^550 ř💌/);
      expect(String(line?.['server_id']).length).toBeLessThanOrEqual(128);
      const noted = await claimed();
      await settleOne(sent(noted.claim, words, long));
      expect(await get(place, noted.id)).toMatchObject({ state: 'sent', attempts: 1 });
      const later = await claimed();
      await settleOne(deferred(later.claim, words, { delayS: 1, reason: long, deliveredTo: null }));
      expect(await get(place, later.id)).toMatchObject({ state: 'pending', attempts: 1 });
    });

    test('more recipients than can be remembered: held for a person, since nobody may get it twice', async () => {
      const { place } = bench();
      const { id, claim } = await claimed();
      const deliveredTo = Array.from({ length: 3_000 }, (_, at) => `recipient.number.${at}@example.test`);
      await settleOne(deferred(claim, refused, { delayS: 1, reason: '450 later', deliveredTo }));
      expect(await get(place, id)).toMatchObject({
        state: 'failed',
        in_doubt: 1,
        attempts: 1,
        delivered_to: null,
      });
      expect(String((await get(place, id))['last_error'])).toContain(
        '450 later; 3000 recipients have it already',
      );
    });

    test('after a COMMIT whose answer was lost, the ledger tells what was settled', async () => {
      const { place } = bench();
      const [a, b, c, stolen] = [await claimed(), await claimed(), await claimed(), await claimed()];
      const later = deferred(b.claim, refused, { delayS: 1, reason: 'later', deliveredTo: null });
      const ends = [
        sent(a.claim, said, null),
        later,
        sent(c.claim, said, null),
        sent(stolen.claim, said, null),
      ];
      expect(await settledAlready(place, ends)).toEqual(new Set());
      await settle(place, ends.slice(0, 2));
      // of this one the line was ended, while the row had another holder: the journal must still speak for it
      await place.db.run(`UPDATE ${place.t.queue} SET claim_id = 'other' WHERE id = ?`, [stolen.id]);
      await settle(place, ends.slice(3));
      expect(await settledAlready(place, ends)).toEqual(new Set([a.claim.claimId, b.claim.claimId]));
      await place.db.run(`DELETE FROM ${place.t.queue} WHERE id = ?`, [a.id]);
      expect(await settledAlready(place, ends)).toEqual(new Set([a.claim.claimId, b.claim.claimId]));
      expect(await settledAlready(place, [])).toEqual(new Set());
    });

    test('nothing to settle is nothing', async () => {
      expect(await settle(bench().place, [])).toEqual(new Set());
      expect(await logText(bench().place)).toBe('');
    });
  });
}
