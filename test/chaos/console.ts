/** The driver's end of one console: a worker process that dies and comes back under the same name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../src-main/contract/profile.ts';
import { endWithUs } from '../support/ports.ts';
import type { Quirks, WorkerArm, WorkerOrder, WorkerPoint, WorkerTold } from './words.ts';

export interface ConsoleSetup {
  name: string;
  program: string;
  /** of the seed: deleted when the driver dies */
  folder: string;
  stateDir: string;
  profile: Profile;
  zone: string;
}

export interface ConsoleEvents {
  at(console: Console, arm: string, point: WorkerPoint, claims: string[]): void;
  felt(console: Console, what: string): void;
  /** it ended although nobody meant it to */
  crashed(console: Console, words: string): void;
}

export class Console {
  /** every identity that it had */
  readonly ids = new Set<string>();
  /** claims whose answers its journal has, and those that passed their guard */
  readonly journaled = new Set<string>();
  readonly guarded = new Set<string>();
  /** journal entries that were deleted with its folder */
  readonly forgotten = new Set<string>();
  arms: WorkerArm[] = [];
  quirks: Quirks = {};
  /** the current identity */
  id: string | null = null;
  /** its end is meant */
  ending = false;
  stopped = false;
  readonly setup: ConsoleSetup;
  private child: ChildProcess | null = null;
  private exited: Promise<void> = Promise.resolve();
  private readonly listeners: ((told: WorkerTold) => void)[] = [];
  private readonly events: ConsoleEvents;
  readonly stderrFile: string;

  constructor(setup: ConsoleSetup, events: ConsoleEvents) {
    this.setup = setup;
    this.events = events;
    this.stderrFile = path.join(setup.folder, `${setup.name}.stderr`);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }
  get running(): boolean {
    return this.child !== null;
  }
  get stderr(): string {
    return readFileSync(this.stderrFile, 'utf8');
  }

  /** Starts its process; `ready` tells whether it came to drain before it ended. */
  start(): { ready: Promise<boolean> } {
    const { program, profile, stateDir, name, folder, zone } = this.setup;
    const stderr = openSync(this.stderrFile, 'a');
    const child = spawn(process.execPath, ['--enable-source-maps=false', program], {
      stdio: ['ignore', stderr, stderr, 'pipe', 'ipc'],
      env: { ...process.env, TZ: zone, NODE_OPTIONS: '' },
    });
    closeSync(stderr);
    this.child = child;
    this.ending = false;
    this.stopped = false;
    this.id = null;
    const callOff = child.pid ? endWithUs(child.pid, folder) : () => {};
    const told = createInterface({ input: child.stdio[3] as Readable });
    told.on('line', (line) => this.hear(JSON.parse(line) as WorkerTold));
    const heardAll = new Promise<void>((resolve) => told.once('close', () => resolve()));
    const gone = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    this.exited = gone.then(async ({ code, signal }) => {
      callOff();
      await heardAll;
      this.child = null;
      // a kill by the mail server is told by the mail server, perhaps a moment later
      for (let waited = 0; !this.ending && waited < 20; waited += 1) await sleep(50);
      if (!this.ending) this.events.crashed(this, `${name} ended by itself (${code ?? signal})`);
    });
    const ready = this.until((word) => word.ev === 'ready', 30_000, 'be ready');
    child.on('error', () => {});
    this.order({ do: 'start', profile, stateDir, name, arms: this.arms, quirks: this.quirks });
    return { ready };
  }

  order(order: WorkerOrder): void {
    if (this.child?.connected) this.child.send(order, () => {}); // it may have been killed meanwhile
  }

  /**
   * Resolves true with the first word that fits, false when the process ends before it.
   * @throws after `ms`
   */
  until(fits: (told: WorkerTold) => boolean, ms: number, words: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = () => done(() => reject(new Error(`${this.setup.name} did not ${words} within ${ms} ms`)));
      const timer = setTimeout(late, ms);
      const listen = (told: WorkerTold) => fits(told) && done(() => resolve(true));
      const done = (how: () => void) => {
        clearTimeout(timer);
        const index = this.listeners.indexOf(listen);
        if (index >= 0) this.listeners.splice(index, 1);
        how();
      };
      this.listeners.push(listen);
      // its last words may still be on their way
      this.child?.once('exit', () => setTimeout(() => done(() => resolve(false)), 100));
    });
  }

  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL') this.ending = true;
    this.child?.kill(signal);
  }

  /** Waits for the end of a process that was, or is, killed. */
  async gone(): Promise<void> {
    this.ending = true;
    await this.exited;
  }

  /** The state folder is lost: what its journal knew is forgotten. */
  deleteFolder(): void {
    for (const claim of this.journaled) this.forgotten.add(claim);
    rmSync(this.setup.stateDir, { recursive: true, force: true });
  }

  /** In good order. */
  async end(ms = 15_000): Promise<boolean> {
    if (!this.child) return true;
    this.ending = true;
    this.order({ do: 'end' });
    return (await Promise.race([this.exited.then(() => true), sleep(ms, false)])) === true;
  }

  private hear(told: WorkerTold): void {
    if (told.ev === 'id') {
      this.id = told.id;
      this.ids.add(told.id);
    } else if (told.ev === 'trace') {
      if (told.point === 'after-journal') for (const claim of told.claims) this.journaled.add(claim);
      if (told.point === 'guard-after') for (const claim of told.claims) this.guarded.add(claim);
    } else if (told.ev === 'at') {
      const arm = this.arms.find((one) => one.id === told.arm);
      this.arms = this.arms.filter((one) => one.id !== told.arm);
      // before its exit is heard of
      if (arm?.action === 'kill') this.ending = true;
      this.events.at(this, told.arm, told.point, told.claims);
    } else if (told.ev === 'felt') this.events.felt(this, told.what);
    for (const listen of [...this.listeners]) listen(told);
  }
}
