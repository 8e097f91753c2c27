/**
 * The lane breaker. A transport fault counts against no row: it pauses the lane for all consoles, with exponential
 * backoff; the probe that ends the pause is connect, login, NOOP, and costs no row (promise 7, DESIGN section 5).
 */
import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';
import { toWireError } from '../contract/errors.ts';
import type { MailServer } from '../mail/deliver.ts';
import { pauseLane, resumeLane, slowDown, speedUp } from '../queue/lane.ts';
import { writeLog } from '../queue/log.ts';
import type { Place } from '../queue/place.ts';
import { lanePauseS } from './backoff.ts';

/** Mails sent without complaint before the learned rate climbs by a tenth. */
const goodOnesPerStep = 10;
/** ms after which an old fault says nothing about a new one */
const forgetFaultsMs = 15 * 60_000;

export class Lane {
  /** in a row, since a mail last went: a probe that succeeds says little of what the next mail will meet */
  private faults = 0;
  private lastFaultAt = Number.NEGATIVE_INFINITY;
  private down = false;
  private told = false;
  private closed = false;
  private good = 0;
  private learned = false;
  private probing: Promise<boolean> | null = null;
  private readonly place: Place;
  private readonly mail: MailServer;
  private readonly events: EventEmitter<DeskEvents>;

  constructor(place: Place, mail: MailServer, events: EventEmitter<DeskEvents>) {
    this.place = place;
    this.mail = mail;
    this.events = events;
  }

  /** True while the last thing known of the mail server is a fault. */
  get faulty(): boolean {
    return this.down;
  }

  /** True from a fault until the probe, or a person, ends the pause: nothing is launched meanwhile. */
  get blocked(): boolean {
    return this.closed;
  }

  /** The gate let a row through: whoever ended the pause, it is over. */
  opened(): void {
    this.closed = false;
  }

  /** A fault of the transport: pauses the lane. Several conversations that die of one fault count once. */
  async fault(reason: string): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.pause(reason);
  }

  private async pause(reason: string): Promise<void> {
    this.down = true;
    if (performance.now() - this.lastFaultAt > forgetFaultsMs) this.faults = 0;
    this.lastFaultAt = performance.now();
    this.faults += 1;
    const pause = await pauseLane(this.place, 'fault', reason, lanePauseS(this.faults, Math.random()));
    if (this.told) return;
    this.told = true;
    await writeLog(this.place, [
      { level: 'error', queueId: null, message: `The mail lane is paused: ${reason}` },
    ]);
    this.events.emit('lane', pause);
  }

  /** Tries the mail server and ends a fault's pause when it answers. */
  probe(): Promise<boolean> {
    this.probing ??= this.runProbe().finally(() => {
      this.probing = null;
    });
    return this.probing;
  }

  private async runProbe(): Promise<boolean> {
    try {
      await this.mail.probe();
    } catch (error) {
      await this.pause(toWireError(error).message);
      return false;
    }
    this.down = false;
    this.told = false;
    this.closed = false;
    if (await resumeLane(this.place, 'fault')) {
      await writeLog(this.place, [
        { level: 'info', queueId: null, message: 'The mail server answers again: the lane goes on' },
      ]);
      this.events.emit('lane', null);
    }
    return true;
  }

  /** The mail server asked for less: twice the interval. */
  async throttled(reason: string, intervalMs: number): Promise<void> {
    this.good = 0;
    this.learned = true;
    const next = await slowDown(this.place, intervalMs);
    const message = `The mail server asks for fewer mails (${reason}): one every ${Math.round(next / 1000)} s from now on`;
    await writeLog(this.place, [{ level: 'warning', queueId: null, message }]);
    this.events.emit('changed');
  }

  /** A mail left. `setIntervalMs` of the set rate, `learnedMs` as the gate saw it: with none, nothing has to climb back. */
  async went(setIntervalMs: number, learnedMs: number | null): Promise<void> {
    this.faults = 0;
    this.down = false;
    if (learnedMs === null && !this.learned) return;
    this.good += 1;
    if (this.good < goodOnesPerStep) return;
    this.good = 0;
    if ((await speedUp(this.place, setIntervalMs)) === null) this.learned = false;
  }
}
