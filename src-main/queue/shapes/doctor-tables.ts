/** The doctor's words on the tables of a shape: what they lack, and the statement that would add it. Nothing is run. */
import { PostroomError } from '../../contract/errors.ts';
import type { FoundTable } from '../../contract/look.ts';
import type { Queryable } from '../../shop/database.ts';
import type { Finding } from '../../shop/doctor-steps.ts';
import { isNumber, refuseTime } from './column-types.ts';
import { discover } from './discover.ts';
import { meaningOf } from './discover-words.ts';
import { counted, type NamedTable, some, type TableFacts } from './doctor-facts.ts';
import { quoted, type Shape } from './shape.ts';

/** rows that a claim may walk past by the primary key before it is felt: some 10 ms */
const walkable = 10_000;

/** Throws for what cannot be looked at; null = all columns are there. */
export function columnsLacking(table: NamedTable, facts: TableFacts | null): string[] | null {
  if (!facts) return null;
  return table.columns.filter((column) => !facts.columns.has(column.toLowerCase()));
}

export async function lookAtQueueTable(
  db: Queryable,
  shape: Shape,
  table: NamedTable,
  facts: TableFacts | null,
  shapes: readonly Shape[],
): Promise<Finding> {
  if (db.dialect === 'sqlite' && !shape.sqlite)
    throw new PostroomError('config', `The shape ${shape.name} has no embedded form: give host and user.`);
  const lacking = columnsLacking(table, facts);
  if (lacking === null || lacking.length > 0)
    return {
      color: 'red',
      found: lacking
        ? `The table ${table.name} is not of the shape ${shape.name}: it lacks ${some(lacking)}.`
        : `There is no table ${table.name} in this database (shape ${shape.name}).`,
      advice: await otherTables(db, shapes),
    };
  const found = facts as TableFacts;
  const type = (want: string) => found.columns.get((table.names.get(want) ?? want).toLowerCase())?.type ?? '';
  for (const [want, name] of table.names) {
    const why =
      meaningOf(want).kind === 'time' && isNumber(type(want))
        ? refuseTime(shape.name, `${table.name}.${name}`, type(want))
        : null;
    if (why) return { color: 'red', found: why, advice: await otherTables(db, shapes) };
  }
  const status = table.names.get('status');
  if (status) {
    const strange = await lookAtStates(db, shape, { table, status, type: type('status') });
    if (strange) return strange;
  }
  return { color: 'green', found: `${table.name} has all of its ${table.columns.length} columns.` };
}

async function lookAtStates(
  db: Queryable,
  shape: Shape,
  { table, status, type }: { table: NamedTable; status: string; type: string },
): Promise<Finding | null> {
  const known = Object.values(shape.words);
  // email-jobs keeps no failed rows in its queue
  const needed = [shape.words.pending, shape.words.sending, shape.words.sent];
  const words = [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) => word);
  const lacks = /^enum/i.test(type) ? needed.filter((word) => !words.includes(word)) : [];
  if (lacks.length > 0)
    return {
      color: 'red',
      found: `${table.name}.${status} cannot hold ${lacks.join(', ')}: it knows ${some(words)}.`,
      advice: `Such a table is another program's. The shape ${shape.name} has ${known.join(', ')}.`,
    };
  const rows = await db.query<{ word: string | null; n: number }>(
    `SELECT ${quoted(status)} AS word, COUNT(*) AS n FROM ${quoted(table.name)} GROUP BY ${quoted(status)} ORDER BY n DESC LIMIT 100`,
  );
  const strange = rows.filter(({ word }) => !known.includes(String(word)));
  if (strange.length === 0) return null;
  return {
    color: 'amber',
    found: `${table.name} has all of its columns, but ${some(
      strange.map(({ word, n }) => `${counted(Number(n), 'row')} with the ${status} ${JSON.stringify(word)}`),
      4,
    )}: no word of the shape ${shape.name}. They show as failed and are left alone.`,
    advice: `The shape has ${known.join(', ')}. Look into the program that writes the other words.`,
  };
}

