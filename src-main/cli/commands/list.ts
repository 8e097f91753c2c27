import type { Command } from 'commander';
import type { Desk } from '../../contract/desk.ts';
import type { QueueRow, RowFilter } from '../../contract/rows.ts';
import type { ShapeSeen } from '../../contract/status.ts';
import type { Io } from '../io.ts';
import { type Tools, withShop } from '../open.ts';
import { wholeNumber, withCommon } from '../options.ts';
import { readRowCommon, shownState } from '../states.ts';
import { plain, safeJson, type TableColumn, tableLines } from '../text.ts';
import { localTime } from '../times.ts';

/** rows that are asked for in one go */
const page = 500;

export function listCommand(program: Command, tools: Tools): void {
  const { io } = tools;
  withCommon(program.command('list').summary('rows of the queue'), { rowState: true })
    .option('--search <text>', 'only rows with the text in recipient or subject')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000_000), 100)
    .addHelpText('after', '\nWaiting rows come in the order in which they leave, all others newest first.')
    .action(async (options: { search?: string; limit: number }, command: Command) => {
      const common = await readRowCommon(command, io.env);
      const filter: RowFilter = {
        ...(common.rowState ? { state: common.rowState } : {}),
        ...(options.search ? { search: options.search.slice(0, 200) } : {}),
      };
      await withShop(tools, common, async (shop) => {
        const { rows, total } = await collect(shop.desk, filter, options.limit, io);
        if (common.json) for (const row of rows) await io.data(safeJson(row));
        else if (rows.length > 0)
          for (const line of rowLines(rows, common.words, io.dataWidth)) await io.data(line);
        if (rows.length < total) io.say(`${rows.length} of ${total} rows; --limit N shows more.`);
        else if (total === 0) io.say('No such rows.');
      });
    });
}

async function collect(
  desk: Desk,
  filter: RowFilter,
  limit: number,
  io: Io,
): Promise<{ rows: QueueRow[]; total: number }> {
  const rows: QueueRow[] = [];
  for (;;) {
    const part = await desk.list({ filter, limit: Math.min(page, limit - rows.length), offset: rows.length });
    rows.push(...part.rows);
    if (part.rows.length === 0 || rows.length >= limit || io.brokenStdout) return { rows, total: part.total };
  }
}

const columns: TableColumn[] = [
  { title: 'ID', align: 'right' },
  { title: 'STATE' },
  { title: 'WHEN' },
  { title: 'TRIES', align: 'right' },
  { title: 'RECIPIENT', flexible: true },
  { title: 'SUBJECT', flexible: true },
  { title: 'REASON', flexible: true },
];

export function rowLines(
  rows: readonly QueueRow[],
  words: ShapeSeen['words'],
  width: number | null,
): string[] {
  const cells = rows.map((row) => [
    String(row.id),
    row.in_doubt ? 'in doubt' : shownState(row.state, words),
    whenOf(row),
    String(row.attempts),
    plain(row.recipient),
    plain(row.subject),
    plain(row.last_error ?? ''),
  ]);
  return tableLines(columns, cells, width);
}

/** When it left, leaves, or came; a shop's own table may not know the last. */
function whenOf(row: QueueRow): string {
  const when = row.sent_at ?? row.planned_at ?? (row.state === 'pending' ? row.scheduled_at : row.created_at);
  return when > 0 ? localTime(when) : '';
}
