import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Bench, clear } from './bench.ts';
import { browseContract } from './contract/browse.ts';
import { changeContract } from './contract/change.ts';
import { claimContract } from './contract/claim.ts';
import { filterContract } from './contract/filter.ts';
import { guardContract } from './contract/guard.ts';
import { journalContract } from './contract/journal.ts';
import { laneContract } from './contract/lane.ts';
import { operateContract } from './contract/operate.ts';
import { overviewContract } from './contract/overview.ts';
import { pruneContract } from './contract/prune.ts';
import { reapContract } from './contract/reap.ts';
import { schemaContract } from './contract/schema.ts';
import { settingsContract } from './contract/settings.ts';
import { settleContract } from './contract/settle.ts';
import { sidesContract } from './contract/sides.ts';
import { windowsContract } from './contract/windows.ts';

/** What the queue's SQL must do alike in every database that it runs on. */
export function queueContract(name: string, open: () => Promise<Bench>): void {
  describe(`queue on ${name}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await open();
    });
    beforeEach(() => clear(bench));
    afterAll(() => bench.close());
    const use = () => bench;
    schemaContract(use);
    settingsContract(use);
    claimContract(use);
    windowsContract(use);
    guardContract(use);
    settleContract(use);
    journalContract(use);
    reapContract(use);
    pruneContract(use);
    operateContract(use);
    changeContract(use);
    browseContract(use);
    filterContract(use);
    laneContract(use);
    sidesContract(use);
    overviewContract(use);
  });
}
