/** One seed from its first row to its audited books. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MariadbServer } from '../support/mariadb.ts';
import { audit } from './books.ts';
import { auditCaps, capWasReached } from './caps.ts';
import { Console } from './console.ts';
import { Dice } from './dice.ts';
import { Injector } from './injector.ts';
import type { Plan } from './plan.ts';
import { auditShop } from './shape-books.ts';
import { isThere, Stage } from './stage.ts';
import { Witness } from './witness.ts';

export interface Programs {
  worker: string;
  smtp: string;
}

export interface SeedReport {
  plan: Plan;
  /** kinds that really fired */
  fired: string[];
  violations: string[];
  /** faults that the driver could not bring to their point in time: such a run proves nothing about them */
  missed: string[];
  tookMs: number;
  rows: number;
  accepted: number;
  /** on a violation: rows, ledger, log, the mail server's record, stderr of the workers */
  evidence: Record<string, unknown> | null;
}

/** ms within which every planned fault must have fired, and within which the rest must drain */
const faultsMs = 40_000;
const drainMs = 40_000;
const mostRows = 600;
const mostTries = 3;

/**
 * Runs a plan against a database server of the caller's (which a fault may kill and restart). A server that died by
 * itself where the driver needs it is the server's own bug (10.11 crashes, rarely, of a KILL): the seed begins anew. So
 * does one whose books are right but whose faults did not all reach their points, as happens on a machine that is busy
 * with other things; after three tries that is a violation, too.
 */
export async function runSeed(plan: Plan, server: MariadbServer, programs: Programs): Promise<SeedReport> {
  for (let tries = 1; ; tries += 1) {
    if (!isThere(server)) {
      await server.stop();
      await server.start();
    }
    try {
      const report = await runOnce(structuredClone(plan), server, programs);
      if (report.violations.length > 0 || report.missed.length === 0) return report;
      if (tries === mostTries) return { ...report, violations: report.missed };
    } catch (error) {
      if (isThere(server) || tries === mostTries) throw error;
    }
  }
}

