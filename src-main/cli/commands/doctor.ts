import type { Command } from 'commander';
import type { DoctorStep } from '../../contract/desk.ts';
import { readConfig } from '../config.ts';
import { exits } from '../exit.ts';
import type { Tools } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import type { Color, Paint } from '../paint.ts';
import { pad, plain, safeJson } from '../text.ts';

const help = `
Exit code 0 when no step is red, 3 when one is.`;

export function doctorCommand(program: Command, tools: Tools): void {
  withCommon(
    program.command('doctor').summary('check the whole way: ssh, database, tables, files, mail server'),
  )
    .addHelpText('after', help)
    .action(async (_options, command: Command) => {
      const common = readCommon(command);
      const { io } = tools;
      const profile = await readConfig(common.config, io.env);
      // not by way of an open shop: one that cannot be opened is what the doctor is for
      const { examineShop } = await import('../../boot.ts');
      // steps are printed as they are done: a dead server takes its time
      const shown: Promise<void>[] = [];
      const steps = await examineShop(profile, (step) => {
        if (!common.json) shown.push(print(step));
      });
      await Promise.all(shown);
      const red = steps.some((step) => step.color === 'red');
      if (common.json) await io.data(safeJson({ ok: !red, steps }));
      if (red) tools.exit = exits.unreachable;
      async function print(step: DoctorStep): Promise<void> {
        for (const line of stepLines(step, io.paintData)) await io.data(line);
      }
    });
}

const colors: Record<DoctorStep['color'], Color> = {
  green: 'green',
  amber: 'yellow',
  red: 'red',
  grey: 'grey',
};
const words: Record<DoctorStep['color'], string> = {
  green: 'good',
  amber: 'careful',
  red: 'bad',
  grey: 'skipped',
};

/** `good     database       12 ms  10.11.14-MariaDB`, the advice below it. */
export function stepLines(step: DoctorStep, paint: Paint): string[] {
  const word = paint(colors[step.color], pad(words[step.color], 8));
  const line = `${word} ${pad(plain(step.title), 31)} ${pad(`${Math.round(step.ms)} ms`, 9, 'right')}  ${plain(step.found)}`;
  return step.advice ? [line.trimEnd(), `${' '.repeat(9)}-> ${plain(step.advice)}`] : [line.trimEnd()];
}
