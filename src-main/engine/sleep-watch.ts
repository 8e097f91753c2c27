/**
 * Notices that the machine slept although nobody said so: between two ticks more time has passed than a tick takes. On Linux the
 * monotonic clock stands still in sleep, elsewhere the tick itself comes late, so both are looked at. A clock that was set forward
 * looks the same, and so does a process that stood still: what follows (ask whether the connections live, settle, reap) does no harm
 * then.
 */
const tickMs = 5_000;
/** ms that a busy machine may be late without having slept */
const slackMs = 20_000;

export interface Clocks {
  /** ms, as the wall clock has it */
  wall(): number;
  /** ms, never set */
  monotonic(): number;
}

const real: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

export class SleepWatch {
  private timer: NodeJS.Timeout | null = null;
  private last: { wall: number; monotonic: number };
  private readonly onSlept: (ms: number) => void;
  private readonly clocks: Clocks;

  constructor(onSlept: (ms: number) => void, clocks: Clocks = real) {
    this.onSlept = onSlept;
    this.clocks = clocks;
    this.last = { wall: clocks.wall(), monotonic: clocks.monotonic() };
  }

  start(): void {
    this.last = { wall: this.clocks.wall(), monotonic: this.clocks.monotonic() };
    this.timer ??= setInterval(() => this.tick(), tickMs);
    // a watch keeps no program alive
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** Looks at the clocks; apart from its timer, so that tests need none. */
  tick(): void {
    const now = { wall: this.clocks.wall(), monotonic: this.clocks.monotonic() };
    const late = now.monotonic - this.last.monotonic - tickMs;
    const stoodStill = now.wall - this.last.wall - (now.monotonic - this.last.monotonic);
    this.last = now;
    const slept = Math.max(late, stoodStill);
    if (slept > slackMs) this.onSlept(slept);
  }
}
