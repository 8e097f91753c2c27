/**
 * Orders of a person on rows (contract/orders.ts). What was confirmed is what is touched: preparing fixes the ids on this
 * side, and its token is good for one act. A delete waits ten seconds for its undo, here and not in the window, which may
 * be closed or loaded anew meanwhile.
 */
import { randomUUID } from 'node:crypto';
import type { Selection } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import {
  type Acted,
  type Prepared,
  type RowOrder,
  undoSeconds,
  type WaitingDelete,
} from '../contract/orders.ts';
import type { ActionResult, RowId } from '../contract/rows.ts';
import { checkAddress } from '../mail/address.ts';
import {
  holdRows,
  keepForUndo,
  letGoAfterUndo,
  readdressRows,
  releaseRows,
  sendNext,
  setPriority,
} from '../queue/change.ts';
import { type Guarded, goneReason, refusals, refuseWhatTableLacks, surveyRows } from '../queue/guarded.ts';
import { writeLog } from '../queue/log.ts';
import { retryRows } from '../queue/operate.ts';
import type { Place } from '../queue/place.ts';
import { readStateAndSettings } from '../queue/settings-table.ts';
import type { Outlook } from './outlook.ts';

/** ms for which a prepared order may be confirmed: longer than anyone reads a question, shorter than a day's changes. */
const tokenLivesMs = 10 * 60_000;
/** Prepared orders that are kept: each may hold a hundred thousand ids. */
const mostPrepared = 20;
/** s beyond the undo for which rows are kept from leaving: the delete of 100,000 takes a few. */
const spareSeconds = 60;
/** Ids that are told with a waiting delete. */
const mostTold = 1_000;

interface Kept {
  order: RowOrder;
  ids: RowId[];
  bornMs: number;
}

interface Waiting {
  ids: RowId[];
  doneAtMs: number;
  /** `held_until` by which they are kept; null while that is being written */
  until: number | null;
  timer: NodeJS.Timeout;
  /** settled when the holding is written */
  keeping: Promise<void>;
}

export interface OrderParts {
  place: Place;
  outlook(): Promise<Outlook>;
  uncapped: boolean;
  /** deletes rows and what belongs to them */
  remove(what: Selection): Promise<ActionResult>;
  /** rows changed */
  changed(): Promise<void>;
}

export class RowOrders {
  private readonly prepared = new Map<string, Kept>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly parts: OrderParts;

  constructor(parts: OrderParts) {
    this.parts = parts;
  }

