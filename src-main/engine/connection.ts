/** Whether the way to the shop is there: told once when it is lost and once when it is back, in plain words. */
import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';
import { PostroomError, toWireError } from '../contract/errors.ts';
import { isConnectionLoss } from '../shop/faults.ts';
import { reconnectDelayMs } from './backoff.ts';

/** ms between tries when it is no lost way but a changed password, a dropped table or a bug: a person must act. */
const needsPersonMs = 10_000;

export class ConnectionWatch {
  private failures = 0;
  private lostCause: string | null = null;
  private back = new AbortController();
  private readonly events: EventEmitter<DeskEvents>;
  private readonly onBack: () => void;

  /** `onBack` runs each time the way is there again after a loss: the journal and the dead claims come first then. */
  constructor(events: EventEmitter<DeskEvents>, onBack: () => void) {
    this.events = events;
    this.onBack = onBack;
  }

  /** The cause of the loss in plain words, null while all is well. */
  get cause(): string | null {
    return this.lostCause;
  }

  /** Aborted when the way is there again: who waits for the next try need not wait its seconds out. */
  get returned(): AbortSignal {
    return this.back.signal;
  }

  worked(): void {
    if (this.lostCause === null) return;
    this.failures = 0;
    this.lostCause = null;
    this.back.abort();
    this.back = new AbortController();
    this.events.emit('connection', null);
    this.onBack();
  }

  /** Takes note of a failure and answers the ms to wait before the next try. */
  failed(error: unknown): number {
    this.failures += 1;
    const cause = toWireError(error).message;
    if (this.lostCause !== cause) this.events.emit('connection', cause);
    this.lostCause = cause;
    if (isConnectionLoss(error)) return reconnectDelayMs(this.failures);
    if (!(error instanceof PostroomError)) console.error(error); // a bug: its stack is for us
    return needsPersonMs;
  }
}
