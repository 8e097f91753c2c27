/** The engine of one shop: worker, reaper, retention, heartbeat and leases, wired together. No Electron, no SQL. */
import { setTimeout as pause } from 'node:timers/promises';
import { beat, leave } from '../queue/consoles.ts';
import { glance } from '../queue/glance.ts';
import { isConnectionLoss } from '../shop/faults.ts';
import { ConnectionWatch } from './connection.ts';
import type { EngineContext } from './context.ts';
import { Conversations, type Tally } from './conversations.ts';
import { Lane } from './lane.ts';
import { Leases } from './leases.ts';
import { type ReaperReport, reapOnce } from './reaper.ts';
import { pruneOnce } from './retention.ts';
import { Settler } from './settler.ts';
import { StateKeeper } from './state.ts';
import { Timer } from './timer.ts';
import { Worker } from './worker.ts';

const minute = 60_000;
/** ms of patience for answers that are under way when the engine stops; what is later is told by the journal or is in doubt */
const stopPatienceMs = 60_000;
/** ms in which what was broken off then is written down */
const lastWordMs = 5_000;

/**
 * At hundreds of mails a second a settle for each mail costs more than the mail: six statements for some fifty instead.
 * The journal has the answers meanwhile; what is late by a quarter of a second is the screen.
 */
const settleLingerMs = 250;

export class Engine {
  readonly state: StateKeeper;
  readonly lane: Lane;
  readonly connection: ConnectionWatch;
  private readonly context: EngineContext;
  private readonly settler: Settler;
  private readonly leases: Leases;
  private readonly conversations: Conversations;
  private readonly worker: Worker;
  private readonly timers: { heartbeat: Timer; leases: Timer; reaper: Timer; retention: Timer };
  private started = false;
  private fresh = true;

  constructor(context: EngineContext) {
    const { place, mail, events, journal } = context;
    this.context = context;
    this.connection = new ConnectionWatch(events, () => void this.timers.reaper.now());
    this.settler = new Settler(
      place,
      journal,
      this.connection,
      context.profile.uncapped ? settleLingerMs : 0,
    );
    this.leases = new Leases(place);
    this.lane = new Lane(place, mail, events);
    this.state = new StateKeeper(place, events);
    this.conversations = new Conversations(context, this.settler, this.leases, this.lane);
    const failed = (error: unknown) => this.failed(error);
    this.worker = new Worker(
      context,
      { conversations: this.conversations, lane: this.lane, connection: this.connection, state: this.state },
      failed,
    );
    this.timers = {
      heartbeat: new Timer(minute, () => this.beat(), failed),
      leases: new Timer(minute, () => this.leases.renew(), failed),
      reaper: new Timer(5 * minute, async () => void (await this.reap()), failed),
      retention: new Timer(
        24 * 60 * minute,
        async () => void (await pruneOnce(place, context.files)),
        failed,
      ),
    };
  }

  /** Settles the journal, takes over what dead predecessors held, then starts everything. Idempotent. */
  async start(): Promise<ReaperReport | null> {
    if (this.started) return null;
    this.started = true;
    const report = await this.reap();
    await this.beat();
    if (!this.started) return report; // stopped meanwhile
    for (const timer of Object.values(this.timers)) timer.start();
    this.worker.start();
    void this.timers.retention.now();
    return report;
  }

  get selfId(): string {
    return this.context.self.id;
  }
  get running(): boolean {
    return this.started;
  }
  get tally(): Readonly<Tally> {
    return this.conversations.tally;
  }
  get inFlight() {
    return this.leases.ids();
  }
  get lastWord() {
    return this.worker.lastWord;
  }
  get diskCause() {
    return this.worker.diskCause;
  }

  /** Median ms of the last conversations; a guess of 500 ms before there were any. */
  get replyMs(): number {
    return this.conversations.replyMs ?? 500;
  }

  wake(): void {
    this.worker.wake();
  }

  /** After sleep or a lost network: sockets are presumed dead, the journal and the dead claims come first. */
  async wakeUp(): Promise<void> {
    if (!this.started) return;
    await this.timers.reaper.now();
    this.worker.wake();
  }

  async reap(signal?: AbortSignal): Promise<ReaperReport> {
    const fresh = this.fresh;
    const report = await reapOnce(
      this.context,
      { settler: this.settler, leases: this.leases },
      fresh,
      signal,
    );
    // ends that this console found out, whoever began them: a drain that leaves doubts says so
    this.conversations.tally.inDoubt += report.inDoubt;
    this.conversations.tally.failed += report.failed;
    if (fresh) this.context.dots.believe();
    this.fresh = false;
    this.worker.wake();
    return report;
  }

  /** Resolves when nothing is pending or sending any more; rows that wait for a retry are waited for. */
  async untilEmpty(signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      try {
        const seen = await glance(this.context.place);
        await this.state.settle(seen);
        if (seen.dueS === null && !seen.sending && this.leases.size === 0) return;
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
      }
      await pause(500, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }

  /** Gives back what has not passed the point of no return and settles the rest. */
  async stop(): Promise<void> {
    if (!this.started) return;
    this.started = false;
    this.settler.hurry();
    if (!(await this.worker.stop(this.context.stopPatienceMs ?? stopPatienceMs))) {
      // Who has not answered by now is in doubt. An answer that came later would find journal and settler closed.
      this.context.mail.drop();
      await this.worker.stop(lastWordMs);
    }
    // also a replay that waits for a lost database
    this.settler.abandon();
    await Promise.all(Object.values(this.timers).map((timer) => timer.stop()));
    await leave(this.context.place, this.context.self.id).catch(() => {}); // a lost database: the shop's timeout tells
  }

  private async beat(): Promise<void> {
    const able = this.connection.cause === null && !this.lane.faulty && this.worker.diskCause === null;
    await beat(this.context.place, this.context.self, able && this.started);
  }

  /** The timers' failures: the loops go on, the cause is told. */
  private failed(error: unknown): void {
    this.connection.failed(error);
  }
}
