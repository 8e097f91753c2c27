import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../src-main/queue/claim.ts';
import { passPointOfNoReturn, renewLeases } from '../../../src-main/queue/guard.ts';
import { ageClaim, type Bench, claimOne, get, linesOf, nowS, put } from '../bench.ts';

export function guardContract(bench: () => Bench): void {
  const claims = async (n: number): Promise<Claim[]> => {
    const made: Claim[] = [];
    for (let at = 0; at < n; at += 1) {
      await put(bench().place);
      made.push(await claimOne(bench().place));
    }
    return made;
  };
  const bodyOf = async (claim: Claim) => (await linesOf(bench().place, claim.id))[0]?.['body_ms'] ?? null;
  /** somebody else has the row now */
  const lose = (claim: Claim, change = `claim_id = '${randomUUID()}'`) =>
    bench().place.db.run(`UPDATE ${bench().place.t.queue} SET ${change} WHERE id = ?`, [claim.id]);

  describe('guard', () => {
    test('passes who holds the claim: the lease is renewed and the moment stamped', async () => {
      const { place } = bench();
      const [claim] = await claims(1);
      if (!claim) return;
      await ageClaim(place, claim.id, 300);
      const now = await nowS(place);
      expect(await passPointOfNoReturn(place, [claim])).toEqual(new Set([claim.claimId]));
      expect(Number((await get(place, claim.id))['claimed_at'])).toBeGreaterThanOrEqual(now);
      expect(Math.abs(Number(await bodyOf(claim)) / 1000 - now)).toBeLessThan(3);
    });

    test.each([
      ['another claim', undefined],
      ['none', 'claim_id = NULL'],
      ['a row that waits again', "state = 'pending'"],
      ['a row that was sent', "state = 'sent'"],
      ['a row in doubt', "state = 'failed', in_doubt = 1"],
    ])('refuses a row under %s, and stamps nothing', async (_name, change) => {
      const { place } = bench();
      const [claim] = await claims(1);
      if (!claim) return;
      await lose(claim, change);
      const before = await get(place, claim.id);
      expect(await passPointOfNoReturn(place, [claim])).toEqual(new Set());
      expect(await bodyOf(claim)).toBeNull();
      expect(await get(place, claim.id)).toEqual(before);
    });

    test('refuses a row that was deleted', async () => {
      const { place } = bench();
      const [claim] = await claims(1);
      if (!claim) return;
      await place.db.run(`DELETE FROM ${place.t.queue}`);
      expect(await passPointOfNoReturn(place, [claim])).toEqual(new Set());
      expect(await bodyOf(claim)).toBeNull();
    });

    test('judges several in one go, each by itself', async () => {
      const { place } = bench();
      const [a, lost, c, gone] = await claims(4);
      if (!a || !lost || !c || !gone) return;
      await lose(lost);
      await lose(gone, "state = 'pending', claim_id = NULL");
      const passed = await passPointOfNoReturn(place, [gone, a, lost, c]);
      expect(passed).toEqual(new Set([a.claimId, c.claimId]));
      for (const claim of [a, c]) expect(await bodyOf(claim)).not.toBeNull();
      for (const claim of [lost, gone]) expect(await bodyOf(claim)).toBeNull();
    });

    test("two rows with each other's claims do not pass for one another", async () => {
      const { place } = bench();
      const [a, b] = await claims(2);
      if (!a || !b) return;
      const crossed = [
        { id: a.id, claimId: b.claimId },
        { id: b.id, claimId: a.claimId },
      ];
      await lose(a, `claim_id = '${randomUUID()}'`);
      // b still holds its row; what is named here is b's claim on a's row
      expect(await passPointOfNoReturn(place, [crossed[0] ?? a])).toEqual(new Set());
      expect(await bodyOf(b)).toBeNull();
    });

    test('passes again within the same second: nothing changes, all the same it matches', async () => {
      const { place } = bench();
      const both = await claims(2);
      const names = new Set(both.map((claim) => claim.claimId));
      expect(await passPointOfNoReturn(place, both)).toEqual(names);
      expect(await passPointOfNoReturn(place, both)).toEqual(names);
      expect(await passPointOfNoReturn(place, [])).toEqual(new Set());
    });
  });

  describe('leases', () => {
    test('are renewed for claims that still stand, and only for those', async () => {
      const { place } = bench();
      const [a, lost, gone] = await claims(3);
      if (!a || !lost || !gone) return;
      for (const claim of [a, lost, gone]) await ageClaim(place, claim.id, 500);
      await lose(lost);
      await place.db.run(`DELETE FROM ${place.t.queue} WHERE id = ?`, [gone.id]);
      const now = await nowS(place);
      expect(await renewLeases(place, [lost, a, gone])).toEqual(new Set([a.claimId]));
      expect(Number((await get(place, a.id))['claimed_at'])).toBeGreaterThanOrEqual(now);
      expect(Number((await get(place, lost.id))['claimed_at'])).toBeLessThan(now - 400);
      expect(await renewLeases(place, [a])).toEqual(new Set([a.claimId]));
      expect(await renewLeases(place, [])).toEqual(new Set());
    });
  });
}
