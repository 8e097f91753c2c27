/** A sleep that can be woken: monotonic, and never longer than asked. */
export class Sleeper {
  private wakeUp: (() => void) | null = null;
  private woken = false;

  /** Resolves after `ms`, or at once when `wake` was called since the last sleep. */
  sleep(ms: number): Promise<void> {
    if (this.woken) {
      this.woken = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wakeUp?.(), ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        this.wakeUp = null;
        this.woken = false;
        resolve();
      };
    });
  }

  wake(): void {
    if (this.wakeUp) this.wakeUp();
    else this.woken = true;
  }
}
