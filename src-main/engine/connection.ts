/** Whether the way to the shop is there: told once when it is lost and once when it is back, in plain words. */
import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';
import { toWireError } from '../contract/errors.ts';
import { isConnectionLoss } from '../shop/faults.ts';
import { reconnectDelayMs } from './backoff.ts';

export class ConnectionWatch {
  private failures = 0;
  private lostCause: string | null = null;
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

  worked(): void {
    if (this.lostCause === null) return;
    this.failures = 0;
    this.lostCause = null;
    this.events.emit('connection', null);
    this.onBack();
  }

  /**
   * Tells a lost way from everything else. Answers the ms to wait before the next try.
   * @throws the error itself when it is no loss of the way
   */
  failed(error: unknown): number {
    if (!isConnectionLoss(error)) throw error;
    this.failures += 1;
    const cause = toWireError(error).message;
    if (this.lostCause === null) this.events.emit('connection', cause);
    this.lostCause = cause;
    return reconnectDelayMs(this.failures);
  }
}
