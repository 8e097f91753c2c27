/** Puts the faults of a plan where they belong and does what must be done when one has fired. */
import { setTimeout as sleep } from 'node:timers/promises';
import { armFault, isDoor } from './arming.ts';
import { BrokenPromise } from './broken.ts';
import type { Console } from './console.ts';
import { deadlock } from './deadlock.ts';
import type { Dice } from './dice.ts';
import type { Planned } from './plan.ts';
import type { Stage } from './stage.ts';
import { doTimed } from './timed.ts';
import { standsStill, type Witness } from './witness.ts';
import type { Point, WireDeed } from './words.ts';

/** A claim that a fault hit, and what must have become of it. */
export interface Hit {
  kind: string;
  point: Point;
  type: 'kill' | 'stop' | 'hold';
  folder: 'kept' | 'deleted' | 'shared';
  claims: string[];
  /** another machine's reaper came first: it cannot know whether a dot followed the guard */
  foreigner?: boolean;
}

export class Injector {
  readonly fired = new Set<string>();
  readonly hits: Hit[] = [];
  /** identities of consoles that were killed, stopped, woken, or cut off their mail server */
  readonly disturbed = new Set<string>();
  /** something was done to the database: a lost answer of it may strand a claim until its lease ends */
  databaseDisturbed = false;
  readonly errors: string[] = [];
  /** what was seen not to hold while a fault was at work */
  readonly broken: string[] = [];
  /** how the deadlocks went, for the evidence */
  readonly notes: string[] = [];
  private readonly busy = new Set<Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private quiet = false;
  private readonly stage: Stage;
  private readonly witness: Witness;
  private readonly consoles: readonly Console[];
  private readonly dice: Dice;

  constructor(stage: Stage, witness: Witness, consoles: readonly Console[], dice: Dice) {
    this.stage = stage;
    this.witness = witness;
    this.consoles = consoles;
    this.dice = dice;
    witness.onDeed = (deed) => this.onDeed(deed);
  }

  get waiting(): Planned[] {
    return this.stage.plan.faults.filter((fault) => !this.fired.has(fault.id));
  }

  /** Before the consoles start. */
  async arm(): Promise<void> {
    const wire = this.stage.plan.faults
      .map((fault) => armFault(fault, this.consoleOf(fault)))
      .filter((arm) => arm !== null);
    await this.witness.arm(wire);
  }

  /** When the consoles drain. */
  begin(): void {
    for (const fault of this.stage.plan.faults) {
      if (fault.type === 'timed') this.later(this.dice.whole(100, 900), () => this.timed(fault));
      if (fault.type === 'quirk' && fault.felt === '')
        this.later(1_300, async () => void this.fired.add(fault.id));
      // the plan has put console and server into different zones
      if (fault.type === 'zones') this.fired.add(fault.id);
      // connections of the door are made anew, so that its faults have something to act on
      if (fault.type === 'wire' && isDoor(fault)) this.nudge(fault.id, () => this.witness.cut('fin'));
    }
  }

  onFelt(console: Console, what: string): void {
    for (const fault of this.stage.plan.faults) {
      if (fault.type === 'quirk' && fault.felt === what && this.consoleOf(fault) === console)
        this.fired.add(fault.id);
      if (fault.type === 'hold' && fault.deed === 'deadlock' && what === 'deadlock') this.fired.add(fault.id);
    }
    if (what === 'journal-error') for (const id of console.ids) this.disturbed.add(id);
  }

  /** A worker passed the point of one of its arms. */
  onPoint(console: Console, arm: string, claims: string[]): void {
    const again = arm.endsWith('+again');
    const fault = this.stage.plan.faults.find(
      (one) => one.id === (again ? arm.slice(0, -'+again'.length) : arm),
    );
    if (!fault) return;
    if (fault.type === 'kill') this.track(() => this.killed(console, fault, claims, again));
    else if (fault.type === 'stop') this.track(() => this.stopped(console, fault, claims));
    else if (fault.type === 'hold') this.track(() => this.held(console, fault, claims));
  }

