import { exits } from './exit.ts';

/**
 * ms in which a second signal counts as the first one: Ctrl+C reaches us from the terminal, and once more from an
 * `npm run` around us that passes it on.
 */
const sameBreathMs = 300;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that ask the program to end. Outside of `settling` the first one ends it at once: nothing is in flight.
 * Inside, the first one asks to settle, and the second one ends it at once.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  #settling = false;
  #first = 0;

  readonly #onAsked: () => void;

  /** @param onAsked told once, when the first signal asks to settle */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
    for (const signal of signals) process.on(signal, () => this.#hear());
  }

  /** From now on there may be mail in flight. Aborted when the program is asked to end. */
  settling(): AbortSignal {
    this.#settling = true;
    return this.#controller.signal;
  }

  get asked(): boolean {
    return this.#controller.signal.aborted;
  }

  #hear(): void {
    const now = performance.now();
    if (!this.#settling) process.exit(exits.interrupted);
    if (this.asked) {
      if (now - this.#first > sameBreathMs) process.exit(exits.interrupted);
      return;
    }
    this.#first = now;
    this.#controller.abort();
    this.#onAsked();
  }
}
