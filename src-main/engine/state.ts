/** The state machine of a shop's queue (plan section 7, promise 11): enabled, draining, disabled. */
import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';
import type { QueueState } from '../contract/settings.ts';
import { type Glance, glance } from '../queue/glance.ts';
import { writeLog } from '../queue/log.ts';
import type { Place } from '../queue/place.ts';
import { moveState, readStateAndSettings } from '../queue/settings-table.ts';

export class StateKeeper {
  private readonly place: Place;
  private readonly events: EventEmitter<DeskEvents>;

  constructor(place: Place, events: EventEmitter<DeskEvents>) {
    this.place = place;
    this.events = events;
  }

  async enable(): Promise<QueueState> {
    if (await moveState(this.place, ['disabled', 'draining'], 'enabled'))
      await this.tell('enabled', 'by hand');
    return 'enabled';
  }

  /** New mail leaves the shop directly from now on; what waits is still drained. */
  async disable(): Promise<QueueState> {
    if (await moveState(this.place, ['enabled'], 'draining')) await this.tell('draining', 'by hand');
    return this.lookAgain();
  }

  /** Moves along what the tables ask for and answers where the state stands. */
  async lookAgain(): Promise<QueueState> {
    return this.settle(await glance(this.place));
  }

  /** draining -> disabled when nothing is pending or sending; disabled -> draining when a row arrived after all. */
  async settle(seen: Glance): Promise<QueueState> {
    const waiting = seen.dueS !== null || seen.sending;
    if (seen.state === 'draining' && !waiting)
      return this.move('draining', 'disabled', 'empty', 'the queue is empty');
    if (seen.state === 'disabled' && waiting)
      return this.move('disabled', 'draining', 'waiting', 'mail arrived after the queue was disabled');
    return seen.state;
  }

  private async move(
    from: QueueState,
    to: QueueState,
    provided: 'empty' | 'waiting',
    why: string,
  ): Promise<QueueState> {
    if (await moveState(this.place, [from], to, provided)) {
      await this.tell(to, why);
      return to;
    }
    // Another console, or another timer of this one, was quicker: a worker that went on with what it had seen would
    // sleep beside waiting mail.
    return (await readStateAndSettings(this.place)).state;
  }

  private async tell(state: QueueState, why: string): Promise<void> {
    await writeLog(this.place, [{ level: 'info', queueId: null, message: `The queue is ${state}: ${why}` }]);
    this.events.emit('changed');
  }
}