  /** A fault of the wire acted. */
  private onDeed(deed: WireDeed): void {
    const fault = this.stage.plan.faults.find((one) => one.id === deed.arm);
    if (!fault) return;
    const console = this.consoles.find((one) => one.setup.name === deed.user);
    if (fault.type === 'kill' && console) {
      console.ending = true;
      this.track(async () => this.killed(console, fault, await this.claimAt(console, deed), false));
    } else if (fault.type === 'stop' && console) {
      this.track(async () => this.stopped(console, fault, await this.claimAt(console, deed)));
    } else if (fault.type === 'wire') {
      this.fired.add(fault.id);
      if ('silent' in fault.action && this.dice.chance(0.5)) this.later(300, () => this.witness.cut('rst'));
      if (fault.slowReplyS !== undefined && console) {
        const { slowReplyS } = fault;
        this.track(async () => this.waitSlowly(console, await this.claimAt(console, deed), slowReplyS));
      }
    }
  }

  /** No more faults; resolves when all that began has ended. */
  async end(): Promise<void> {
    this.quiet = true;
    for (const timer of this.timers) clearTimeout(timer);
    while (this.busy.size > 0) await Promise.all([...this.busy]);
  }

  private async killed(
    console: Console,
    fault: Planned & { type: 'kill' },
    claims: string[],
    again: boolean,
  ): Promise<void> {
    for (const id of console.ids) this.disturbed.add(id);
    await console.gone();
    await this.witness.knows(console.setup.name, 0);
    if (!fault.again || again) this.fired.add(fault.id);
    const hit: Hit = { ...fault, claims };
    if (!again) this.hits.push(hit);
    if (fault.folder === 'deleted') {
      console.deleteFolder();
      await this.stage.time.backdateClaims([...console.ids], this.stage.leaseS * 2);
    } else if (fault.folder === 'kept' && !fault.again && this.dice.chance(0.3)) {
      // another machine's console may be quicker than the restart: the journal outranks what it decides
      hit.foreigner = true;
      await this.stage.time.backdateClaims([...console.ids], this.stage.leaseS * 2);
      await this.stage.reapAsForeigner();
    }
    if (fault.again && !again)
      console.arms.push({ id: `${fault.id}+again`, point: fault.again, action: 'kill', skip: 0 });
    // time for the one that shares the folder to take over
    await sleep(fault.folder === 'shared' ? 1_800 : this.dice.whole(0, 300));
    await this.start(console);
  }

  private async stopped(
    console: Console,
    fault: Planned & { type: 'stop' },
    claims: string[],
  ): Promise<void> {
    const { stage } = this;
    console.stopped = true;
    for (const id of console.ids) this.disturbed.add(id);
    if (!(await standsStill(console.pid)))
      throw new Error(`${console.setup.name} was to stand still and did not`);
    this.hits.push({ ...fault, folder: 'kept', claims });
    // twice: a renewal that was on its way when it stopped may arrive after the first backdating
    for (let pass = 0; pass < 2; pass += 1) {
      await stage.time.backdateClaims([...console.ids], stage.leaseS * 2);
      // a stopped transaction holds its locks until the server ends it (promise 13: 5 s)
      await stage.reapAsForeigner();
      await sleep(60);
    }
    if (this.dice.chance(0.3)) await stage.cutConnections(false);
    for (const one of this.consoles) one.order({ do: 'wake', reason: 'manual' });
    // longer than a guard's answer counts: a lease, which was moved on by backdating here, lasts minutes
    await sleep(this.dice.whole(1_000, 1_300));
    console.signal('SIGCONT');
    console.stopped = false;
    this.fired.add(fault.id);
  }

  private async held(console: Console, fault: Planned & { type: 'hold' }, claims: string[]): Promise<void> {
    const { stage } = this;
    const go = () => console.order({ do: 'go', arm: fault.id });
    this.databaseDisturbed = true;
    this.hits.push({ ...fault, folder: 'kept', claims });
    if (fault.deed === 'deadlock') {
      this.notes.push(`${fault.kind}: ${await deadlock(stage, fault.point, claims, go)}`);
      // the worker tells when it felt it; else the next pass of this point tries again
      await sleep(200);
      if (!this.fired.has(fault.id) && !this.quiet) this.rearm(console, fault);
      return;
    }
    if (fault.deed === 'db-cut') {
      await stage.cutConnections(false);
      go();
    } else {
      await stage.alone(async () => {
        await (fault.deed === 'db-kill' ? stage.server.kill() : stage.server.stop());
        go();
        await sleep(this.dice.whole(50, 400));
        await stage.server.start();
        await stage.server.admin(`SET GLOBAL time_zone = '${stage.plan.serverZone}'`);
      });
    }
    this.fired.add(fault.id);
  }

