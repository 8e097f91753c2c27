/** retry, delete, resolve: what a person does to rows by hand. */
import type { Command } from 'commander';
import type { Desk, Resolution, Selection } from '../../contract/desk.ts';
import { PostroomError } from '../../contract/errors.ts';
import type { ActionResult, RowId } from '../../contract/rows.ts';
import { exitOfAction } from '../exit.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, readRowId, readRowIds, withCommon } from '../options.ts';
import { type RowCommon, readRowCommon } from '../states.ts';
import { plain, safeJson } from '../text.ts';
import { count } from '../times.ts';

const actionHelp = `
Name rows by their ids, or all rows of a state. Rows that a guard refuses are named with the reason.
Exit code 0 when something was done or there was nothing to do, 2 when every row was refused.`;

export function changeCommands(program: Command, tools: Tools): void {
  const { io } = tools;
  const action = (
    name: string,
    summary: string,
    done: (n: number) => string,
    act: (desk: Desk, what: Selection) => Promise<ActionResult>,
  ) =>
    withCommon(program.command(name).summary(summary), { rowState: true })
      .argument('[id...]', 'ids of rows', readRowIds)
      .addHelpText('after', actionHelp)
      .action(async (ids: RowId[] | undefined, _options, command: Command) => {
        const common = await readRowCommon(command, io.env);
        const what = selectionOf(ids ?? [], common, name);
        await withShop(tools, common, async (shop) => {
          const result = await act(shop.desk, what);
          if (common.json) await io.data(safeJson(result));
          else {
            io.say(done(result.done));
            for (const { id, reason } of result.refused)
              io.say(`Row ${id} was left alone: ${plain(reason)}.`);
          }
          tools.exit = exitOfAction(result);
        });
      });

  action(
    'retry',
    'put failed or waiting rows back to the start, counters at 0',
    (n) => `${count(n, 'mail')} will be sent again.`,
    (desk, what) => desk.retry(what),
  );
  action(
    'delete',
    'delete rows and their attachments; never one that is being sent',
    (n) => `${count(n, 'row')} deleted.`,
    (desk, what) => desk.remove(what),
  );

  withCommon(
    program
      .command('resolve')
      .summary('end a doubt: the mail arrived, or is sent again under its Message-ID'),
  )
    .argument('<id>', 'id of the row', readRowId)
    .option('--arrived', 'it arrived: the row becomes sent')
    .option('--send-again', 'it did not: the row waits again')
    .action(async (id: RowId, options: { arrived?: boolean; sendAgain?: boolean }, command: Command) => {
      const common = readCommon(command);
      if (Boolean(options.arrived) === Boolean(options.sendAgain))
        throw new PostroomError('usage', 'Say one of --arrived and --send-again.');
      const how: Resolution = options.arrived ? 'arrived' : 'send-again';
      await withShop(tools, common, async (shop) => {
        await shop.desk.resolve(id, how);
        if (common.json) await io.data(safeJson({ id, resolved: how }));
        else io.say(how === 'arrived' ? `Row ${id} is sent.` : `Row ${id} waits to be sent again.`);
      });
    });
}

function selectionOf(ids: readonly RowId[], { rowState }: RowCommon, name: string): Selection {
  if (ids.length > 0 && rowState)
    throw new PostroomError('usage', `Name ids or a --state to ${name}, not both.`);
  if (ids.length > 0) return { ids: [...ids] };
  if (rowState) return { filter: { state: rowState } };
  throw new PostroomError('usage', `Which rows? postroom ${name} ID... or postroom ${name} --state failed`);
}