/** Which tables of this database could be drained, with what the profile must say for them. */
async function otherTables(db: Queryable, shapes: readonly Shape[]): Promise<string> {
  const found = await discover(db, shapes).catch(() => null);
  const likely = (found ?? []).filter(({ refused }) => refused === null).slice(0, 3);
  if (likely.length > 0)
    return `These tables look like queues; for one of them write into the profile: ${likely.map(asProfile).join('; or ')}.`;
  const refused = (found ?? []).slice(0, 2).map((one) => one.refused);
  return `No table of this database looks like a queue that could be drained${refused.length > 0 ? ` (${refused.join('; ')})` : ''}. Is it the right database? If the columns have other names, say so in layout.columns.`;
}

function asProfile({ shape, layout, prefix, missing }: FoundTable): string {
  const { columns, ...tables } = layout;
  const json =
    shape === 'studiou-wcmq'
      ? `"shape": "${shape}" with "tablePrefix": "${prefix ?? ''}" in database`
      : `"shape": "${shape}", "layout": ${JSON.stringify({
          ...tables,
          ...(Object.keys(columns).length > 0 ? { columns } : {}),
        })}`;
  return missing.length > 0 ? `${json} (it still lacks ${some(missing)})` : json;
}

export interface Both {
  queue: { table: NamedTable; facts: TableFacts };
  dead: { table: NamedTable; facts: TableFacts | null };
}

export async function lookAtDeadLetters(
  db: Queryable,
  shape: Shape,
  shapes: readonly Shape[],
  { queue, dead }: Both,
): Promise<Finding> {
  const { table, facts } = dead;
  const lacking = columnsLacking(table, facts);
  if (lacking === null) {
    const likely = (await discover(db, shapes).catch(() => [])).find(
      (one) => one.shape === shape.name && one.layout.table === queue.table.name && one.layout.failedTable,
    )?.layout.failedTable;
    return {
      color: 'red',
      found: `There is no table ${table.name} for what failed for good.`,
      advice: likely
        ? `${likely} looks like it: write "failedTable": "${likely}" into layout.`
        : `Make it: ${createDead(db, queue, table)}`,
    };
  }
  if (lacking.length > 0)
    return {
      color: 'red',
      found: `The table ${table.name} lacks ${some(lacking)}.`,
      advice: `If its columns have other names, say so in layout.columns; else: ${lacking
        .map(
          (column) =>
            `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${quoted(column)} ${typeOf(db, queue, wantOf(table, column))} NULL`,
        )
        .join('; ')}.`,
    };
  const body = table.names.get('body');
  if (body && !facts?.columns.has(body.toLowerCase()))
    return {
      color: 'amber',
      found: `${table.name} has no ${body}: a mail that failed for good leaves its text behind and cannot be tried again.`,
      advice: `Add it, and failed mails can be retried: ALTER TABLE ${quoted(table.name)} ADD COLUMN ${quoted(body)} ${typeOf(db, queue, 'body')} NULL`,
    };
  return {
    color: 'green',
    found: `${table.name} is there${body ? ', and keeps the texts of the mails' : ''}.`,
  };
}

const wantOf = (table: NamedTable, column: string): string =>
  [...table.names].find(([, name]) => name === column)?.[0] ?? column;

/** The type of a dead letter's column: as the queue has it, where it has one. */
function typeOf(db: Queryable, { table, facts }: Both['queue'], want: string): string {
  const asInQueue = (column: string) =>
    facts.columns.get((table.names.get(column) ?? column).toLowerCase())?.type || 'TEXT';
  if (want === 'failed_at') return db.dialect === 'mysql' ? 'DATETIME' : 'TEXT';
  if (want === 'job_id') return asInQueue('id');
  if (want === 'reason' || want === 'error') return 'TEXT';
  return asInQueue(want);
}