  /** Looks at what an order would touch, and fixes it. */
  async prepare(what: Selection, order: RowOrder): Promise<Prepared> {
    const { place } = this.parts;
    const checked = this.check(order);
    const { rows, missing } = await surveyRows(place, what, await this.claimTimeout());
    const reasons = new Map<string, number>();
    const allowed: Guarded[] = [];
    for (const row of rows) {
      const reason = refusals[checked.do](row);
      if (reason === null) allowed.push(row);
      else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    if (missing > 0) reasons.set(goneReason, missing);
    const token = randomUUID();
    this.prepared.set(token, {
      order: checked,
      ids: allowed.map((row) => row.id),
      bornMs: performance.now(),
    });
    for (const old of this.prepared.keys()) if (this.prepared.size > mostPrepared) this.prepared.delete(old);
    return {
      token,
      count: allowed.length,
      to: checked.do === 'readdress' ? checked.to : null,
      adds_s: await this.addedSeconds(checked, allowed),
      refused: [...reasons].map(([reason, count]) => ({ reason, count })),
    };
  }

  /**
   * Does what was prepared, once: the token is used up before anything happens, so that a double click is harmless.
   * @throws PostroomError refused: the token is used up or too old
   */
  async act(token: string): Promise<Acted> {
    const kept = this.prepared.get(token);
    this.prepared.delete(token);
    if (!kept || performance.now() - kept.bornMs > tokenLivesMs)
      throw new PostroomError(
        'refused',
        'This question was answered already, or is more than ten minutes old. Nothing was changed; ask again.',
      );
    if (kept.order.do === 'delete') return { waits: true, undo: await this.deleteSoon(kept.ids) };
    return { waits: false, ...(await this.change({ ids: kept.ids }, kept.order)) };
  }

  /** Does an order at once, without asking: the command line names its rows itself. */
  async change(what: Selection, order: RowOrder): Promise<ActionResult> {
    const checked = this.check(order);
    const result = await this.write(what, checked);
    await this.parts.changed();
    return result;
  }

  /** Calls a waiting delete off. False when it is too late. */
  async undo(token: string): Promise<boolean> {
    const waiting = this.waiting.get(token);
    if (!waiting) return false;
    this.waiting.delete(token);
    clearTimeout(waiting.timer);
    await this.letGo(waiting);
    await this.parts.changed();
    return true;
  }

  /** Deletes that can still be undone, the oldest first. */
  waitingDeletes(): WaitingDelete[] {
    return [...this.waiting].map(([token, waiting]) => told(token, waiting));
  }

  /** Leaving: what has not been deleted yet is not deleted any more, and that is said. */
  async drop(): Promise<void> {
    const dropped = [...this.waiting.values()];
    this.waiting.clear();
    this.prepared.clear();
    for (const { timer } of dropped) clearTimeout(timer);
    const count = dropped.reduce((sum, { ids }) => sum + ids.length, 0);
    if (count === 0) return;
    for (const waiting of dropped) await this.letGo(waiting).catch(() => {});
    await writeLog(this.parts.place, [
      {
        level: 'warning',
        queueId: null,
        message: `Postroom was closed before ${count} ${count === 1 ? 'row was' : 'rows were'} deleted: nothing was deleted`,
      },
    ]).catch(() => {});
  }

  private async deleteSoon(ids: RowId[]): Promise<WaitingDelete> {
    const { place } = this.parts;
    const token = randomUUID();
    const timer = setTimeout(() => void this.deleteNow(token), undoSeconds * 1000);
    const waiting: Waiting = {
      ids,
      doneAtMs: performance.now() + undoSeconds * 1000,
      until: null,
      timer,
      keeping: Promise.resolve(),
    };
    this.waiting.set(token, waiting);
    waiting.keeping = this.claimTimeout()
      .then((timeout) => keepForUndo(place, ids, timeout, undoSeconds + spareSeconds))
      .then((until) => {
        waiting.until = until;
      });
    try {
      await waiting.keeping;
    } catch (error) {
      this.waiting.delete(token);
      clearTimeout(timer);
      throw error;
    }
    await this.parts.changed();
    return told(token, waiting);
  }

  private async deleteNow(token: string): Promise<void> {
    const waiting = this.waiting.get(token);
    if (!waiting) return;
    this.waiting.delete(token);
    const { place } = this.parts;
    try {
      await waiting.keeping;
      const { refused } = await this.parts.remove({ ids: waiting.ids });
      const [first] = refused;
      if (first)
        await writeLog(place, [
          {
            level: 'warning',
            queueId: first.id,
            message: `${refused.length} of ${waiting.ids.length} rows were not deleted: ${first.reason}`,
          },
        ]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      await this.letGo(waiting).catch(() => {});
      await writeLog(place, [
        {
          level: 'error',
          queueId: null,
          message: `${waiting.ids.length} rows could not be deleted: ${words}`,
        },
      ]).catch(() => {});
      await this.parts.changed().catch(() => {});
    }
  }

  private async letGo(waiting: Waiting): Promise<void> {
    await waiting.keeping.catch(() => {});
    if (waiting.until === null) return;
    await letGoAfterUndo(this.parts.place, waiting.ids, await this.claimTimeout(), waiting.until);
  }

  private async write(what: Selection, order: RowOrder): Promise<ActionResult> {
    const { place } = this.parts;
    const timeout = await this.claimTimeout();
    switch (order.do) {
      case 'retry':
        return retryRows(place, what, timeout);
      case 'delete':
        return this.parts.remove(what);
      case 'hold':
        return holdRows(place, what, timeout, order.until);
      case 'release':
        return releaseRows(place, what, timeout);
      case 'next':
        return sendNext(place, what, timeout);
      case 'priority':
        return setPriority(place, what, timeout, order.priority);
      case 'readdress':
        return readdressRows(place, what, timeout, order.to);
    }
  }

  /** The order as it can be done. @throws PostroomError refused | usage */
  private check(order: RowOrder): RowOrder {
    refuseWhatTableLacks(this.parts.place, order.do);
    if (order.do !== 'readdress') return order;
    const checked = checkAddress(order.to);
    if (!checked.ok)
      throw new PostroomError('usage', `No mail can go there: ${checked.reason}. Nothing was changed.`);
    return { ...order, to: checked.address };
  }

  /** s by which the queue gets longer, by the interval and by the caps of hour and day, whichever is slowest. */
  private async addedSeconds(order: RowOrder, rows: readonly Guarded[]): Promise<number> {
    const mails = lengthens(order, rows);
    if (mails === 0 || this.parts.uncapped) return 0;
    const { intervalMs, settings } = await this.parts.outlook();
    const each = Math.max(
      intervalMs / 1000,
      settings.rate_per_hour > 0 ? 3_600 / settings.rate_per_hour : 0,
      settings.rate_per_day > 0 ? 86_400 / settings.rate_per_day : 0,
    );
    return Math.round(mails * each);
  }

  private async claimTimeout(): Promise<number> {
    return (await readStateAndSettings(this.parts.place)).settings.claim_timeout;
  }
}

/** Mails by which the queue gets longer; for `next`, those that the others let pass. */
function lengthens(order: RowOrder, rows: readonly Guarded[]): number {
  const count = (is: (row: Guarded) => boolean) => rows.filter(is).length;
  switch (order.do) {
    case 'retry':
    case 'readdress':
      // what waits already has its place
      return count((row) => row.state === 'failed' || row.heldForGood);
    case 'delete':
      return -count((row) => row.state === 'pending' && !row.heldForGood);
    case 'hold':
      return order.until === null ? -count((row) => !row.heldForGood) : 0;
    case 'release':
      return count((row) => row.heldForGood);
    case 'next':
      return rows.length;
    case 'priority':
      return 0;
  }
}

function told(token: string, { ids, doneAtMs }: Waiting): WaitingDelete {
  return {
    token,
    count: ids.length,
    ids: ids.slice(0, mostTold),
    left_ms: Math.max(0, Math.round(doneAtMs - performance.now())),
  };
}
