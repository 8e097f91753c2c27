/** What a seed is made of: the shop's size, and which faults wait where. */
import type { ShapeName } from '../../src-main/contract/profile.ts';
import { type CapMode, catalogue, type Fault } from './catalogue.ts';
import { Dice } from './dice.ts';

export type Planned = Fault & { id: string; console: number; skip: number };

export interface Plan {
  seed: number;
  /** chosen by whoever runs the seed, never by its dice: a seed means the same on every shape */
  shape: ShapeName;
  mode: CapMode | 'uncapped';
  consoles: number;
  connections: number;
  rows: number;
  /** most ms that an answer to the dot may take by itself */
  slowMs: number;
  claimTimeoutS: number;
  /** time zone of each worker process, and of the database server */
  workerZones: string[];
  serverZone: string;
  faults: Planned[];
}

const zones = [
  'UTC',
  'Europe/Prague',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'America/St_Johns',
];
const serverZones = ['+00:00', '-11:00', '+12:45', '+05:30', 'SYSTEM'];

/** The plan of a seed; with `only`, of just these kinds. */
export function planSeed(seed: number, only?: readonly string[], shape: ShapeName = 'studiou-wcmq'): Plan {
  const dice = new Dice(seed);
  const chosen = only ? catalogue.filter((fault) => only.includes(fault.kind)) : choose(dice);
  const cap = chosen.find((fault) => fault.type === 'cap');
  const count = chosen.find((fault) => fault.type === 'consoles');
  const mode = cap?.type === 'cap' ? cap.mode : 'uncapped';
  // whoever is stopped or loses its folder is taken over by another one
  const least = chosen.some((fault) => fault.type === 'stop' || fault.type === 'quirk' || isShared(fault))
    ? 2
    : 1;
  const consoles = count?.type === 'consoles' ? Math.max(count.count, least) : dice.whole(least, 2);
  const odd = chosen.some((fault) => fault.type === 'quirk');
  return {
    seed,
    shape,
    mode,
    consoles,
    connections: dice.pick([1, 2, 3]),
    rows: mode === 'minute' ? 5 : dice.whole(12, 25),
    slowMs: mode === 'uncapped' ? dice.pick([0, 0, 60]) : mode === 'minute' ? 0 : 400,
    claimTimeoutS: chosen.some((fault) => 'slowReplyS' in fault) ? 90 : 900,
    ...zonesOf(
      dice,
      consoles,
      chosen.some((fault) => fault.type === 'zones'),
    ),
    faults: chosen.map((fault, index) => ({
      ...fault,
      id: `${index}:${fault.kind}`,
      // the console with a quirk, or with a shared folder, is the first one; one with a full disk takes no row to its points
      console: fault.type === 'quirk' || isShared(fault) ? 0 : dice.whole(odd ? 1 : 0, consoles - 1),
      skip: mode === 'minute' ? 0 : dice.whole(0, 2),
    })),
  };
}

function zonesOf(dice: Dice, consoles: number, apart: boolean): Pick<Plan, 'workerZones' | 'serverZone'> {
  const workerZones = Array.from({ length: consoles }, () => dice.pick(zones));
  const serverZone = dice.pick(serverZones);
  return apart
    ? { workerZones: ['Pacific/Chatham', ...workerZones.slice(1)], serverZone: '-11:00' }
    : { workerZones, serverZone };
}

const isShared = (fault: Fault) => fault.type === 'kill' && fault.folder === 'shared';

function choose(dice: Dice): Fault[] {
  const most = dice.whole(2, 5);
  const chosen: Fault[] = [];
  for (const fault of dice.shuffled(catalogue)) {
    if (chosen.length >= most) break;
    if (chosen.every((other) => compatible(fault, other))) chosen.push(fault);
  }
  return chosen;
}

type Test = (fault: Fault) => boolean;
const isOf =
  (...types: Fault['type'][]): Test =>
  (fault) =>
    types.includes(fault.type);
const isSlow: Test = (fault) => 'slowReplyS' in fault;

/** Faults of the first sort have no place beside those of the second. */
const apart: readonly [Test, Test][] = [
  [isOf('cap'), isOf('cap')],
  [isOf('consoles'), isOf('consoles')],
  [isOf('quirk'), isOf('quirk')],
  // who shares the folder takes over before the killed one is back, and needs a healthy neighbour
  [isShared, isOf('quirk')],
  [isShared, (fault) => fault.type === 'kill' && (fault.folder === 'deleted' || fault.again !== undefined)],
  // good order is promised while the database is there, and by a process that lives
  [(fault) => fault.kind === 'quit', isOf('kill', 'stop', 'hold', 'quirk', 'cap')],
  [(fault) => fault.kind === 'quit', (fault) => fault.kind.startsWith('db-')],
  // a mail a second: what needs many rows has no place there
  [(fault) => fault.kind === 'cap:minute', (fault) => !isOf('zones', 'kill', 'cap')(fault)],
  // leases stand still while time is moved on by hours
  [isOf('cap'), isSlow],
  [isOf('cap'), (fault) => fault.type === 'timed' && fault.deed !== 'settings-rate'],
  // a lease that is backdated step by step must not be waited for in vain
  [isSlow, isOf('stop', 'hold', 'kill', 'timed')],
];

/** Whether two faults make sense in one seed. */
export function compatible(a: Fault, b: Fault): boolean {
  return !apart.some(([one, other]) => (one(a) && other(b)) || (one(b) && other(a)));
}

/** Fills seeds with kinds until each kind has had its turn: the short form. */
export function coveringPlans(perSeed: number, shape: ShapeName = 'studiou-wcmq'): Plan[] {
  const left = new Dice(7).shuffled(catalogue);
  const plans: Plan[] = [];
  while (left.length > 0) {
    const chosen: Fault[] = [];
    // a mail a second leaves no time for many
    const most = () => (chosen.some((fault) => fault.kind === 'cap:minute') ? perSeed / 2 : perSeed);
    for (let at = 0; at < left.length && chosen.length < most(); ) {
      const fault = left[at];
      if (fault && chosen.every((other) => compatible(fault, other))) {
        chosen.push(fault);
        left.splice(at, 1);
      } else at += 1;
    }
    plans.push(
      planSeed(
        1 + plans.length,
        chosen.map((fault) => fault.kind),
        shape,
      ),
    );
  }
  return plans;
}
