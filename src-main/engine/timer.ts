/** A thing done every so often, never twice at once. The doing is a function of its own, so that tests need no timer. */
export class Timer {
  private handle: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private readonly ms: number;
  private readonly work: () => Promise<void>;
  private readonly failed: (error: unknown) => void;

  constructor(ms: number, work: () => Promise<void>, failed: (error: unknown) => void) {
    this.ms = ms;
    this.work = work;
    this.failed = failed;
  }

  start(): void {
    this.handle ??= setInterval(() => void this.now(), this.ms);
  }

  /** Does it now, or joins the one that is under way. */
  now(): Promise<void> {
    this.running ??= this.work()
      .catch((error: unknown) => this.failed(error))
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  async stop(): Promise<void> {
    if (this.handle) clearInterval(this.handle);
    this.handle = null;
    await this.running;
  }
}
