/** The engine of one shop: worker, reaper, retention, heartbeat and leases, wired together. No Electron, no SQL. */
import { setTimeout as pause } from 'node:timers/promises';
import { PostroomError } from '../contract/errors.ts';
import type { SleepReport } from '../contract/status.ts';
import { countRows } from '../queue/browse.ts';
import { beat, begin, leave } from '../queue/consoles.ts';
import { renewDrainBy, shareAgain, takeOver } from '../queue/drain-by.ts';
import { glance } from '../queue/glance.ts';
import { writeLog } from '../queue/log.ts';
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
/** ms of patience when the machine is about to sleep: systems wait some 5 s for those who ask */
const sleepPatienceMs = 3_000;
/** ms within which the system's word and the clocks' gap are of the same sleep: it is told of twice and more */
const sameSleepMs = 30_000;
/** ms awake after which a sleep that was announced did not come, or its end was not told: the console goes on by itself */
const noSleepMs = 60_000;
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
  private conversations: Conversations;
  private worker: Worker;
  /** workers that were stopped for a sleep: answers that they wait for may still come */
  private readonly retired: Worker[] = [];
  private resting: { sinceMs: number; limit: NodeJS.Timeout } | null = null;
  /** ms of a sleep that is to be reported once the shop can be reached */
  private unreported: number | null = null;
  private wokenMs = Number.NEGATIVE_INFINITY;
  private alone = false;
  /** the last sleep that this console went through */
  lastSleep: SleepReport | null = null;
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
    const failed = (error: unknown) => this.failed(error);
    this.conversations = this.newConversations();
    this.worker = this.newWorker();
    this.timers = {
      heartbeat: new Timer(minute, () => this.beat(), failed),
      leases: new Timer(minute, () => this.leases.renew(), failed),
      reaper: new Timer(5 * minute, () => this.reapAndReport(), failed),
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
    await begin(this.context.place, this.selfId);
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

  /** The way to the shop was lost just now, whoever uses it next: told at once, not when something fails by it. */
  wayLost(cause: string): void {
    if (this.started) this.connection.failed(new PostroomError('unreachable', cause));
  }

  /** The network changed: the journal and the dead claims come first, and nobody waits for the end of a pause. */
  async wakeUp(): Promise<void> {
    if (!this.started) return;
    await this.timers.reaper.now();
    void this.tryLane();
    this.worker.wake();
  }

  /**
   * The machine is about to sleep: no row is taken any more, what has not reached the point of no return is given back, the shop is
   * told that nobody sends here. Asked twice it does it once (the system says it twice).
   */
  async suspend(): Promise<void> {
    if (!this.started || this.resting) return;
    this.resting = { sinceMs: Date.now(), limit: setTimeout(() => void this.woke(null), noSleepMs) };
    this.resting.limit.unref();
    const worker = this.worker;
    this.retired.push(worker);
    if (await worker.stop(sleepPatienceMs)) this.retired.splice(this.retired.indexOf(worker), 1);
    // who drains alone lets the others go on meanwhile
    if (this.alone) await shareAgain(this.context.place, this.selfId).catch(() => {});
    this.alone = false;
    await leave(this.context.place, this.selfId).catch(() => {}); // the shop's own timeout tells
  }

  /** It woke a moment ago, whoever noticed: a second word of the same sleep must not cut what was begun since. */
  get wokeLately(): boolean {
    return !this.resting && performance.now() - this.wokenMs < sameSleepMs;
  }

  /**
   * The machine has slept: settles the journal, takes over what died, goes on at the pace of the gate, and says what it found.
   * @param ms how long, where only the clocks' gap is known
   */
  async woke(ms: number | null): Promise<SleepReport | null> {
    if (!this.started) return null;
    const slept = this.resting ? Math.max(ms ?? 0, Date.now() - this.resting.sinceMs) : ms;
    if (this.resting) {
      clearTimeout(this.resting.limit);
      this.resting = null;
      this.conversations = this.newConversations(this.conversations.tally);
      this.worker = this.newWorker();
    } else if (performance.now() - this.wokenMs < sameSleepMs) {
      this.worker.wake();
      return null;
    }
    this.wokenMs = performance.now();
    this.unreported = slept ?? 0;
    // where the way is not back yet, its return brings the reaper again, and the report with it
    await this.timers.reaper.now();
    if (this.started) this.worker.start();
    void this.tryLane();
    this.worker.wake();
    return this.unreported === null ? this.lastSleep : null;
  }

  /** What only waited for the end of its pause need not wait any longer: the network or the machine is back. */
  private async tryLane(): Promise<void> {
    if (this.lane.faulty) await this.lane.probe().catch((error: unknown) => this.failed(error));
  }

  private async reapAndReport(): Promise<void> {
    const found = await this.reap();
    if (this.unreported === null || this.resting) return;
    const sleptMs = this.unreported;
    await begin(this.context.place, this.selfId);
    await this.beat();
    this.lastSleep = await this.reportSleep(sleptMs, found);
    this.unreported = null;
  }

  private async reportSleep(sleptMs: number, found: ReaperReport): Promise<SleepReport> {
    const { place, events } = this.context;
    const { nowS } = await glance(place);
    const { pending } = await countRows(place);
    const report: SleepReport = {
      from: nowS - Math.round(sleptMs / 1000),
      to: nowS,
      waited: pending,
      sent: found.remembered,
      given_back: found.pending,
      failed: found.failed,
      in_doubt: found.inDoubt,
    };
    await writeLog(place, [
      {
        level: found.inDoubt > 0 ? 'warning' : 'info',
        queueId: null,
        message: `This machine slept for ${Math.round(sleptMs / 60_000)} min: ${pending} waiting, taken over: ${found.remembered} sent before, ${found.pending} given back, ${found.failed} failed, ${found.inDoubt} in doubt`,
      },
    ]);
    events.emit('woke', report);
    return report;
  }

  /** From now on this console drains alone: the others finish what they hold and take no more. */
  async takeOver(): Promise<void> {
    const { place, self } = this.context;
    await takeOver(place, self);
    this.alone = true;
    await writeLog(place, [
      { level: 'info', queueId: null, message: `${self.name} has taken over and drains alone` },
    ]);
    this.worker.wake();
  }

  private newConversations(tally?: Tally): Conversations {
    return new Conversations(this.context, this.settler, this.leases, this.lane, tally);
  }

  private newWorker(): Worker {
    const { conversations, lane, connection, state } = this;
    return new Worker(this.context, { conversations, lane, connection, state }, (error) =>
      this.failed(error),
    );
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
    if (this.resting) clearTimeout(this.resting.limit);
    this.settler.hurry();
    const stopAll = async (ms: number) =>
      (await Promise.all([this.worker, ...this.retired].map((worker) => worker.stop(ms)))).every(Boolean);
    if (!(await stopAll(this.context.stopPatienceMs ?? stopPatienceMs))) {
      // Who has not answered by now is in doubt. An answer that came later would find journal and settler closed.
      this.context.mail.drop();
      await stopAll(lastWordMs);
    }
    // also a replay that waits for a lost database
    this.settler.abandon();
    await Promise.all(Object.values(this.timers).map((timer) => timer.stop()));
    if (this.alone) await shareAgain(this.context.place, this.selfId).catch(() => {});
    await leave(this.context.place, this.selfId).catch(() => {}); // a lost database: the shop's timeout tells
  }

  private async beat(): Promise<void> {
    if (this.resting) return; // nobody sends here: the shop must not count on it
    if (this.alone) this.alone = await renewDrainBy(this.context.place, this.selfId);
    const able = this.connection.cause === null && !this.lane.faulty && this.worker.diskCause === null;
    await beat(this.context.place, this.context.self, able && this.started);
  }

  /** The timers' failures: the loops go on, the cause is told. */
  private failed(error: unknown): void {
    this.connection.failed(error);
  }
}
