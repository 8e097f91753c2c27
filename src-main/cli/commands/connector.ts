/** connector status, install, remove: the must-use plugin that puts a WooCommerce shop's mail into the queue. */
import type { Command } from 'commander';
import type { ConnectorReport, ConnectorState, ConnectorTables } from '../../contract/connector.ts';
import { readServerParts } from '../config.ts';
import { exits } from '../exit.ts';
import type { Tools } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { factLines, plain, safeJson } from '../text.ts';
import { count } from '../times.ts';

const help = `
The config file needs its ssh part only; with a database part, the site whose wp-config.php names that database is
taken where the login reaches several. Files that somebody changed in the shop are named and kept, unless
--replace-changed says otherwise. docs/connector.md says what is touched and what stays.`;
const statusHelp = `${help}
Exit code 0 when it is there and whole, 3 when it is not.`;

const folderOption = [
  '--folder <path>',
  'folder of WordPress on the server, where there are several',
] as const;

interface Options {
  folder?: string;
  replaceChanged?: boolean;
  anyPhp?: boolean;
  tables?: boolean;
  withWaitingMail?: boolean;
}

export function connectorCommand(program: Command, tools: Tools): void {
  const group = program
    .command('connector')
    .summary('the plugin in the shop: status, install, remove')
    .description('The must-use plugin that puts a WooCommerce shop’s mail into the queue.')
    .enablePositionalOptions();
  withCommon(group.command('status').summary('what of it is in the shop; changes nothing'))
    .option(...folderOption)
    .addHelpText('after', statusHelp)
    .action((options: Options, command: Command) => status(tools, command, options));
  withCommon(
    group.command('install').summary('put it into the shop, or this version in place of an older one'),
  )
    .option(...folderOption)
    .option('--replace-changed', 'also replace files that were changed by hand')
    .option(
      '--any-php',
      'although the server’s command line has an older PHP: the web server has a newer one',
    )
    .addHelpText('after', help)
    .action((options: Options, command: Command) => install(tools, command, options));
  withCommon(group.command('remove').summary('take it out of the shop; the tables stay'))
    .option(...folderOption)
    .option('--replace-changed', 'also delete files that were changed by hand')
    .option('--tables', 'also delete the queue’s tables with all that is in them, and the attachments')
    .option('--with-waiting-mail', 'with --tables: even while mail waits, which then never leaves')
    .addHelpText('after', help)
    .action((options: Options, command: Command) => remove(tools, command, options));
}

async function status(tools: Tools, command: Command, options: Options): Promise<void> {
  const { io } = tools;
  const { parts, json, work } = await start(tools, command);
  const { connectorStatus } = await import('../../boot.ts');
  const found = await connectorStatus(parts, options.folder ?? null, work);
  io.status('');
  if ('folders' in found) {
    tools.exit = exits.unreachable;
    if (json) return io.data(safeJson(found));
    io.say('This login reaches several WordPress sites. Name one of them with --folder:');
    for (const folder of found.folders) await io.data(plain(folder));
    return;
  }
  if (found.state === 'absent' || found.state === 'partial') tools.exit = exits.unreachable;
  if (json) return io.data(safeJson(found));
  for (const line of reportLines(found)) await io.data(line);
}

async function install(tools: Tools, command: Command, options: Options): Promise<void> {
  const { io } = tools;
  const { parts, json, work } = await start(tools, command);
  const { installConnector } = await import('../../boot.ts');
  const { report, installed } = await installConnector(
    parts,
    {
      folder: options.folder ?? null,
      replaceChanged: options.replaceChanged ?? false,
      anyPhp: options.anyPhp ?? false,
    },
    work,
  );
  io.status('');
  if (json) return io.data(safeJson({ ...report, installed }));
  for (const note of report.notes) io.say(`Note: ${plain(note)}`);
  io.say(
    installed
      ? `The connector ${report.version} is in ${plain(report.site.plugins)}. The shop queues nothing before \`postroom enable\`.`
      : `The connector ${report.version} is in ${plain(report.site.plugins)} already; nothing was changed.`,
  );
}

async function remove(tools: Tools, command: Command, options: Options): Promise<void> {
  const { io } = tools;
  const { parts, json, work } = await start(tools, command);
  const { removeConnector } = await import('../../boot.ts');
  const done = await removeConnector(
    parts,
    {
      folder: options.folder ?? null,
      replaceChanged: options.replaceChanged ?? false,
      tables: options.tables ?? false,
      withWaiting: options.withWaitingMail ?? false,
    },
    {
      ...work,
      onTables: (tables) => {
        for (const line of json ? [] : tableLines(tables)) io.say(line);
      },
    },
  );
  io.status('');
  if (json) {
    const { report, ...rest } = done;
    return io.data(safeJson({ ...report, ...rest }));
  }
  const { plugins } = done.report.site;
  io.say(
    done.removed
      ? `The connector is gone from ${plain(plugins)}. The shop sends its mail itself from now on.`
      : `There was no connector in ${plain(plugins)}.`,
  );
  if (done.dropped) io.say(`${count(done.dropped.length, 'table')} deleted.`);
  for (const note of done.report.notes.filter((one) => one.startsWith('What was put aside')))
    io.say(`Note: ${plain(note)}`);
  for (const stays of done.stays) io.say(`Stays: ${plain(stays)}`);
}

async function start(tools: Tools, command: Command) {
  const { io } = tools;
  const own = readCommon(command);
  // the options before `connector` are two levels up
  const outer = command.parent?.parent?.opts<{ config?: string; json?: boolean }>() ?? {};
  const parts = await readServerParts(own.config ?? outer.config, io.env);
  const signal = tools.interrupt.settling();
  return {
    parts,
    json: own.json || (outer.json ?? false),
    work: { signal, onProgress: (words: string) => io.status(plain(words)) },
  };
}

const states: Record<ConnectorState, string> = {
  absent: 'not installed',
  partial: 'not whole: WordPress loads nothing of it, or not all; `postroom connector install` puts it right',
  current: 'installed, as this console brings it',
  older: 'installed, another version than this console brings; `postroom connector install` updates it',
  newer: 'installed, newer than this console',
};
const how = { changed: 'changed', added: 'added', link: 'no plain file', unknown: 'of an unknown version' };

function reportLines(report: ConnectorReport): string[] {
  const { site } = report;
  const php = site.php && `${site.php.version} (${site.php.of === 'web' ? '.htaccess' : 'command line'})`;
  const facts: (readonly [string, string | null])[] = [
    ['connector', states[report.state]],
    ['version', report.version],
    ['offered', report.offered],
    ['folder', site.folder],
    ['plugins', site.plugins],
    ['WordPress', site.wordpress ?? 'not known'],
    ['WooCommerce', site.woocommerce ?? 'not found'],
    ['PHP', php ?? 'not known'],
    ...report.odd.map((odd) => ['by hand', `${odd.name}: ${how[odd.how]}`] as const),
    ...report.missing.map((name) => ['missing', name] as const),
    ...report.leftovers.map((name) => ['left over', `${name}, of an interrupted run`] as const),
    ...report.obstacles.map(({ words }) => ['obstacle', words] as const),
    ...report.notes.map((note) => ['note', note] as const),
  ];
  return factLines(facts.flatMap(([name, value]) => (value === null ? [] : [[name, plain(value)] as const])));
}

function tableLines({ tables }: ConnectorTables): string[] {
  return tables.map(({ name, rows }) => `Will be deleted: ${plain(name)} with ${count(rows, 'row')}`);
}
