/** enable, disable, pause, resume: what the shop and the consoles obey. */
import type { Command } from 'commander';
import { pauseOrder } from '../../contract/desk.ts';
import type { QueueState } from '../../contract/settings.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, wholeNumber, withCommon } from '../options.ts';
import { safeJson } from '../text.ts';
import { count, shortTime } from '../times.ts';
import { pauseWords } from './status.ts';

export function stateCommands(program: Command, tools: Tools): void {
  const { io } = tools;

  withCommon(program.command('enable').summary('the shop queues its mail from now on')).action(
    async (_options, command: Command) => {
      const common = readCommon(command);
      await withShop(tools, common, async (shop) => {
        const state = await shop.desk.enable();
        if (common.json) await io.data(safeJson({ state }));
        else io.say(stateWords(state, 0));
      });
    },
  );

  withCommon(
    program.command('disable').summary('the shop sends its mail itself again; what waits is still sent'),
  ).action(async (_options, command: Command) => {
    const common = readCommon(command);
    await withShop(tools, common, async (shop) => {
      const state = await shop.desk.disable();
      if (common.json) return io.data(safeJson({ state }));
      const { remaining } = await shop.desk.status();
      io.say(stateWords(state, remaining));
    });
  });

  withCommon(program.command('pause').summary('hold all mail back for a while'))
    .option('--minutes <n>', 'for how long, at most 30 days', wholeNumber(1, 43_200), 15)
    .option('--reason <text>', 'why, for whoever looks at it', '')
    .action(async (options: { minutes: number; reason: string }, command: Command) => {
      const common = readCommon(command);
      const order = pauseOrder.parse({ minutes: options.minutes, reason: options.reason.slice(0, 500) });
      await withShop(tools, common, async (shop) => {
        const pause = await shop.desk.pause(order);
        if (common.json) await io.data(safeJson(pause));
        else io.say(`Paused ${pauseWords(pause, Date.now() / 1000)}. \`postroom resume\` ends it.`);
      });
    });

  withCommon(program.command('resume').summary('end a pause, whoever made it')).action(
    async (_options, command: Command) => {
      const common = readCommon(command);
      await withShop(tools, common, async (shop) => {
        await shop.desk.resume();
        const status = await shop.desk.status();
        if (common.json) return io.data(safeJson({ pause: status.pause }));
        const next =
          status.next_at === null
            ? 'nothing waits'
            : `the next mail leaves ${shortTime(status.next_at, status.now)}`;
        io.say(`Not paused any more: ${next}.`);
      });
    },
  );
}

function stateWords(state: QueueState, remaining: number): string {
  if (state === 'enabled') return 'Enabled: the shop queues its mail, and whoever drains sends it.';
  if (state === 'draining')
    return `Draining: ${count(remaining, 'mail')} will still be sent, then it is disabled.`;
  return 'Disabled: the shop sends its mail itself.';
}
