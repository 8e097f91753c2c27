/** The long form: many seeds, a few at a time. It stops at the first violation and leaves the evidence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ShapeName } from '../../src-main/contract/profile.ts';
import { type MariadbServer, startMariadb } from '../support/mariadb.ts';
import { kinds } from './catalogue.ts';
import { coveringPlans, type Plan, planSeed } from './plan.ts';
import { type Programs, runSeed, type SeedReport } from './seed.ts';

interface Options {
  seeds: number;
  from: number;
  atATime: number;
  evidence: string;
  only: string[] | null;
  covering: boolean;
  shape: ShapeName;
  goOn: boolean;
  programs: Programs;
}

const options = JSON.parse(process.argv[2] ?? '{}') as Options;
const fired = new Map<string, number>();
const plans: Plan[] = options.covering
  ? coveringPlans(8, options.shape)
  : Array.from({ length: options.seeds }, (_, n) =>
      planSeed(options.from + n, options.only ?? undefined, options.shape),
    );
const servers: MariadbServer[] = [];
let [done, bad, accepted, stop] = [0, 0, 0, false];
const began = Date.now();

const lane = async () => {
  const server = await startMariadb();
  servers.push(server);
  for (let plan = plans.shift(); plan && !stop; plan = plans.shift()) {
    const before = server.log().length;
    const report = await runSeed(plan, server, options.programs).catch(
      (error: Error): SeedReport => ({
        plan: plan as Plan,
        fired: [],
        missed: [],
        violations: [`the driver failed: ${error.stack}`],
        tookMs: 0,
        rows: 0,
        accepted: 0,
        evidence: {},
      }),
    );
    if (report.violations.length > 0 && report.evidence)
      report.evidence['database'] = server.log().slice(before);
    note(report);
  }
};

function note(report: SeedReport): void {
  done += 1;
  accepted += report.accepted;
  for (const kind of report.fired) fired.set(kind, (fired.get(kind) ?? 0) + 1);
  const { seed, shape, mode, consoles, faults } = report.plan;
  const on = shape === 'studiou-wcmq' ? '' : `${shape}, `;
  const words = `seed ${seed}: ${on}${mode}, ${consoles} consoles, ${report.rows} rows, ${(report.tookMs / 1000).toFixed(1)} s; ${faults.map((fault) => fault.kind).join(', ')}`;
  process.stderr.write(`${report.violations.length > 0 ? 'VIOLATED ' : ''}${words}\n`);
  if (report.violations.length === 0) return;
  bad += 1;
  stop ||= !options.goOn;
  mkdirSync(options.evidence, { recursive: true });
  const file = path.join(options.evidence, `seed-${on ? `${shape}-` : ''}${seed}.json`);
  writeFileSync(file, JSON.stringify(report, null, 1));
  process.stderr.write(
    `${report.violations.map((one) => `  - ${one}`).join('\n')}\n  replay: --seed ${seed}${on && ` --shape ${shape}`}; evidence: ${file}\n`,
  );
}

try {
  await Promise.all(Array.from({ length: options.atATime }, lane));
} finally {
  for (const server of servers) await server.remove();
}
const never = kinds.filter((kind) => !fired.has(kind));
// a handful of seeds cannot have every kind; a long run must
const expectsAll = options.covering || (done >= 300 && !options.only);
const counts = [...fired].sort(([a], [b]) => a.localeCompare(b)).map(([kind, times]) => `${kind} ${times}`);
process.stdout.write(`faults that fired: ${counts.join(', ')}\n`);
if (expectsAll && never.length > 0) process.stdout.write(`never fired: ${never.join(', ')}\n`);
process.stdout.write(
  `${done} seeds, ${accepted} mails accepted, ${bad} with violations, ${Math.round((Date.now() - began) / 1000)} s\n`,
);
process.exit(bad > 0 || (expectsAll && never.length > 0) ? 1 : 0);
