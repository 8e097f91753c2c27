/**
 * Planned departures (promise 5): when each waiting row will leave, if the mail server goes on answering as it did.
 * The gate is the law and this is only its forecast, computed by the gate's own rule (promise 3).
 */
import type { RowId } from '../contract/rows.ts';

/** A row that waits. */
export interface Waiting {
  id: RowId;
  /** smaller leaves first */
  priority: number;
  /** ms since 1970, database clock: the later one of `scheduled_at` and `held_until` */
  notBeforeMs: number;
  /** envelope recipients */
  recipients: number;
}

/** All that the gate looks at; times in ms since 1970 by the database's clock. */
export interface GateView {
  nowMs: number;
  lastStartMs: number;
  /** ms from one start to the next, the learned one where it is longer; 0 = uncapped */
  intervalMs: number;
  /** conversations in 60 s, recipients in an hour and in a day; null = no cap */
  caps: { minute: number | null; hour: number | null; day: number | null };
  /** ledger lines of the last day that count; `finishedMs` null = still talking */
  lines: readonly { finishedMs: number | null; recipients: number }[];
  /** end of a pause, or nowMs */
  openFromMs: number;
  /** measured median of one conversation, ms */
  replyMs: number;
  /** conversations at once, all consoles together */
  connections: number;
}

/**
 * Planned start of each waiting row, ms. A row that no cap can ever let pass (more recipients than an hour or a day may
 * have) is left out and delays nothing, since the gate fails it. O(n log n): a departure costs four binary searches.
 *
 * Conversations under way are taken to end one whole `replyMs` from now: rather a little late than too early.
 * @param limit stop after so many departures
 */
export function forecast(
  waiting: readonly Waiting[],
  gate: GateView,
  limit = Number.POSITIVE_INFINITY,
): Map<RowId, number> {
  const planned = new Map<RowId, number>();
  const arrivals = [...waiting].sort((a, b) => a.notBeforeMs - b.notBeforeMs);
  const due = new Heap(leavesBefore);
  const books = new Books(gate);
  const { caps } = gate;
  const mostRecipients = Math.min(
    caps.hour ?? Number.POSITIVE_INFINITY,
    caps.day ?? Number.POSITIVE_INFINITY,
  );
  let arrived = 0;
  const arriveUntil = (ms: number) => {
    for (let row = arrivals[arrived]; row && row.notBeforeMs <= ms; row = arrivals[arrived]) {
      if (row.recipients <= mostRecipients) due.push(row);
      arrived += 1;
    }
  };

  while (planned.size < limit) {
    // where the clock stands: nothing can start before
    const openMs = books.opensFor(0);
    arriveUntil(openMs);
    if (due.size === 0) {
      const next = arrivals[arrived];
      if (!next) break;
      arriveUntil(next.notBeforeMs);
      continue; // the row that arrived may be one that never leaves
    }
    const first = due.first();
    if (!first) break;
    const startMs = Math.max(first.notBeforeMs, books.opensFor(first.recipients));
    if (startMs === Number.POSITIVE_INFINITY) break;
    // While the first row waits for room in a window, one that goes before it may become due.
    const next = arrivals[arrived];
    if (next && next.notBeforeMs <= startMs) {
      arriveUntil(next.notBeforeMs);
      continue;
    }
    due.pop();
    planned.set(first.id, startMs);
    books.start(startMs, first.recipients);
  }
  return planned;
}

/** The gate's order: (priority, not before, id), as the claim's key has it. */
function leavesBefore(a: Waiting, b: Waiting): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.notBeforeMs !== b.notBeforeMs) return a.notBeforeMs < b.notBeforeMs;
  if (typeof a.id === 'number' && typeof b.id === 'number') return a.id < b.id;
  // a BIGINT above 2^53 comes as its digits: the longer one is the larger one
  const [x, y] = [String(a.id), String(b.id)];
  return x.length === y.length ? x < y : x.length < y.length;
}

/**
 * The ledger as it will be. All conversations take `replyMs`, so they end in the order in which they start, and a
 * window is a stretch at the end of one list: how much of it must have fallen out of the window is a binary search in
 * the running sums.
 */
class Books {
  readonly #gate: GateView;
  /** when each line stops being under way, ascending, ms */
  readonly #ends: number[] = [];
  /** recipients of all lines before this one */
  readonly #recipientsBefore: number[] = [0];
  #lastStartMs: number;

  constructor(gate: GateView) {
    this.#gate = gate;
    this.#lastStartMs = gate.lastStartMs;
    const soon = gate.nowMs + gate.replyMs;
    const lines = gate.lines.map((line) => ({
      end: Math.min(line.finishedMs ?? soon, soon),
      recipients: line.recipients,
    }));
    for (const line of lines.sort((a, b) => a.end - b.end)) this.#add(line.end, line.recipients);
  }

  /** Earliest moment, ms, at which the gate would let so many recipients start; 0 = whatever holds for every row. */
  opensFor(recipients: number): number {
    const { nowMs, openFromMs, intervalMs, caps, connections } = this.#gate;
    return Math.max(
      nowMs,
      openFromMs,
      this.#lastStartMs + intervalMs,
      // a connection is a window of no length: a line fills it until it ends
      this.#roomForLine(Math.max(1, connections), 0),
      caps.minute === null ? nowMs : this.#roomForLine(caps.minute, 60_000),
      caps.hour === null ? nowMs : this.#roomForRecipients(recipients, caps.hour, 3_600_000),
      caps.day === null ? nowMs : this.#roomForRecipients(recipients, caps.day, 86_400_000),
    );
  }

  start(ms: number, recipients: number): void {
    this.#lastStartMs = ms;
    this.#add(ms + this.#gate.replyMs, recipients);
  }

  #add(end: number, recipients: number): void {
    this.#ends.push(end);
    this.#recipientsBefore.push((this.#recipientsBefore.at(-1) ?? 0) + recipients);
  }

  #roomForLine(cap: number, windowMs: number): number {
    if (cap < 1) return Number.POSITIVE_INFINITY;
    return this.#leftWindow(this.#ends.length + 1 - cap, windowMs);
  }

  #roomForRecipients(recipients: number, cap: number, windowMs: number): number {
    if (recipients > cap) return Number.POSITIVE_INFINITY;
    const excess = (this.#recipientsBefore.at(-1) ?? 0) + recipients - cap;
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#recipientsBefore[middle] ?? 0) >= excess) high = middle;
      else low = middle + 1;
    }
    return this.#leftWindow(low, windowMs);
  }

  /** When the first `lines` lines no longer count: one counts while its end is *less* than the window ago. */
  #leftWindow(lines: number, windowMs: number): number {
    const end = lines > 0 ? this.#ends[lines - 1] : undefined;
    return end === undefined ? Number.NEGATIVE_INFINITY : end + windowMs;
  }
}

/** A binary heap: first() is the one that goes before all others. */
class Heap {
  readonly #before: (a: Waiting, b: Waiting) => boolean;
  readonly #items: Waiting[] = [];

  constructor(before: (a: Waiting, b: Waiting) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  first(): Waiting | undefined {
    return this.#items[0];
  }

  push(item: Waiting): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt] as Waiting;
      if (!this.#before(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  pop(): void {
    const items = this.#items;
    const item = items.pop();
    if (item === undefined || items.length === 0) return;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      const right = items[childAt + 1];
      if (right !== undefined && this.#before(right, items[childAt] as Waiting)) childAt += 1;
      const child = items[childAt];
      if (child === undefined || !this.#before(child, item)) break;
      items[at] = child;
      at = childAt;
    }
    items[at] = item;
  }
}
