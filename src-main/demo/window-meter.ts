/** Counts events in a sliding window: the most that any window held, and the two that came closest. */
export class WindowMeter {
  /** most events in any window so far */
  most = 0;
  /** ms between the two closest events, null before there were two */
  closest: number | null = null;
  readonly #stamps: number[] = [];

  readonly #windowMs: number;

  /** @param windowMs length of the window, ms */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @param at ms since 1970, not before the last one */
  add(at: number): void {
    const last = this.#stamps.at(-1);
    if (last !== undefined) this.closest = Math.min(this.closest ?? Number.POSITIVE_INFINITY, at - last);
    this.#stamps.push(at);
    // a window is half open: two events exactly its length apart are not both in it
    while ((this.#stamps[0] ?? at) <= at - this.#windowMs) this.#stamps.shift();
    this.most = Math.max(this.most, this.#stamps.length);
  }
}
