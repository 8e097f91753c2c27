/** retry, delete, hold, release, next, priority, readdress, resolve: what a person does to rows by hand. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Desk, Resolution, Selection } from '../../contract/desk.ts';
import { PostroomError } from '../../contract/errors.ts';
import { heldForGood, priorityBounds, type RowOrder } from '../../contract/orders.ts';
import type { ActionResult, RowId } from '../../contract/rows.ts';
import { exitOfAction } from '../exit.ts';
import { type Tools, withShop } from '../open.ts';
import { type Common, readCommon, readRowId, readRowIds, wholeNumber, withCommon } from '../options.ts';
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
        await withShop(tools, common, async (shop) => tell(tools, common, await act(shop.desk, what), done));
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

  action(
    'release',
    'held rows wait for their turn again',
    (n) => `${count(n, 'mail')} released.`,
    (desk, what) => desk.change(what, { do: 'release' }),
  );
  action(
    'next',
    'waiting rows leave before all others; the cap holds as ever',
    (n) => `${count(n, 'mail')} put first.`,
    (desk, what) => desk.change(what, { do: 'next' }),
  );

  withCommon(
    program.command('hold').summary('waiting rows do not leave until they are released, or until a time'),
    { rowState: true },
  )
    .argument('[id...]', 'ids of rows', readRowIds)
    .option('--until <time>', 'ISO 8601 date and time; without it until they are released', readTime)
    .addHelpText('after', actionHelp)
    .action(async (ids: RowId[] | undefined, options: { until?: number }, command: Command) => {
      const common = await readRowCommon(command, io.env);
      const what = selectionOf(ids ?? [], common, 'hold');
      const order: RowOrder = { do: 'hold', until: options.until ?? null };
      await withShop(tools, common, async (shop) =>
        tell(tools, common, await shop.desk.change(what, order), (n) => `${count(n, 'mail')} held.`),
      );
    });

  withCommon(
    program.command('priority').summary('priority of waiting rows: smaller leaves first, 10 is usual'),
    { rowState: true },
  )
    .argument('<n>', 'the priority', wholeNumber(priorityBounds.least, priorityBounds.most))
    .argument('[id...]', 'ids of rows', readRowIds)
    .addHelpText('after', `${actionHelp}\nA priority below 0 is written after two dashes: priority -- -5 17`)
    .action(async (priority: number, ids: RowId[] | undefined, _options, command: Command) => {
      const common = await readRowCommon(command, io.env);
      const what = selectionOf(ids ?? [], common, 'priority N');
      await withShop(tools, common, async (shop) =>
        tell(
          tools,
          common,
          await shop.desk.change(what, { do: 'priority', priority }),
          (n) => `${count(n, 'mail')} given priority ${priority}.`,
        ),
      );
    });

  withCommon(
    program
      .command('readdress')
      .summary('a waiting or failed row goes to another address, as a new mail with a Message-ID of its own'),
  )
    .argument('<id>', 'id of the row', readRowId)
    .argument('<address>', 'mail address')
    .action(async (id: RowId, to: string, _options, command: Command) => {
      const common = readCommon(command);
      await withShop(tools, common, async (shop) =>
        tell(
          tools,
          common,
          await shop.desk.change({ ids: [id] }, { do: 'readdress', to }),
          (n) => `${count(n, 'mail')} readdressed and put back into the queue.`,
        ),
      );
    });

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

/** Says what was done, and what was left alone and why. */
async function tell(
  tools: Tools,
  common: Common,
  result: ActionResult,
  done: (n: number) => string,
): Promise<void> {
  const { io } = tools;
  if (common.json) await io.data(safeJson(result));
  else {
    io.say(done(result.done));
    for (const { id, reason } of result.refused) io.say(`Row ${id} was left alone: ${plain(reason)}.`);
  }
  tools.exit = exitOfAction(result);
}

function readTime(text: string): number {
  const seconds = Math.floor(Date.parse(text) / 1000);
  if (seconds >= 0 && seconds <= heldForGood) return seconds;
  throw new InvalidArgumentError('It must be a date and time as 2026-12-24T18:00:00+01:00.');
}

function selectionOf(ids: readonly RowId[], { rowState }: RowCommon, name: string): Selection {
  if (ids.length > 0 && rowState)
    throw new PostroomError('usage', `Name ids or a --state to ${name}, not both.`);
  if (ids.length > 0) return { ids: [...ids] };
  if (rowState) return { filter: { state: rowState } };
  throw new PostroomError('usage', `Which rows? postroom ${name} ID... or postroom ${name} --state failed`);
}
