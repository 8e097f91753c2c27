/**
 * Which tables of a database could be mail queues, and of which shape. By columns, not by names; what a name could mean is a
 * guess for a person to confirm. Reads only; no rows but a few states and the names of queues.
 */
import type { FoundTable } from '../../contract/look.ts';
import type { Queryable } from '../../shop/database.ts';
import { definitions } from '../tables.ts';
import { isNumber, refuseTime } from './column-types.ts';
import { count, readTables, type Table, values } from './discover-tables.ts';
import { holds, meaningOf, wordsOf } from './discover-words.ts';
import type { Shape, ShapeTable } from './shape.ts';

/** least part of its columns that a table must have to be named at all */
const nearly = 0.6;
/** what a column counts that was found by its name, a usual other name, a part of its name, or by being the only long text */
const points = { name: 1, synonym: 0.9, part: 0.7, only: 0.5 };
/**
 * All candidates, best first; those that are refused last.
 * @param onProgress told in words what is looked at
 */
export async function discover(
  on: Queryable,
  shapes: readonly Shape[],
  onProgress: (words: string) => void = () => {},
): Promise<FoundTable[]> {
  const tables = await readTables(on);
  onProgress(
    `Comparing ${tables.length} ${tables.length === 1 ? 'table' : 'tables'} with what queues look like`,
  );
  const ours = tables.filter(({ name }) => /studiou_wcmq_/.test(name));
  const others = tables.filter((table) => !ours.includes(table));
  const found = await Promise.all(
    ours.filter(({ name }) => /studiou_wcmq_queue$/.test(name)).map((table) => own(on, table)),
  );
  for (const shape of shapes) {
    if (on.dialect === 'sqlite' && !shape.sqlite) continue;
    for (const table of others) {
      const one = await look(on, shape, table, others);
      if (one) found.push(one);
    }
  }
  return found.sort(
    (a, b) =>
      Number(a.refused !== null) - Number(b.refused !== null) ||
      b.score - a.score ||
      a.missing.length - b.missing.length ||
      b.rows - a.rows,
  );
}

async function own(on: Queryable, table: Table): Promise<FoundTable> {
  const columns = definitions.find(({ name }) => name === 'queue')?.columns ?? [];
  const missing = columns.map(({ name }) => name).filter((name) => !table.columns.has(name));
  return {
    shape: 'studiou-wcmq',
    layout: { table: table.name, columns: {} },
    prefix: table.name.replace(/studiou_wcmq_queue$/, ''),
    missing,
    refused: null,
    rows: await count(on, table),
    score: round(1 - missing.length / Math.max(1, columns.length)),
  };
}

async function look(
  on: Queryable,
  shape: Shape,
  table: Table,
  all: readonly Table[],
): Promise<FoundTable | null> {
  const usual = shape.open('', { columns: {}, timeZone: null, books: null }, on.dialect).tables;
  const queue = usual.find(({ role }) => role === 'queue');
  if (!queue) return null;
  const match = compare(on, shape, queue, table, {});
  if (match.points < nearly * queue.columns.length || match.lacksNeeded) return null;
  const failed = usual.find(({ role }) => role === 'failed');
  const dead = failed ? findDead(on, shape, [failed, queue], table, all, match.columns) : null;
  const wanted = queue.columns.length + (failed?.columns.length ?? 0);
  const columns = { ...match.columns, ...dead?.match.columns };
  const queues = queue.columns.includes('queue') ? await values(on, table, columns['queue'] ?? 'queue') : [];
  const named = queues.filter((name) => name !== '' && name.length <= 200).slice(0, 50);
  return {
    shape: shape.name,
    layout: {
      table: table.name,
      ...(dead ? { failedTable: dead.table.name } : {}),
      columns,
      ...(named.length > 0 ? { queues: named } : {}),
    },
    prefix: null,
    missing: [
      ...match.missing,
      ...(dead
        ? dead.match.missing.map((name) => `${dead.table.name}.${name}`)
        : failed
          ? [`table ${failed.name}`]
          : []),
    ],
    refused: match.refused ?? dead?.match.refused ?? (await strangeStates(on, shape, queue, table, columns)),
    rows: await count(on, table),
    score: round((match.points + (dead?.match.points ?? 0)) / wanted),
  };
}

interface Match {
  /** the shape's name -> the table's, where they differ */
  columns: Record<string, string>;
  missing: string[];
  refused: string | null;
  points: number;
  lacksNeeded: boolean;
}

