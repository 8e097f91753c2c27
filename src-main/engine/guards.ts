/**
 * The point of no return as the conversations meet it: who may send the final dot, asked of the database in groups
 * (queue/guard.ts), and the distance between dots where a gate spaces them.
 */
import type { Claim } from '../queue/claim.ts';
import { passPointOfNoReturn } from '../queue/guard.ts';
import type { Place } from '../queue/place.ts';
import { Batcher } from './batcher.ts';
import type { Dots } from './dots.ts';

/** No answer of the database within this time: no dot is sent. Below every server's patience in DATA, ms. */
const deadlineMs = 30_000;

/**
 * ms for which an answer counts, by whichever of two clocks says more, from when it was asked. It renewed the lease, and a lease
 * lasts minutes: nobody has taken the row over within a second. A sleep or a stop of the process shows in the age.
 */
const freshMs = 1_000;

/**
 * Where nothing spaces the mails, a guard that waits 1 ms for the other connections' shares statement and fsync with
 * them: 1,700 statements for 5,000 mails instead of 3,200, and 0.9 s less of the database's CPU (docs/performance.md).
 */
const lingerMs = 1;

/** One mail's way past the point of no return. */
export interface Pass {
  /**
   * Asks ahead of the dot, while the server still answers MAIL FROM, RCPT TO and DATA: only where mails leave back to
   * back and are short. Between the two another machine cannot know whether the dot was sent (this one can, by its dots).
   */
  askAhead(): void;
  /** Resolves when the dot may go; rejects when the claim is lost or the database silent. */
  beforeDot(): Promise<void>;
}

export class Guards {
  private readonly batcher: Batcher<Claim, boolean>;
  private readonly stopped: AbortSignal;
  private readonly dots: Dots;
  /** monotonic ms of the last final dot */
  private lastDot = Number.NEGATIVE_INFINITY;
  private dotTurn: Promise<void> = Promise.resolve();

  /** `stopped`: no dot is sent once it is aborted. */
  constructor(
    place: Place,
    dots: Dots,
    options: { connections: number; uncapped: boolean; stopped: AbortSignal },
  ) {
    const { connections, uncapped, stopped } = options;
    this.stopped = stopped;
    this.dots = dots;
    this.batcher = new Batcher(
      async (claims) => {
        const passed = await passPointOfNoReturn(place, claims);
        return claims.map((claim) => passed.has(claim.claimId));
      },
      // a connection does not wait for the round trip of another one's statement
      { most: connections, writers: connections, lingerMs: uncapped ? lingerMs : 0 },
    );
  }

  /** `intervalMs`: the distance to keep between dots, 0 = none. */
  pass(claim: Claim, intervalMs: number): Pass {
    let ahead: { answer: Promise<boolean>; age: () => number } | null = null;
    return {
      askAhead: () => {
        if (intervalMs > 0 || ahead) return;
        ahead = { answer: this.ask(claim), age: stopwatch() };
        ahead.answer.catch(() => {}); // told by beforeDot, if it comes to that
      },
      beforeDot: async () => {
        // Grants are spaced already; this takes the jitter of logins and composing out, so that the receiving server
        // sees the distance too.
        if (intervalMs > 0) await this.keepDistance(intervalMs);
        this.stopped.throwIfAborted();
        let passed = await (ahead?.answer ?? this.ask(claim));
        if (passed && ahead && ahead.age() > freshMs) passed = await this.ask(claim);
        if (!passed) throw new Error('the claim is no longer held');
        this.stopped.throwIfAborted();
        this.dots.mark(claim.claimId);
        this.lastDot = performance.now();
      },
    };
  }

  private ask(claim: Claim): Promise<boolean> {
    return deadline(this.batcher.add(claim), deadlineMs);
  }

  private keepDistance(intervalMs: number): Promise<void> {
    this.dotTurn = this.dotTurn.then(async () => {
      const wait = this.lastDot + intervalMs - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      this.lastDot = performance.now();
    });
    return this.dotTurn;
  }
}

/** ms since now. The monotonic clock of some systems stands still while the machine sleeps, the wall clock may be set back. */
function stopwatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Math.abs(Date.now() - wall));
}

function deadline<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no answer from the database within ${ms / 1000} s`)),
      ms,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
