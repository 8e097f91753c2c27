import type { RowId } from '../contract/rows.ts';
import { plain } from './failure-kinds.ts';
import type { Shops } from './shops.ts';
import { say, told } from './words.ts';

/** A mail that failed, or of which nobody knows. */
export interface LastFailure {
  id: RowId;
  recipient: string;
  reason: string;
}

const most = 5;

/** The newest failures of each open shop, as they stand in its queue: what was retried or deleted is not among them. */
export class LastFailures {
  private readonly known = new Map<string, LastFailure[]>();
  private readonly asking = new Set<string>();

  private readonly shops: Shops;
  private readonly changed: () => void;

  constructor(shops: Shops, changed: () => void) {
    this.shops = shops;
    this.changed = changed;
    const failedBefore = new Map<string, number>();
    shops.on('status', (profile, { counts }) => {
      if (failedBefore.get(profile) === counts.failed) return;
      failedBefore.set(profile, counts.failed);
      void this.ask(profile);
    });
  }

  of(profile: string): readonly LastFailure[] {
    return this.known.get(profile) ?? [];
  }

  private async ask(profile: string): Promise<void> {
    if (this.asking.has(profile)) return;
    this.asking.add(profile);
    try {
      const { rows } = await this.shops
        .desk(profile)
        .list({ filter: { state: 'failed' }, limit: most, offset: 0 });
      this.known.set(
        profile,
        rows.map(({ id, recipient, last_error }) => ({
          id,
          recipient: plain(recipient).slice(0, 60),
          reason: last_error === null ? say('noReason') : plain(told(last_error)).slice(0, 80),
        })),
      );
      this.changed();
    } catch {
      // a shop that cannot be asked now is asked again when its numbers change
    } finally {
      this.asking.delete(profile);
    }
  }
}
