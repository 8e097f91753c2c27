/** The short form of the chaos suite: each fault kind fires at least once, and the books are right every time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MariadbServer, startMariadb } from '../support/mariadb.ts';
import { bundlePrograms } from './bundle.mjs';
import { kinds } from './catalogue.ts';
import { coveringPlans } from './plan.ts';
import { type Programs, runSeed } from './seed.ts';

const plans = coveringPlans(8);
const fired = new Map<string, number>();
const atATime = 2;
const servers: MariadbServer[] = [];
let folder = '';
let programs: Programs;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'postroom-chaos-bundle-'));
  const made = await bundlePrograms(folder, ['worker-main', 'smtp-main']);
  programs = { worker: made['worker-main'], smtp: made['smtp-main'] };
  for (let n = 0; n < atATime; n += 1) servers.push(await startMariadb());
});

afterAll(async () => {
  for (const server of servers) await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === 'linux')('chaos', () => {
  it(`keeps the books right through ${plans.length} seeds with every fault kind`, {
    timeout: 600_000,
  }, async () => {
    const left = [...plans];
    const lane = async (server: MariadbServer) => {
      for (let plan = left.shift(); plan; plan = left.shift()) {
        const report = await runSeed(plan, server, programs);
        for (const kind of report.fired) fired.set(kind, (fired.get(kind) ?? 0) + 1);
        const words = `seed ${plan.seed} (${plan.faults.map((fault) => fault.kind).join(', ')})`;
        expect(
          report.violations,
          `${words}\n${JSON.stringify(report.evidence, null, 1)?.slice(0, 20_000)}`,
        ).toEqual([]);
      }
    };
    const missing = () => kinds.filter((kind) => !fired.has(kind));
    await Promise.all(servers.map(lane));
    // Whether two consoles both get to send, or a cap is reached, is a race: what was to show it runs again.
    for (let round = 1; round < 4 && missing().length > 0; round += 1) {
      const rest = missing();
      left.push(...plans.filter((plan) => plan.faults.some((fault) => rest.includes(fault.kind))));
      await Promise.all(servers.map(lane));
    }
    expect(missing()).toEqual([]);
  });
});
