/**
 * The claims in this console's hands. Their leases are renewed while a slow server is still answering (answers after
 * 310 s are real, FINDINGS 6), so that nobody takes them over meanwhile.
 */
import type { RowId } from '../contract/rows.ts';
import type { Claim } from '../queue/claim.ts';
import { renewLeases } from '../queue/guard.ts';
import type { Place } from '../queue/place.ts';

export class Leases {
  private readonly held = new Map<string, Claim>();
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  add(claim: Claim): void {
    this.held.set(claim.claimId, claim);
  }

  end(claim: Claim): void {
    this.held.delete(claim.claimId);
  }

  has(claimId: string): boolean {
    return this.held.has(claimId);
  }

  get size(): number {
    return this.held.size;
  }

  ids(): RowId[] {
    return [...this.held.values()].map((claim) => claim.id);
  }

  async renew(): Promise<void> {
    await renewLeases(this.place, [...this.held.values()]);
  }
}
