import type { Command } from 'commander';
import type { SchemaReport } from '../../contract/desk.ts';
import { exits } from '../exit.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { plain, safeJson } from '../text.ts';
import { count } from '../times.ts';

const help = `
Without --apply nothing is changed: the statements that would run are printed, and the exit code is 3 when
something lacks. With --apply they run, and settings of the config file that the table lacks are stored in it.`;

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
          for (const line of tableWords(report, apply)) io.say(line);
          for (const statement of apply ? [] : report.statements)
            await io.data(`${statement.trim().replace(/;?$/, '')};`);
        }
        if (!apply && !report.complete) tools.exit = exits.unreachable;
      });
    });
}

/** What lacks, or what was made, in plain words. */
export function tableWords(report: SchemaReport, applied: boolean): string[] {
  if (report.statements.length === 0) return [`All ${count(report.tables.length, 'table')} are complete.`];
  const lines = report.tables.flatMap((table) => {
    const name = plain(table.name);
    if (!table.exists) return [`${name}: ${applied ? 'made' : 'is missing'}`];
    const parts = [
      ...table.missingColumns.map((column) => `column ${column}`),
      ...table.missingKeys.map((key) => `key ${key}`),
    ];
    return parts.length ? [`${name}: ${applied ? 'added' : 'lacks'} ${parts.join(', ')}`] : [];
  });
  lines.push(
    applied
      ? 'The tables are complete now.'
      : 'Run `postroom schema --apply` to install what lacks, or have these statements run by whoever may:',
  );
  return lines;
}