  private rearm(console: Console, fault: Planned & { type: 'hold' }): void {
    const arm = { id: fault.id, point: fault.point, action: 'hold' as const, skip: 0 };
    console.arms.push(arm);
    console.order({ do: 'arm', arms: [arm] });
  }

  private async timed(fault: Planned & { type: 'timed' }): Promise<void> {
    if (this.quiet) return;
    const console = this.consoleOf(fault);
    if (fault.deed.startsWith('db-')) this.databaseDisturbed = true;
    if (fault.deed.startsWith('wake-') || fault.deed === 'smtp-cut') {
      for (const one of this.consoles) for (const id of one.ids) this.disturbed.add(id);
    }
    const { stage, witness, dice } = this;
    const restart = (one: Console) => this.start(one);
    if (await doTimed(fault.deed, { stage, witness, console, dice, restart })) this.fired.add(fault.id);
    else this.later(200, () => this.timed(fault));
  }

  /** A server that answers late: each minute of it is taken off the lease, which must be renewed meanwhile. */
  private async waitSlowly(console: Console, claims: string[], seconds: number): Promise<void> {
    for (let waited = 0; waited < seconds; waited += 62) {
      await this.stage.time.backdateClaims([...console.ids], 62);
      for (const until = Date.now() + 8_000; ; await sleep(40)) {
        const rows = await this.stage.query(
          `SELECT id FROM ${this.stage.t.queue} WHERE state = 'sending' AND claimed_at < UNIX_TIMESTAMP() - 55
           AND claim_id IN (SELECT claim_id FROM ${this.stage.t.attempts} WHERE console_id = ?)`,
          [console.id ?? ''],
        );
        if (rows.length === 0) break;
        if (Date.now() > until)
          throw new BrokenPromise(
            `leases of ${console.setup.name} (${claims.join()}) were not renewed while its mail server was slow`,
          );
      }
    }
  }

  /** The claim of the mail that a wire fault was about. */
  private async claimAt(console: Console, deed: WireDeed): Promise<string[]> {
    const row = this.stage.rows.find((one) =>
      one.recipients.some((address) => deed.recipients.includes(address)),
    );
    if (!row || console.id === null) return [];
    const lines = await this.stage.query(
      `SELECT claim_id FROM ${this.stage.t.attempts} WHERE queue_id = ? AND console_id = ? ORDER BY id DESC LIMIT 1`,
      [row.id, console.id],
    );
    return lines.map((line) => String(line['claim_id']));
  }

  /** Starts a console, or starts it again. */
  async start(console: Console): Promise<void> {
    const { ready } = console.start();
    await this.witness.knows(console.setup.name, console.pid);
    await ready;
  }

  private consoleOf(fault: Planned): Console {
    const console = this.consoles[fault.console];
    if (!console) throw new Error('Expected every fault to have its console');
    return console;
  }

  private nudge(id: string, work: () => Promise<void>): void {
    this.later(400, async () => {
      if (this.fired.has(id) || this.quiet) return;
      for (const console of this.consoles) for (const one of console.ids) this.disturbed.add(one);
      await work();
      this.nudge(id, work);
    });
  }

  private later(ms: number, work: () => Promise<void>): void {
    this.timers.push(setTimeout(() => this.track(work), ms));
  }

  private track(work: () => Promise<void>): void {
    const one = work()
      .catch((error: unknown) => {
        const words = error instanceof Error ? error.message : String(error);
        (error instanceof BrokenPromise ? this.broken : this.errors).push(words);
      })
      .finally(() => this.busy.delete(one));
    this.busy.add(one);
  }
}
