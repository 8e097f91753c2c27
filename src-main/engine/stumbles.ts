/**
 * Rows at which the lane stumbles again and again although its probe finds nothing wrong: a recipient whom this server
 * does not relay to, an address that it hangs up on. Nothing is counted against them, but after a few times they step
 * aside for a while, since the first in the queue would else hold up all others for ever (promise 10).
 */
import type { RowId } from '../contract/rows.ts';
import type { Outcome } from '../mail/outcome.ts';

/** times at which the lane may stumble at a row before it steps aside */
const patience = 2;
const mostRows = 1_000;

export class Stumbles {
  private readonly times = new Map<RowId, number>();

  /** Takes note of a conversation; answers the s for which its row should step aside, 0 = not at all. */
  after(id: RowId, { kind, lane, reached }: Pick<Outcome, 'kind' | 'lane' | 'reached'>): number {
    if (kind !== 'none' || lane === 'goes-on' || !reached) {
      this.times.delete(id);
      return 0;
    }
    const times = (this.times.get(id) ?? 0) + 1;
    if (this.times.size > mostRows) this.times.clear();
    this.times.set(id, times);
    return times < patience ? 0 : Math.min(3600, 60 * 2 ** (times - patience));
  }
}
