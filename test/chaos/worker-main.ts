/** A console as chaos sees it: the real engine over a real shop, in a process that can be killed at named points. */

import { writeSync } from 'node:fs';
import { type OpenedShop, openShop } from '../../src-main/boot.ts';
import { type Watch, watchDatabase, watchJournal } from './instrument.ts';
import { stepClock } from './time-lapse.ts';
import type { Quirks, WorkerArm, WorkerOrder, WorkerPoint, WorkerTold } from './words.ts';

const tellingFd = 3;
let shop: OpenedShop | null = null;
let quirks: Quirks = {};
const arms: WorkerArm[] = [];
const holding = new Map<string, () => void>();

/** Written at once and whole: what was told survives the SIGKILL that follows. */
function tell(word: WorkerTold): void {
  writeSync(tellingFd, `${JSON.stringify(word)}\n`);
}

const watch: Watch = {
  async at(point: WorkerPoint, claims: string[]) {
    tell({ ev: 'trace', point, claims });
    const index = arms.findIndex((arm) => arm.point === point);
    const arm = arms[index];
    if (!arm) return;
    if (arm.skip > 0) {
      arm.skip -= 1;
      return;
    }
    arms.splice(index, 1);
    tell({ ev: 'at', arm: arm.id, point, claims });
    if (arm.action === 'hold') await new Promise<void>((resolve) => holding.set(arm.id, resolve));
    else {
      process.kill(process.pid, arm.action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      // a signal may take a moment; nothing may be done in it
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  },
  felt: (what) => tell({ ev: 'felt', what }),
  id: (id) => tell({ ev: 'id', id }),
};

async function start(order: Extract<WorkerOrder, { do: 'start' }>): Promise<void> {
  quirks = { ...order.quirks };
  arms.push(...order.arms);
  shop = await openShop(order.profile, {
    stateDir: order.stateDir,
    name: order.name,
    version: 'chaos',
    instrument: {
      database: (db) => watchDatabase(db, watch, quirks),
      journal: (journal) => watchJournal(journal, watch, quirks),
    },
  });
  await shop.startDraining();
  tell({ ev: 'ready' });
}

process.on('message', (order: WorkerOrder) => {
  switch (order.do) {
    case 'start':
      void untilReached(() => start(order));
      break;
    case 'arm':
      arms.push(...order.arms);
      break;
    case 'go':
      holding.get(order.arm)?.();
      break;
    case 'clock':
      stepClock(order.ms);
      tell({ ev: 'clock' });
      break;
    case 'wake':
      shop?.wake(order.reason);
      break;
    case 'quiet':
      arms.length = 0;
      quirks.diskFull = false;
      quirks.journalErrors = 0;
      for (const go of holding.values()) go();
      break;
    case 'end':
      void (shop?.close() ?? Promise.resolve()).then(() => {
        tell({ ev: 'ended' });
        process.exit(0);
      });
      break;
  }
});
process.on('disconnect', () => process.exit(1));

/** As a service manager would: a database that is away at the start is waited for. */
async function untilReached(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      await shop?.close().catch(() => {});
      shop = null;
      if (tries > 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