function createDead(db: Queryable, queue: Both['queue'], table: NamedTable): string {
  // it has an id of its own where it names the job in another column
  const own = table.names.has('job_id');
  const auto =
    db.dialect === 'mysql'
      ? 'BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY'
      : 'INTEGER PRIMARY KEY AUTOINCREMENT';
  const id = queue.table.names.get('id') ?? 'id';
  const lines = [...table.names].map(([want, name]) => {
    if (name === id) return `${quoted(name)} ${own ? auto : `${typeOf(db, queue, 'id')} PRIMARY KEY`}`;
    return `${quoted(name)} ${typeOf(db, queue, want)}${table.optional.includes(name) ? ' NULL' : ' NOT NULL'}`;
  });
  const tail = db.dialect === 'mysql' ? ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4' : '';
  return `CREATE TABLE ${quoted(table.name)} (${lines.join(', ')})${tail}`;
}

export function lookAtClaimKey(db: Queryable, { table, facts }: Both['queue']): Finding {
  const id = (table.names.get('id') ?? 'id').toLowerCase();
  if (facts.primary[0] !== id)
    return {
      // MySQL is told to lock by that key, and refuses where there is none
      color: db.dialect === 'mysql' && facts.primary.length === 0 ? 'red' : 'amber',
      found: `${table.name}.${id} is not the primary key: rows are claimed and locked by it.`,
      advice: `Ask whoever made the table for one: ALTER TABLE ${quoted(table.name)} ADD PRIMARY KEY (${quoted(id)})`,
    };
  // the jobs document has no key; other queues' rows stand in the way of the primary one
  const queueColumn = table.names.get('queue');
  const wanted = table.key ?? [queueColumn, table.names.get('reserved_at'), table.names.get('available_at')];
  const columns = wanted.flatMap((name) => name ?? []);
  const begins = table.key ? columns : columns.slice(0, 1);
  const served = facts.keys.some((key) => begins.every((name, at) => key[at] === name.toLowerCase()));
  if (served)
    return { color: 'green', found: `${table.name} has a key that begins with ${begins.join(', ')}.` };
  if (!table.key && facts.rows <= walkable)
    return { color: 'green', found: `The primary key serves the claim: ${table.name} has few rows.` };
  const list = columns.map(quoted).join(', ');
  return {
    color: 'amber',
    found: `${table.name} has no key that begins with ${begins.join(', ')}: each claim walks through ${table.key ? 'all rows' : "other queues' rows"}, slower the more there are.`,
    advice:
      db.dialect === 'mysql'
        ? `Add one: ALTER TABLE ${quoted(table.name)} ADD KEY ${quoted('postroom_claim')} (${list})`
        : `Add one: CREATE INDEX ${quoted(`${table.name}_postroom_claim`)} ON ${quoted(table.name)} (${list})`,
  };
}

/** Words of the database's own and names need no emoji. */
const plainColumns = new Set(['id', 'job_id', 'status', 'queue']);

export function lookAtCharset(tables: readonly { table: NamedTable; facts: TableFacts }[]): Finding {
  const narrow = tables.flatMap(({ table, facts }) =>
    [...table.names].flatMap(([want, name]) => {
      const charset = facts.columns.get(name.toLowerCase())?.charset ?? 'utf8mb4';
      if (plainColumns.has(want) || charset === 'utf8mb4' || charset === 'binary') return [];
      return [{ table: table.name, words: `${table.name}.${name} is ${charset}` }];
    }),
  );
  if (narrow.length === 0) return { color: 'green', found: 'All text columns are utf8mb4.' };
  const names = [...new Set(narrow.map(({ table }) => table))];
  return {
    color: 'amber',
    found: `${some(
      narrow.map(({ words }) => words),
      4,
    )}: an emoji is lost there ("?" in its place) before Postroom sees it, or the row is refused (error 1366).`,
    advice: `Take a backup, then: ${names
      .map((name) => `ALTER TABLE ${quoted(name)} CONVERT TO CHARACTER SET utf8mb4`)
      .join('; ')}`,
  };
}
