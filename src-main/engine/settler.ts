/**
 * Brings settlements into the database, in groups, for as long as it takes: a lost database delays them and loses
 * none. What a mail server accepted stands in the journal until then.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../queue/place.ts';
import { belongsHere, outrankLease, settle, settledAlready, settleFromJournal } from '../queue/settle.ts';
import type { Settlement } from '../queue/transitions.ts';
import { isConnectionLoss } from '../shop/faults.ts';
import { Batcher } from './batcher.ts';
import type { ConnectionWatch } from './connection.ts';
import type { Journal } from './journal.ts';

/** ms until a settlement that failed for no lost connection is tried once more */
const quickMs = 500;

export class Settler {
  private readonly place: Place;
  private readonly journal: Journal;
  private readonly connection: ConnectionWatch;
  private readonly batcher: Batcher<Settlement, boolean>;
  private readonly giveUp = new AbortController();
  private readonly hurried = new AbortController();

  /** `lingerMs`: how long a settlement may wait for company. The journal has every 2xx by then, so only the screens wait. */
  constructor(place: Place, journal: Journal, connection: ConnectionWatch, lingerMs: number) {
    this.place = place;
    this.journal = journal;
    this.connection = connection;
    this.batcher = new Batcher((settlements) => this.write(settlements), { lingerMs });
  }

  /**
   * Writes one settlement; resolves true when the row moved by it, false when the claim was no longer held.
   * Rejects only after `abandon`: then the journal has what matters, and the claim ends by its lease.
   */
  async settle(settlement: Settlement): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.batcher.add(settlement);
      } catch (error) {
        // A killed statement, a full disk, a right that was taken: the server's answer is worth waiting for, since
        // without it the row would be in doubt. Others are settled meanwhile.
        if (this.hurried.signal.aborted || this.giveUp.signal.aborted) throw error;
        await this.pause(tries === 1 ? quickMs : this.connection.failed(error), this.hurried.signal);
      }
    }
  }

  /**
   * Settles what a dead process, or a lost database, left in a journal. Safe to repeat. `kept` = entries of another
   * shop's tables (a config that was pointed elsewhere): only those tables may end them.
   */
  async replay(entries: readonly Settlement[]): Promise<{ moved: Settlement[]; kept: number }> {
    if (entries.length === 0) return { moved: [], kept: 0 };
    const moved: Settlement[] = [];
    const ours = await this.untilBack(() => belongsHere(this.place, entries));
    for (const entry of entries) {
      if (!ours.has(entry.claimId)) continue;
      if (await this.untilBack(() => settleFromJournal(this.place, entry))) moved.push(entry);
      this.journal.settled(entry.claimId);
    }
    return { moved, kept: entries.length - ours.size };
  }

  /** The engine stops: nothing waits for company any more. */
  hurry(): void {
    this.hurried.abort();
    this.batcher.hurry();
  }

  /** The process must end: stop waiting for the database. */
  abandon(): void {
    this.giveUp.abort(new Error('the process ends before the database is back'));
  }

  private async write(settlements: Settlement[]): Promise<(boolean | Error)[]> {
    try {
      return await this.writeTogether(settlements);
    } catch (error) {
      const one = error instanceof Error ? error : new Error(String(error));
      if (settlements.length === 1) return [one];
      // one settlement that cannot be written must not take the others along
      const results: (boolean | Error)[] = [];
      for (const settlement of settlements) results.push(...(await this.write([settlement])));
      return results;
    }
  }

  private async writeTogether(settlements: Settlement[]): Promise<boolean[]> {
    let tries = 0;
    const held = await this.untilBack(async () => {
      tries += 1;
      // After a lost COMMIT nobody knows whether it happened: the ledger lines tell.
      const known = tries > 1 ? await settledAlready(this.place, settlements) : new Set<string>();
      const rest = settlements.filter((one) => !known.has(one.claimId));
      return new Set([...known, ...(await settle(this.place, rest))]);
    });
    const moved: boolean[] = [];
    for (const one of settlements) {
      // a 2xx outranks the lease (promise 2), whoever holds the row now
      const done = held.has(one.claimId) || (await this.untilBack(() => outrankLease(this.place, one)));
      this.journal.settled(one.claimId);
      moved.push(done);
    }
    return moved;
  }

  /** Repeats `work` while the way to the database is lost. @throws anything else, at once */
  private async untilBack<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      this.giveUp.signal.throwIfAborted();
      try {
        const result = await work();
        this.connection.worked();
        return result;
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        const waitMs = this.connection.failed(error);
        await this.pause(waitMs, this.connection.returned);
      }
    }
  }

  private async pause(ms: number, until: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal: AbortSignal.any([until, this.giveUp.signal]) }).catch(() => {});
  }
}
