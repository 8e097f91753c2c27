/**
 * Gathers what many conversations want written at the same moment into one statement. No timer: while one write is on
 * its way the next ones gather, so a lone caller never waits and twenty callers share a round trip.
 */
export class Batcher<Item, Result> {
  private waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  private running = false;
  private readonly write: (items: Item[]) => Promise<(Result | Error)[]>;
  private readonly most: number;

  /** `write` answers one result per item, in order; an Error rejects that item alone. `most` = items in one write. */
  constructor(write: (items: Item[]) => Promise<(Result | Error)[]>, most = 50) {
    this.write = write;
    this.most = most;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    // let the callers of this very turn of the event loop join
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
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
    this.running = false;
  }
}
