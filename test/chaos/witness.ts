/** The driver's end of the SMTP process. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithUs } from '../support/ports.ts';
import type { Accepted, WireArm, WireDeed, WireOrder, WireTold } from './words.ts';

export interface WireReport {
  mails: Accepted[];
  deeds: WireDeed[];
  dots: number;
}

/** The mail server of a seed. `onDeed` hears of each fault of the wire as it acts. */
export class Witness {
  onDeed: (deed: WireDeed) => void = () => {};
  private readonly child: ChildProcess;
  private readonly callOff: () => void;
  private readonly waiting: {
    ev: WireTold['ev'];
    resolve: (told: WireTold) => void;
    reject: (error: Error) => void;
  }[] = [];

  private constructor(child: ChildProcess, folder: string) {
    this.child = child;
    this.callOff = child.pid ? endWithUs(child.pid, folder) : () => {};
    child.on('message', (told: WireTold) => {
      if (told.ev === 'deed') {
        this.onDeed(told);
        return;
      }
      const index = this.waiting.findIndex((one) => one.ev === told.ev);
      this.waiting.splice(index, 1)[0]?.resolve(told);
    });
    child.once('exit', (code) => {
      this.callOff();
      for (const one of this.waiting.splice(0)) one.reject(new Error(`The SMTP process ended with ${code}`));
    });
  }

  /** `folder` is deleted when this process dies before the witness. */
  static async start(
    program: string,
    users: Record<string, string>,
    folder: string,
  ): Promise<{ witness: Witness; port: number }> {
    const witness = new Witness(fork(program, { execArgv: [] }), folder);
    const told = await witness.ask({ do: 'start', users }, 'up');
    return { witness, port: told.port };
  }

  async arm(arms: WireArm[]): Promise<void> {
    if (arms.length > 0) await this.ask({ do: 'arms', arms }, 'done');
  }
  /** Which process talks under a login. */
  async knows(user: string, pid: number): Promise<void> {
    await this.ask({ do: 'pid', user, pid }, 'done');
  }
  async slow(most: number): Promise<void> {
    await this.ask({ do: 'slow', most }, 'done');
  }
  async cut(how: 'fin' | 'rst'): Promise<void> {
    await this.ask({ do: 'cut', how }, 'done');
  }
  /** No more faults. */
  async quiet(): Promise<void> {
    await this.ask({ do: 'quiet' }, 'done');
  }
  report(): Promise<WireReport> {
    return this.ask({ do: 'report' }, 'report');
  }

  /** Takes no mail while `work` runs. */
  async frozen<T>(work: () => Promise<T>): Promise<T> {
    this.child.kill('SIGSTOP');
    await standsStill(this.child.pid ?? 0);
    try {
      return await work();
    } finally {
      this.child.kill('SIGCONT');
    }
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill('SIGKILL');
    await gone;
  }

  private ask<Ev extends WireTold['ev']>(order: WireOrder, ev: Ev): Promise<Extract<WireTold, { ev: Ev }>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ev, resolve: (told) => resolve(told as Extract<WireTold, { ev: Ev }>), reject });
      this.child.send(order, (error) => error && reject(error));
    });
  }
}

/** A signal is only on its way when kill returns: waits until every thread stands still (or the process is gone). */
export async function standsStill(pid: number, ms = 5_000): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await sleep(2)) {
    if (!existsSync(`/proc/${pid}/task`)) return false;
    try {
      const states = readdirSync(`/proc/${pid}/task`).map((task) =>
        readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8').split(')').at(-1)?.trim().charAt(0),
      );
      if (states.every((state) => state === 'T')) return true;
    } catch {
      // a thread that ended while we looked
    }
  }
  return false;
}
