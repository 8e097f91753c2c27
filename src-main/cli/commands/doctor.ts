import type { Command } from 'commander';
import type { OpenedShop } from '../../boot.ts';
import type { DoctorStep, TestMailReport } from '../../contract/desk.ts';
import { type Caps, capsBelow, type HostLimits } from '../../contract/host-limits.ts';
import { readConfig } from '../config.ts';
import { exits } from '../exit.ts';
import { type Tools, withShop } from '../open.ts';
import { type Common, readCommon, wholeNumber, withCommon } from '../options.ts';
import type { Color, Paint } from '../paint.ts';
import { pad, plain, safeJson } from '../text.ts';

const help = `
Exit code 0 when no step is red, 3 when one is, 1 when the test mail failed.
--test-mail puts one mail into the queue and drains until it is through; other mail that waits leaves meanwhile, too.
--host-limit-... set the limits per minute, hour and day below what the host allows, with room for mail that does not
go through the queue. Where hosts state them: cPanel "Max hourly emails" (often 200 to 500), Plesk and DirectAdmin in the
outgoing mail settings, Microsoft 365 30 a minute and 10,000 a day, Google Workspace 2,000 a day. Ask the host if in doubt.`;

interface Options {
  testMail?: string;
  hostLimitMinute?: number;
  hostLimitHour?: number;
  hostLimitDay?: number;
}

export function doctorCommand(program: Command, tools: Tools): void {
  withCommon(
    program.command('doctor').summary('check the whole way: ssh, database, tables, files, mail server'),
  )
    .option('--test-mail <address>', 'then send a test mail through the queue')
    .option('--host-limit-minute <n>', 'mails a minute that the host allows', wholeNumber(1, 10_000_000))
    .option('--host-limit-hour <n>', 'mails an hour that the host allows', wholeNumber(1, 10_000_000))
    .option('--host-limit-day <n>', 'mails a day that the host allows', wholeNumber(1, 10_000_000))
    .addHelpText('after', help)
    .action(async (options: Options, command: Command) => {
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
      if (red) tools.exit = exits.unreachable;
      const more = red ? {} : await further(tools, common, options);
      if (common.json) await io.data(safeJson({ ok: !red, steps, ...more }));
      async function print(step: DoctorStep): Promise<void> {
        for (const line of stepLines(step, io.paintData)) await io.data(line);
      }
    });
}

/** What needs a way without a red step: the host's limits, a test mail. */
async function further(
  tools: Tools,
  common: Common,
  options: Options,
): Promise<{ caps?: Caps; test_mail?: TestMailReport }> {
  const limits: HostLimits = {
    minute: options.hostLimitMinute ?? null,
    hour: options.hostLimitHour ?? null,
    day: options.hostLimitDay ?? null,
  };
  const stated = Object.values(limits).some((limit) => limit !== null);
  const { testMail } = options;
  if (!stated && testMail === undefined) {
    if (!common.json) tools.io.say(askForLimits);
    return {};
  }
  const signal = testMail === undefined ? undefined : tools.interrupt.settling();
  return withShop(tools, common, async (shop) => {
    const caps = stated ? await saveCaps(shop, tools, limits) : undefined;
    const report = testMail === undefined ? undefined : await testMailTo(shop, tools, testMail, signal);
    return { ...(caps ? { caps } : {}), ...(report ? { test_mail: report } : {}) };
  });
}

const askForLimits =
  'Last: ask your host how many mails it allows, and say it with --host-limit-hour (or -minute, -day): Postroom then stays below.';

async function saveCaps(shop: OpenedShop, { io }: Tools, limits: HostLimits): Promise<Caps> {
  const { settings } = await shop.desk.status();
  const caps = capsBelow(limits, settings);
  await shop.desk.saveSettings(caps);
  const hour = caps.rate_per_hour === 0 ? 'no limit an hour' : `${caps.rate_per_hour} recipients an hour`;
  const day = caps.rate_per_day === 0 ? 'no limit a day' : `${caps.rate_per_day} recipients a day`;
  io.say(`Saved: at most ${caps.rate_per_minute} mails a minute, ${hour}, ${day}.`);
  return caps;
}

async function testMailTo(
  shop: OpenedShop,
  tools: Tools,
  address: string,
  signal: AbortSignal | undefined,
): Promise<TestMailReport> {
  const { io } = tools;
  await shop.startDraining();
  const report = await shop.testMail(address, {
    ...(signal ? { signal } : {}),
    onProgress: (words) => io.status(plain(words)),
  });
  io.status('');
  if (!report.ok) tools.exit = exits.mailFailed;
  io.say(
    report.ok
      ? `The test mail was taken after ${report.tookS} s: ${plain(report.words)}. Look whether it arrives.`
      : `The test mail failed: ${plain(report.words)}`,
  );
  return report;
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
