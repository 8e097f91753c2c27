/**
 * `postroom/enqueue`: puts mails into a queue table that Postroom drains, inside the caller's own transaction, so that the
 * mail exists exactly when the order does. For any Node program; it needs no other package. docs/producers.md has examples.
 */
import { checkIdentifier, checkKeys, checkLine, checkWhole, type Mailbox, refuse } from './check.ts';
import { insert, runnerOf } from './connection.ts';
import { type CheckedMail, checkMail } from './mail.ts';
import { type Cell, spellings } from './rows.ts';
import type { Connection, EnqueueOptions, Mail, RowId, Shape } from './types.ts';

export type { Attachment, Connection, EnqueueOptions, Mail, RowId, Shape } from './types.ts';

/** The shapes that `enqueue` can write. */
export const shapes = Object.keys(spellings) as readonly Shape[];

/**
 * Writes one row for each mail; with `chunk`, one for each so many recipients of it. It begins, commits and rolls back
 * nothing: when it rejects, roll back. Every mail is checked before the first row is written.
 *
 * @param connection the caller's own, with the transaction open on it; no pool
 * @param mail one mail or several
 * @returns the ids of the rows, in the order of the mails and of their recipients
 * @throws TypeError for wrong input, as `Expected mail.to to hold at least one address, got []`; nothing was written then
 * @throws Error when the database would store less than the mail (servers that are not strict), and what the driver throws
 */
export async function enqueue(
  connection: Connection,
  mail: Mail | readonly Mail[],
  options: EnqueueOptions,
): Promise<RowId[]> {
  const plan = checkOptions(options);
  const run = runnerOf(connection);
  const several = Array.isArray(mail);
  const given: readonly unknown[] = several ? mail : [mail];
  const rows = given.flatMap((each, at) => plan.rowsOf(each, several ? `mail[${at}]` : 'mail'));
  checkFolders(rows);
  const ids: RowId[] = [];
  for (const { cells } of rows) {
    const columns = cells.map(({ column }) => plan.columnOf(column)).join(', ');
    const sql = `INSERT INTO ${plan.table} (${columns}) VALUES (${cells.map((cell) => cell.sql).join(', ')})`;
    // one by one: the ids of a row list are only known where auto_increment_increment is 1
    const id = await insert(
      run,
      sql,
      cells.flatMap(({ values }) => values),
    );
    ids.push(id);
  }
  return ids;
}

interface PlannedRow {
  cells: Cell[];
  folders: readonly string[];
}

interface Plan {
  /** quoted, as SQL text */
  table: string;
  columnOf(name: string): string;
  rowsOf(mail: unknown, where: string): PlannedRow[];
}

const optionKeys = ['shape', 'tablePrefix', 'table', 'columns', 'queue', 'chunk'] as const;

function checkOptions(value: unknown): Plan {
  const options = checkKeys(value, optionKeys, 'options');
  const { shape, tablePrefix, table, columns = {}, queue, chunk } = options;
  if (typeof shape !== 'string' || !Object.hasOwn(spellings, shape))
    return refuse(`options.shape to be one of ${shapes.join(', ')}`, shape);
  const spelling = spellings[shape as Shape];
  if (tablePrefix !== undefined && !spelling.prefixed)
    refuse(`options.table in place of a tablePrefix, which ${shape} has not`, tablePrefix);
  if (queue !== undefined && shape !== 'jobs') refuse(`no options.queue, which ${shape} has not`, queue);
  const prefix = checkIdentifier(tablePrefix ?? 'wp_', 'options.tablePrefix', { empty: true });
  const usual = spelling.prefixed ? `${prefix}${spelling.table}` : spelling.table;
  const named = checkKeys(columns, spelling.columns, 'options.columns');
  const renamed = new Map(
    Object.entries(named).map(([own, theirs]) => [own, checkIdentifier(theirs, `options.columns.${own}`)]),
  );
  const queueName = queue === undefined ? 'default' : checkLine(queue, 'options.queue', 200);
  if (queueName === '') refuse('options.queue to have a name', queue);
  const size = chunk === undefined ? null : checkWhole(chunk, 'options.chunk', 1, Number.MAX_SAFE_INTEGER);

  return {
    table: `\`${checkIdentifier(table ?? usual, 'options.table')}\``,
    columnOf: (name) => `\`${renamed.get(name) ?? name}\``,
    rowsOf(raw, where) {
      const mail = checkMail(raw, where);
      const extra = spelling.without.find((key) => (raw as Record<string, unknown>)[key] !== undefined);
      if (extra !== undefined)
        refuse(
          `no ${where}.${extra}, for which ${shape} has no column`,
          (raw as Record<string, unknown>)[extra],
        );
      const copies = [...mail.cc, ...mail.bcc];
      if (size !== null && copies.length > 0)
        refuse(
          `${where} without cc and bcc where chunk is set, as each job would send them a copy`,
          copies.length,
        );
      return jobsOf(mail, size).map((to) => ({
        cells: spelling.row(mail, to, queueName, where),
        folders: mail.attachments.folders,
      }));
    },
  };
}

/** The recipients of each job. */
function jobsOf({ to }: CheckedMail, size: number | null): Mailbox[][] {
  if (size === null) return [to];
  const jobs: Mailbox[][] = [];
  for (let at = 0; at < to.length; at += size) jobs.push(to.slice(at, at + size));
  return jobs;
}

/** A folder goes with the first row of it that was sent: the others would find their files gone. */
function checkFolders(rows: readonly PlannedRow[]): void {
  const seen = new Set<string>();
  for (const folder of rows.flatMap(({ folders }) => folders)) {
    if (seen.has(folder)) refuse('an attachment folder to belong to one job', folder);
    seen.add(folder);
  }
}
