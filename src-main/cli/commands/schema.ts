import type { Command } from 'commander';
import type { SchemaReport } from '../../contract/desk.ts';
import type { Profile } from '../../contract/profile.ts';
import { holdsMailTypes } from '../../contract/status.ts';
import { exits } from '../exit.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { plain, safeJson } from '../text.ts';
import { count } from '../times.ts';

const help = `
Without --apply nothing is changed: the statements that would run are printed, and the exit code is 3 when
something lacks. With --apply they run, and settings of the config file that the table lacks are stored in it.
A shop whose queue is a table of its own needs none of them: they are offered, so that consoles can share the cap.`;

export function schemaCommand(program: Command, tools: Tools): void {
  withCommon(program.command('schema').summary('which tables lack; --apply installs them'))
    .option('--apply', 'create what lacks; what is there stays as it is')
    .addHelpText('after', help)
    .action(async (options: { apply?: boolean }, command: Command) => {
      const common = readCommon(command);
      const { io } = tools;
      const apply = options.apply ?? false;
      await withShop(tools, common, async (shop) => {
        const report = await shop.desk.schema(apply);
        if (common.json) await io.data(safeJson({ ...report, applied: apply }));
        else {
          for (const line of tableWords(report, apply, shop.profile)) io.say(line);
          for (const statement of apply ? [] : report.statements)
            await io.data(`${statement.trim().replace(/;?$/, '')};`);
        }
        if (!apply && !report.complete) tools.exit = exits.unreachable;
      });
    });
}

/** What lacks, or what was made, in plain words. */
export function tableWords(report: SchemaReport, applied: boolean, profile: Profile): string[] {
  const offered = !holdsMailTypes(profile.shape);
  if (report.statements.length === 0)
    return [
      `All ${count(report.tables.length, 'table')} are complete.`,
      ...(offered ? unusedWords(profile) : []),
    ];
  const lines = report.tables.flatMap((table) => {
    const name = plain(table.name);
    if (!table.exists) return [`${name}: ${applied ? 'made' : offered ? 'would be added' : 'is missing'}`];
    const parts = [
      ...table.missingColumns.map((column) => `column ${column}`),
      ...table.missingKeys.map((key) => `key ${key}`),
    ];
    return parts.length ? [`${name}: ${applied ? 'added' : 'lacks'} ${parts.join(', ')}`] : [];
  });
  if (offered) return [...(applied ? [] : [offerWords(profile)]), ...lines, ...offerEnd(applied, profile)];
  lines.push(
    applied
      ? 'The tables are complete now.'
      : 'Run `postroom schema --apply` to install what lacks, or have these statements run by whoever may:',
  );
  return lines;
}

/** What the tables are for where the queue itself is the shop's own. */
function offerWords({ shape }: Profile): string {
  return `The queue is the shop's own table (${shape}) and stays as it is. Ledger, pace and log are kept by this console alone; for these, tables would be added beside it, so that all consoles share the cap and know of mail in doubt:`;
}

function offerEnd(applied: boolean, profile: Profile): string[] {
  const unused = unusedWords(profile);
  const next = unused.length > 0 ? '' : ' They are used from the next connection on';
  if (!applied)
    return [
      `Run \`postroom schema --apply\` to add them.${next ? `${next}; history, limits, settings and mail in doubt move into them then.` : ''}`,
      ...unused,
    ];
  return [
    `The tables are complete now.${next ? `${next}; a console that runs has to be started again.` : ''}`,
    ...unused,
  ];
}

function unusedWords({ layout }: Profile): string[] {
  return layout.books === 'console'
    ? ['They are not used while layout.books in the config file is "console".']
    : [];
}
