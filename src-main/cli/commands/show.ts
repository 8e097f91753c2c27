import type { Command } from 'commander';
import { heldForGood } from '../../contract/orders.ts';
import type { ShapeName } from '../../contract/profile.ts';
import type { Attempt, RowDetail, RowId } from '../../contract/rows.ts';
import { holdsMailTypes, ownWord } from '../../contract/status.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, readRowId, withCommon } from '../options.ts';
import { wordsOf } from '../states.ts';
import { factLines, plain, plainLines, safeJson, tableLines } from '../text.ts';
import { localTime } from '../times.ts';

export function showCommand(program: Command, tools: Tools): void {
  const { io } = tools;
  withCommon(
    program.command('show').summary('everything about one row: its mail, its tries, the words of the server'),
  )
    .argument('<id>', 'id of the row', readRowId)
    .action(async (id: RowId, _options, command: Command) => {
      const common = readCommon(command);
      await withShop(tools, common, async (shop) => {
        const row = await shop.desk.show(id);
        if (common.json) return io.data(safeJson(row));
        for (const line of detailLines(row, shop.profile.shape)) await io.data(line);
      });
    });
}

export function detailLines(row: RowDetail, shape: ShapeName): string[] {
  const own = ownWord(wordsOf(shape), row.state);
  const state = own ? `${own} (${row.state})` : row.state;
  const facts: [string, string][] = [
    ['row', `${row.id}, ${row.in_doubt ? `in doubt (state ${own ?? row.state})` : state}`],
    ['to', plain(row.recipient)],
    ['subject', plain(row.subject)],
  ];
  if (holdsMailTypes(shape))
    facts.push(
      ['kind', [plain(row.title), plain(row.context)].filter(Boolean).join(', ') || 'none'],
      ['order', String(row.order_id)],
      ['priority', String(row.priority)],
    );
  facts.push(['tries', `${row.attempts} completed, ${row.reclaims} by workers that died`]);
  // not every shop's table keeps it
  if (row.created_at > 0) facts.push(['created', localTime(row.created_at)]);
  if (row.state === 'pending') facts.push(['not before', localTime(row.scheduled_at)]);
  if (row.planned_at !== null) facts.push(['leaves', localTime(row.planned_at)]);
  if (row.held_until !== null)
    facts.push(['held until', row.held_until === heldForGood ? 'it is released' : localTime(row.held_until)]);
  if (row.sent_at !== null) facts.push(['sent', localTime(row.sent_at)]);
  if (row.last_error) facts.push(['reason', plain(row.last_error)]);
  if (row.message_id) facts.push(['Message-ID', plain(row.message_id)]);
  if (row.attachment_dir) facts.push(['attachments in', plain(row.attachment_dir)]);
  if (row.delivered_to.length > 0) facts.push(['taken for', plain(row.delivered_to.join(', '))]);
  return [...factLines(facts), ...historyLines(row.history), '', ...bodyLines(row)];
}

function historyLines(history: readonly Attempt[]): string[] {
  if (history.length === 0) return [];
  const columns = [
    { title: 'TRIED' },
    { title: 'TOOK', align: 'right' as const },
    { title: 'OUTCOME' },
    { title: 'ANSWER OF THE MAIL SERVER' },
  ];
  const rows = history.map((line) => [
    localTime(line.started_ms / 1000),
    line.finished_ms === null ? '' : `${((line.finished_ms - line.started_ms) / 1000).toFixed(1)} s`,
    line.outcome ?? 'not ended',
    plain(answerOf(line)),
  ]);
  return ['', ...tableLines(columns, rows, null)];
}

/** The server's words, with the codes in front where the words do not begin with them. */
function answerOf(line: Attempt): string {
  const words = line.response ?? '';
  const codes = [line.smtp_code, line.enhanced_code].filter(
    (code) => code !== null && !words.includes(String(code)),
  );
  return [...codes, words].filter(Boolean).join(' ');
}

function bodyLines(row: RowDetail): string[] {
  if (!row.payload.ok) return [`The payload cannot be read: ${plain(row.payload.error)}`];
  const value = row.payload.value;
  const message =
    typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
  return typeof message === 'string' ? plainLines(message).split('\n') : ['The payload holds no message.'];
}
