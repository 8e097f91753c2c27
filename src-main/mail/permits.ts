/** A fixed number of permits; who comes when none is left waits in the order of coming. */
export class Permits {
  private free: number;
  private readonly total: number;
  private readonly waiting: (() => void)[] = [];
  private readonly watching: (() => void)[] = [];

  constructor(total: number) {
    this.total = total;
    this.free = total;
  }

  take(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free--;
      return undefined;
    }
    return new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  give(): void {
    const next = this.waiting.shift();
    if (next) {
      next();
      return;
    }
    this.free++;
    if (this.free === this.total) for (const done of this.watching.splice(0)) done();
  }

  /** Resolves when nobody holds one. */
  allBack(): Promise<void> {
    if (this.free === this.total) return Promise.resolve();
    return new Promise<void>((resolve) => this.watching.push(resolve));
  }
}
