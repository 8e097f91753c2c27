/** Holding the shop's own rows for a claim: in its transaction where the books lie with them, after it where they do not. */
import type { Queryable } from '../shop/database.ts';
import type { Claim } from './claim.ts';
import type { Place } from './place.ts';
import type { ShopRows } from './shop-rows.ts';

export async function holdInClaim(shop: ShopRows, tx: Queryable, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const held = await shop.table.claim(tx, idsOf(claims), shop.leaseS);
  // they were locked when they were looked at: anything else is a fault worth a stop
  if (held.size !== claims.length)
    throw new Error(`Expected to hold ${claims.length} rows, got ${held.size}`);
}

/**
 * After the claim is in the books: a crash in between strands a card, never a row. One that another worker was quicker to
 * take is let go, and nothing is counted. Answers the claims that are held.
 */
export async function holdAfterClaim(place: Place, shop: ShopRows, claims: Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return claims;
  const held = await shop.table.claim(shop.db, idsOf(claims), shop.leaseS);
  const isHeld = (claim: Claim) => held.has(String(claim.id));
  for (const claim of claims) if (!isHeld(claim)) await letGo(place, claim);
  return claims.filter(isHeld);
}

const idsOf = (claims: readonly Claim[]): string[] => claims.map((claim) => String(claim.id));

async function letGo(place: Place, claim: Claim): Promise<void> {
  await place.db.transaction(async (tx) => {
    await tx.run(`DELETE FROM ${place.t.attempts} WHERE claim_id = ? AND body_ms IS NULL`, [claim.claimId]);
    await tx.run(
      `UPDATE ${place.t.queue} SET state = 'pending', claim_id = NULL, claimed_at = NULL WHERE id = ? AND claim_id = ?`,
      [claim.id, claim.claimId],
    );
  });
}
