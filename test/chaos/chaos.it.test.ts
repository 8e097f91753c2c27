/** The short form of the chaos suite: each fault kind fires at least once, and the books are right every time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MariadbServer, startMariadb } from '../support/mariadb.ts';
import { bundlePrograms } from './bundle.mjs';
import { kinds } from './catalogue.ts';
import { coveringPlans, type Plan, planSeed } from './plan.ts';
import { type Programs, runSeed } from './seed.ts';

const plans = coveringPlans(8);
/** On each other shape what its own statements could get wrong: death at claim, guard and end, a lost database, half a mail. */
const elsewhere = (['wp-email-queue', 'jobs', 'email-jobs'] as const).flatMap((shape) => [
  planSeed(1, ['kill:in-grant', 'kill:guard-after', 'stop:in-settle', 'smtp-lost-reply-rst'], shape),
  planSeed(
    2,
    [
      'kill:after-journal',
      'kill:dot:folder-deleted',
      'db-kill:in-settle',
      'smtp-partly-4xx',
      'deadlock:settle',
    ],
    shape,
  ),
]);
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

/** Runs plans until none is left; answers what fired. */
async function drainPlans(left: Plan[], server: MariadbServer): Promise<string[]> {
  const seen: string[] = [];
  for (let plan = left.shift(); plan; plan = left.shift()) {
    const report = await runSeed(plan, server, programs);
    seen.push(...report.fired);
    const words = `seed ${plan.seed} on ${plan.shape} (${plan.faults.map((fault) => fault.kind).join(', ')})`;
    expect(
      report.violations,
      `${words}\n${JSON.stringify(report.evidence, null, 1)?.slice(0, 20_000)}`,
    ).toEqual([]);
  }
  return seen;
}

describe.runIf(process.platform === 'linux')('chaos', () => {
  it(`keeps the books right through ${plans.length} seeds with every fault kind`, {
    timeout: 600_000,
  }, async () => {
    const left = [...plans];
    const lane = async (server: MariadbServer) => {
      for (const kind of await drainPlans(left, server)) fired.set(kind, (fired.get(kind) ?? 0) + 1);
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

  it(`keeps the books right on the other shapes through ${elsewhere.length} seeds`, {
    timeout: 300_000,
  }, async () => {
    const left = [...elsewhere];
    await Promise.all(servers.map((server) => drainPlans(left, server)));
  });
});