async function runOnce(plan: Plan, server: MariadbServer, programs: Programs): Promise<SeedReport> {
  const began = performance.now();
  const dice = new Dice(plan.seed + 1_000_003);
  const folder = mkdtempSync(path.join(tmpdir(), `postroom-chaos-${plan.seed}-`));
  const names = Array.from({ length: plan.consoles }, (_, index) => `w${index + 1}`);
  const violations: string[] = [];
  const { witness, port } = await Witness.start(
    programs.smtp,
    Object.fromEntries(names.map((name) => [name, 'x'])),
    folder,
  );
  let stage: Stage | null = null;
  let injector: Injector | null = null;
  const consoles: Console[] = [];
  try {
    stage = await Stage.open(server, plan, dice);
    const shared = plan.faults.some((fault) => fault.type === 'kill' && fault.folder === 'shared');
    for (const [index, name] of names.entries()) {
      const stateDir = path.join(folder, `state-${shared && index < 2 ? 'shared' : name}`);
      mkdirSync(stateDir, { recursive: true });
      const zone = plan.workerZones[index] ?? 'UTC';
      const setup = {
        name,
        program: programs.worker,
        folder,
        stateDir,
        profile: stage.profile(port, name),
        zone,
      };
      consoles.push(
        new Console(setup, {
          at: (console, arm, _point, claims) => injector?.onPoint(console, arm, claims),
          felt: (console, what) => injector?.onFelt(console, what),
          crashed: (_console, words) => violations.push(words),
        }),
      );
    }
    injector = new Injector(stage, witness, consoles, dice);
    await stage.insert(plan.rows);
    await stage.time.fillWindow();
    await witness.slow(plan.slowMs);
    await injector.arm();
    await Promise.all(consoles.map((console) => injector?.start(console)));
    injector.begin();
    await untilFired(stage, injector, consoles, witness, dice);
    await injector.end();
    await witness.quiet();
    await drain(stage, consoles, witness, violations, injector);
    for (const console of consoles) {
      if (!(await console.end())) violations.push(`${console.setup.name} did not end within 15 s`);
    }
    violations.push(...injector.broken);
    const missed = [...injector.errors];
    for (const fault of injector.waiting)
      if (!['cap', 'consoles'].includes(fault.type)) missed.push(`${fault.kind} never fired`);
    return await report(stage, { plan, consoles, injector, witness, violations, missed, began });
  } finally {
    await injector?.end();
    for (const console of consoles) {
      console.signal('SIGKILL');
      await console.gone();
    }
    await witness.end();
    await stage?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Keeps mail coming until every planned fault had its turn. */
async function untilFired(
  stage: Stage,
  injector: Injector,
  consoles: readonly Console[],
  witness: Witness,
  dice: Dice,
): Promise<void> {
  const sending = () => consoles.filter((console) => console.guarded.size > 0).length;
  const isLeft = () =>
    injector.waiting.some((fault) =>
      fault.type === 'consoles' ? sending() < fault.count : fault.type !== 'cap',
    );
  for (
    const until = Date.now() + faultsMs;
    isLeft() && Date.now() < until && injector.errors.length + injector.broken.length === 0;
  ) {
    await sleep(100);
    const { pending } = await stage.unfinished();
    if (pending < 8 && stage.rows.length < mostRows && stage.plan.mode !== 'minute') await stage.insert(5);
    if (pending < 2 && stage.rows.length < 30 && stage.plan.mode === 'minute') await stage.insert(1);
    await passTime(stage, consoles, witness, dice);
  }
}

/** Time goes by: pauses and retry delays end, windows move on. */
async function passTime(
  stage: Stage,
  consoles: readonly Console[],
  witness: Witness,
  dice: Dice,
): Promise<void> {
  const { mode } = stage.plan;
  await stage.time.pullWaits({ deferred: dice.chance(0.3), learned: dice.chance(0.3) });
  const seconds = {
    uncapped: 0,
    minute: dice.whole(1, 5),
    hour: dice.whole(60, 700),
    day: dice.whole(1_000, 15_000),
  }[mode];
  if (seconds > 0 && dice.chance(0.7)) await stage.time.moveTime(seconds, witness);
  for (const console of consoles) console.order({ do: 'wake', reason: 'manual' });
}

/** No more faults: everything must come to its end. */
async function drain(
  stage: Stage,
  consoles: readonly Console[],
  witness: Witness,
  violations: string[],
  injector: Injector,
): Promise<void> {
  const dice = new Dice(stage.plan.seed + 77);
  for (const console of consoles) {
    console.order({ do: 'quiet' });
    if (!console.running) await injector.start(console);
  }
  await witness.cut('fin'); // a server that fell silent says no more
  for (const console of consoles) for (const id of console.ids) injector.disturbed.add(id);
  for (const until = Date.now() + drainMs; ; await sleep(80)) {
    const { pending, sending } = await stage.unfinished();
    if (pending + sending === 0) break;
    if (Date.now() > until) {
      violations.push(
        `${pending} rows are pending and ${sending} sending ${drainMs / 1000} s after the last fault`,
      );
      break;
    }
    await passTime(stage, consoles, witness, dice);
    // identities that no process has any more: their leases end
    const living = new Set(consoles.map((console) => console.id));
    const dead = consoles.flatMap((console) => [...console.ids]).filter((id) => !living.has(id));
    if (dead.length > 0) await stage.time.backdateClaims(dead, stage.leaseS * 2);
    await stage.reapAsForeigner();
  }
  await stage.time.ageLedger();
  await stage.reapAsForeigner();
  await settleState(stage, consoles, violations);
}

/** A shop that was being disabled is disabled once nothing waits (promise 11). */
async function settleState(stage: Stage, consoles: readonly Console[], violations: string[]): Promise<void> {
  if ((await stage.state()) === 'enabled') return;
  for (const until = Date.now() + 10_000; (await stage.state()) !== 'disabled'; await sleep(100)) {
    for (const console of consoles) console.order({ do: 'wake', reason: 'manual' });
    if (Date.now() > until) {
      violations.push(`nothing waits, but the state is ${await stage.state()}`);
      return;
    }
  }
}

async function report(
  stage: Stage,
  seed: {
    plan: Plan;
    consoles: Console[];
    injector: Injector;
    witness: Witness;
    violations: string[];
    missed: string[];
    began: number;
  },
): Promise<SeedReport> {
  const { plan, consoles, injector, witness, violations, missed, began } = seed;
  const read = (table: keyof typeof stage.t) => stage.query(`SELECT * FROM ${stage.t[table]} ORDER BY id`);
  const [rows, lines, log] = [
    await read('queue'),
    (await read('attempts')).filter((line) => String(line['queue_id']) !== '0'),
    await read('log'),
  ];
  const says = await stage.said();
  const record = await witness.report();
  const { hits, disturbed } = injector;
  const heard = new Set(
    lines.filter((line) => line['outcome'] === 'sent').map((line) => String(line['message_id'])),
  );
  const databaseDisturbed = injector.databaseDisturbed || stage.databaseDied;
  violations.push(
    ...audit({
      inserted: stage.rows,
      rows,
      lines,
      log,
      witness: record,
      consoles,
      hits,
      disturbed,
      databaseDisturbed,
      maxReclaims: 5,
      askedAhead: stage.plan.mode !== 'minute',
    }),
    ...(plan.shape === 'studiou-wcmq' ? [] : auditShop(plan.shape, stage.rows, rows, says)),
    ...auditCaps(stage, record.mails, heard),
  );
  for (const console of consoles) {
    if (/\bError\b|Unhandled|^\s+at /m.test(console.stderr))
      violations.push(`${console.setup.name} wrote to stderr:\n${console.stderr.slice(0, 2000)}`);
  }
  const fired = plan.faults.filter((fault) => injector.fired.has(fault.id)).map((fault) => fault.kind);
  if (capWasReached(stage, record.mails, heard)) fired.push(`cap:${plan.mode}`);
  const senders = new Set(record.mails.map((mail) => mail.user)).size;
  for (const fault of plan.faults)
    if (fault.type === 'consoles' && senders >= fault.count) fired.push(fault.kind);
  const evidence = {
    plan,
    rows: rows.map(({ payload, ...row }) => ({ ...row, payload: String(payload).slice(0, 60) })),
    shop: says.map(({ id, state, attempts, lastError }) => ({ id, state, attempts, lastError })),
    lines,
    log,
    witness: record,
    hits,
    moves: stage.time.moves,
    notes: injector.notes,
    stderr: consoles.map((console) => console.stderr),
  };
  return {
    plan,
    fired,
    violations,
    missed,
    tookMs: Math.round(performance.now() - began),
    rows: rows.length,
    accepted: record.mails.length,
    evidence: violations.length + missed.length > 0 ? evidence : null,
  };
}
