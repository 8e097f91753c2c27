/** A seeded generator: the same seed throws the same dice (mulberry32). */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 0x9e3779b1) >>> 0;
    // neighbouring seeds begin alike
    for (let n = 0; n < 5; n += 1) this.next();
  }

  /** 0 <= x < 1 */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** whole number, both ends included */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('Expected something to pick from');
    return item;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let at = out.length - 1; at > 0; at -= 1) {
      const other = this.whole(0, at);
      [out[at], out[other]] = [out[other] as T, out[at] as T];
    }
    return out;
  }
}
