/**
 * Gathers what many conversations want written at the same moment into one statement. While one write is on its way the
 * next ones gather. Without `lingerMs` a lone caller never waits; with it, callers whose item is safe elsewhere already
 * (a journaled answer) wait a moment for company.
 */
export class Batcher<Item, Result> {
  private waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  private running = 0;
  private readonly write: (items: Item[]) => Promise<(Result | Error)[]>;
  private readonly most: number;
  private readonly lingerMs: number;
  private readonly writers: number;
  private endLinger: (() => void) | null = null;

  /** `write` answers one result per item, in order; an Error rejects that item alone. `most` = items in one
   * write, `writers` = writes on their way at once.
   */
  constructor(
    write: (items: Item[]) => Promise<(Result | Error)[]>,
    { most = 50, lingerMs = 0, writers = 1 } = {},
  ) {
    this.writers = writers;
    this.write = write;
    this.most = most;
    this.lingerMs = lingerMs;
  }

  /** Ends the wait for company: what gathered is written now, and from now on nothing lingers. */
  hurry(): void {
    this.hurried = true;
    this.endLinger?.();
  }
  private hurried = false;

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running < this.writers) void this.run();
      else if (this.waiting.length >= this.most) this.endLinger?.();
    });
  }

  private async run(): Promise<void> {
    this.running += 1;
    // let the callers of this very turn of the event loop join
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      if (this.lingerMs > 0 && !this.hurried && this.waiting.length < this.most) await this.linger();
      const batch = this.waiting.splice(0, this.most);
      try {
        const results = await this.write(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => {
          const result = results[index];
          if (result instanceof Error) entry.reject(result);
          else entry.resolve(result as Result);
        });
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.running -= 1;
  }

  private linger(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.endLinger = null;
        resolve();
      };
      const timer = setTimeout(end, this.lingerMs);
      this.endLinger = end;
    });
  }
}
