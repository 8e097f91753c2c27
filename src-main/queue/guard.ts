/**
 * The point of no return (promise 2): just before the final dot, one guarded UPDATE renews the lease and stamps
 * `body_ms` on the ledger line. Whoever is not named in the answer must not send the dot.
 */
import type { RowId } from '../contract/rows.ts';
import type { Queryable } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import type { ShopRows } from './shop-rows.ts';

export interface Held {
  id: RowId;
  claimId: string;
}

/**
 * Passes those of `held` that still hold their claim. Several connections share one statement; the usual case, all
 * still hold, costs one round trip.
 */
export async function passPointOfNoReturn(place: Place, held: readonly Held[]): Promise<Set<string>> {
  if (place.shop) held = await stillHeld(place.shop, held);
  if (held.length === 0) return new Set();
  if (place.db.dialect === 'sqlite') return place.db.transaction((tx) => stampEach(place, tx, held));
  const ids = held.map((claim) => claim.id);
  const claims = held.map((claim) => claim.claimId);
  // Claim ids are unique, so matching both lists matches pairs; a multi-table UPDATE counts matched rows of both tables.
  // STRAIGHT_JOIN keeps the lock order, queue before attempts: left alone the server reads attempts first.
  const { matched } = await place.db.run(
    `UPDATE ${place.t.queue} q STRAIGHT_JOIN ${place.t.attempts} a ON a.claim_id = q.claim_id AND a.queue_id = q.id
     SET q.claimed_at = ${place.d.nowS}, a.body_ms = ${place.d.nowMs}
     WHERE q.id IN (${marks(ids.length)}) AND q.claim_id IN (${marks(claims.length)}) AND q.state = 'sending'`,
    [...ids, ...claims],
  );
  if (matched === held.length * 2) return new Set(claims);
  const rows = await place.db.query<{ claim_id: string }>(
    `SELECT q.claim_id FROM ${place.t.queue} q JOIN ${place.t.attempts} a ON a.claim_id = q.claim_id AND a.queue_id = q.id
     WHERE q.claim_id IN (${marks(claims.length)}) AND q.id IN (${marks(ids.length)}) AND q.state = 'sending'
       AND a.body_ms IS NOT NULL`,
    [...claims, ...ids],
  );
  return new Set(rows.map((row) => row.claim_id));
}

async function stampEach(place: Place, tx: Queryable, held: readonly Held[]): Promise<Set<string>> {
  const passed = new Set<string>();
  for (const { id, claimId } of held) {
    const { matched } = await tx.run(
      `UPDATE ${place.t.queue} SET claimed_at = ${place.d.nowS} WHERE id = ? AND claim_id = ? AND state = 'sending'`,
      [id, claimId],
    );
    if (matched !== 1) continue;
    await tx.run(
      `UPDATE ${place.t.attempts} SET body_ms = ${place.d.nowMs} WHERE queue_id = ? AND claim_id = ?`,
      [id, claimId],
    );
    passed.add(claimId);
  }
  return passed;
}

/** Whose rows the shop's own table still shows as held; their lease there is renewed. */
async function stillHeld(shop: ShopRows, held: readonly Held[]): Promise<readonly Held[]> {
  if (held.length === 0) return held;
  const ids = held.map((one) => String(one.id));
  const renewed = await shop.table.renew(shop.db, ids, shop.leaseS);
  return held.filter((one) => renewed.has(String(one.id)));
}

/** Renews the leases of claims in hand; answers the claim ids that are still held. */
export async function renewLeases(place: Place, held: readonly Held[]): Promise<Set<string>> {
  if (place.shop) held = await stillHeld(place.shop, held);
  if (held.length === 0) return new Set();
  const ids = held.map((claim) => claim.id);
  const claims = held.map((claim) => claim.claimId);
  const where = `id IN (${marks(ids.length)}) AND claim_id IN (${marks(claims.length)}) AND state = 'sending'`;
  const { matched } = await place.db.run(
    `UPDATE ${place.t.queue} SET claimed_at = ${place.d.nowS} WHERE ${where}`,
    [...ids, ...claims],
  );
  if (matched === held.length) return new Set(claims);
  const rows = await place.db.query<{ claim_id: string }>(
    `SELECT claim_id FROM ${place.t.queue} WHERE ${where}`,
    [...ids, ...claims],
  );
  return new Set(rows.map((row) => row.claim_id));
}
