import { type Command, Option } from 'commander';
import { logQuery } from '../../contract/desk.ts';
import { type LogLevel, type LogLine, logLevels } from '../../contract/rows.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import type { Color, Paint } from '../paint.ts';
import { pad, plain, safeJson } from '../text.ts';
import { localTime } from '../times.ts';

/** lines shown, as many as the window shows at first */
const shown = 200;

export function logCommand(program: Command, tools: Tools): void {
  const { io } = tools;
  withCommon(program.command('log').summary(`the last ${shown} lines of the log, the newest last`))
    .addOption(new Option('--level <level>', 'only lines of this level').choices(logLevels))
    .action(async (options: { level?: LogLevel }, command: Command) => {
      const common = readCommon(command);
      await withShop(tools, common, async (shop) => {
        const query = logQuery.parse({ level: options.level, limit: shown });
        const lines = (await shop.desk.log(query)).toReversed();
        for (const line of lines) await io.data(common.json ? safeJson(line) : logText(line, io.paintData));
        if (lines.length === 0) io.say('No such lines.');
      });
    });
}

const colors: Partial<Record<LogLevel, Color>> = { error: 'red', warning: 'yellow', debug: 'grey' };

export function logText(line: LogLine, paint: Paint): string {
  const color = colors[line.level];
  const level = pad(line.level, 7);
  return `${localTime(line.created_at)}  ${color ? paint(color, level) : level}  ${plain(line.message)}`;
}
