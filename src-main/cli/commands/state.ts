/** enable, disable, pause, resume: what the shop and the consoles obey. */
import type { Command } from 'commander';
import { pauseOrder } from '../../contract/desk.ts';
import type { ShapeName } from '../../contract/profile.ts';
import type { QueueState } from '../../contract/settings.ts';
import { holdsMailTypes } from '../../contract/status.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, wholeNumber, withCommon } from '../options.ts';
import { safeJson } from '../text.ts';
import { count, shortTime } from '../times.ts';
import { pauseWords } from './status.ts';

export function stateCommands(program: Command, tools: Tools): void {
  const { io } = tools;

  withCommon(
    program
      .command('enable')
      .summary('mail leaves at its pace; a shop with the connector queues its mail from now on'),
  ).action(async (_options, command: Command) => {
    const common = readCommon(command);
    await withShop(tools, common, async (shop) => {
      const state = await shop.desk.enable();
      if (common.json) await io.data(safeJson({ state }));
      else io.say(stateWords(shop.profile.shape, state, 0));
    });
  });

  withCommon(
    program
      .command('disable')
      .summary('what waits is still sent; a shop with the connector sends its mail itself from now on'),
  ).action(async (_options, command: Command) => {
    const common = readCommon(command);
    await withShop(tools, common, async (shop) => {
      const state = await shop.desk.disable();
      if (common.json) return io.data(safeJson({ state }));
      const { remaining } = await shop.desk.status();
      io.say(stateWords(shop.profile.shape, state, remaining));
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

/**
 * What a state that was just set means. Only a shop with our own tables has the connector, which obeys it: the program that
 * fills any other table goes on as before.
 */
export function stateWords(shape: ShapeName, state: QueueState, remaining: number): string {
  if (state === 'draining')
    return `Draining: ${count(remaining, 'mail')} will still be sent, then it is disabled.`;
  if (holdsMailTypes(shape))
    return state === 'enabled'
      ? 'Enabled: the shop queues its mail, and whoever drains sends it.'
      : 'Disabled: the shop sends its mail itself.';
  return state === 'enabled'
    ? "Enabled: whoever drains sends what is in the shop's table."
    : "Disabled: nothing is due. What the shop's program adds is still sent; `postroom pause` holds mail back.";
}