/** @param fixed names that another table of the shape has settled: both tables share one spelling */
function compare(
  on: Queryable,
  shape: Shape,
  wanted: ShapeTable,
  table: Table,
  fixed: Record<string, string>,
  settled: readonly string[] = [],
): Match {
  const found = new Map<string, { name: string; points: number }>();
  const free = new Map(table.columns);
  let refused: string | null = null;
  const names = [...wanted.columns, ...wanted.optional];
  /** tries each column that is not found yet; the surest ways go first, so that a guess takes nothing from a name */
  const pass = (worth: number, pick: (want: string) => string[], among = names) => {
    for (const want of among) {
      if (found.has(want)) continue;
      const { kind } = meaningOf(want);
      const candidates = pick(want).flatMap((key) => free.get(key) ?? []);
      const column =
        candidates.find(({ type }) => holds(type, kind, on.dialect)) ??
        // a time that is kept as a number is still that time: to be named, and refused
        candidates.find(({ type }) => kind === 'time' && isNumber(type));
      if (!column) continue;
      if (!holds(column.type, kind, on.dialect))
        refused ??= refuseTime(shape.name, `${table.name}.${column.name}`, column.type);
      found.set(want, { name: column.name, points: worth });
      free.delete(column.name.toLowerCase());
    }
  };
  const open = names.filter((want) => !settled.includes(want));
  pass(points.name, (want) => [(fixed[want] ?? want).toLowerCase()]);
  pass(
    points.synonym,
    (want) => byWords(free, (words) => meaningOf(want).names.includes(words), meaningOf(want).names),
    open,
  );
  pass(
    points.part,
    (want) =>
      byWords(free, (words) =>
        meaningOf(want).names.some((name) => name.length > 3 && `_${words}_`.includes(`_${name}_`)),
      ),
    open,
  );
  const long = [...free].filter(([, { type }]) => /^(medium|long)?text|^json/i.test(type));
  const [only] = long;
  if (long.length === 1 && only)
    pass(points.only, (want) => (meaningOf(want).longText ? [only[0]] : []), open);

  const missing = wanted.columns.filter((want) => !found.has(want)).map((want) => fixed[want] ?? want);
  return {
    columns: Object.fromEntries(
      [...found]
        .filter(([want, { name }]) => want !== name.toLowerCase())
        .map(([want, { name }]) => [want, name]),
    ),
    missing,
    refused,
    points: wanted.columns.reduce((sum, want) => sum + (found.get(want)?.points ?? 0), 0),
    lacksNeeded: wanted.columns.some((want) => meaningOf(want).needed === true && !found.has(want)),
  };
}

/** Keys of the free columns whose name as words passes, the likeliest first. */
function byWords(
  free: ReadonlyMap<string, { name: string }>,
  passes: (words: string) => boolean,
  order: readonly string[] = [],
): string[] {
  return [...free]
    .map(([key, { name }]) => ({ key, words: wordsOf(name) }))
    .filter(({ words }) => passes(words))
    .sort((a, b) => order.indexOf(a.words) - order.indexOf(b.words))
    .map(({ key }) => key);
}

/** The dead letters that go with a queue: most columns, then the likeliest name. */
function findDead(
  on: Queryable,
  shape: Shape,
  [failed, own]: readonly [ShapeTable, ShapeTable],
  queue: Table,
  all: readonly Table[],
  fixed: Record<string, string>,
) {
  const candidates = all
    .filter((table) => table !== queue)
    .map((table) => {
      const match = compare(on, shape, failed, table, fixed, own.columns);
      const kin = table.name.includes(queue.name) ? 0.2 : 0;
      const grave = /fail|dead|falh|fall|error|gagal/i.test(table.name) ? 0.2 : 0;
      return { table, match, likely: match.points / failed.columns.length + kin + grave };
    })
    .filter(({ likely }) => likely >= 0.9)
    .sort((a, b) => b.likely - a.likely);
  return candidates[0] ?? null;
}

/** A status column whose words are another program's cannot be read as this shape's. */
async function strangeStates(
  on: Queryable,
  shape: Shape,
  queue: ShapeTable,
  table: Table,
  columns: Record<string, string>,
): Promise<string | null> {
  if (!queue.columns.includes('status')) return null;
  const name = columns['status'] ?? 'status';
  const type = table.columns.get(name.toLowerCase())?.type ?? '';
  const { pending, sending, sent } = shape.words;
  const known = /^enum/i.test(type)
    ? [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) => word)
    : null;
  const lacks = known && [pending, sending, sent].filter((word) => !known.includes(word));
  if (lacks?.length)
    return `${table.name}.${name} has no ${lacks.join(', ')}: it knows ${known?.join(', ')}.`;
  const words: readonly string[] = Object.values(shape.words);
  const strange = (await values(on, table, name)).filter((word) => !words.includes(word)).slice(0, 5);
  return strange.length > 0
    ? `${table.name}.${name} has ${strange.join(', ')}, where the ${shape.name} shape has ${words.join(', ')}.`
    : null;
}

const round = (score: number): number => Math.round(score * 100) / 100;
