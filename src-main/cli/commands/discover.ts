/** discover: which shops an SSH login reaches, before there is a whole config file. */
import type { Command } from 'commander';
import type { FoundSite } from '../../contract/look.ts';
import { readSshLogin } from '../config.ts';
import type { Tools } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { factLines, plain, safeJson } from '../text.ts';

const help = `
The config file needs its ssh part only. WordPress sites are found by their wp-config.php, which is read and never run;
their passwords are used to ask their databases, and shown nowhere. Nothing is changed.`;

export function discoverCommand(program: Command, tools: Tools): void {
  withCommon(program.command('discover').summary('find the shops that an SSH login reaches'))
    .addHelpText('after', help)
    .action(async (_options, command: Command) => {
      const common = readCommon(command);
      const { io } = tools;
      const login = await readSshLogin(common.config, io.env);
      const { findSites } = await import('../../boot.ts');
      const { signal } = new AbortController(); // an interrupt simply ends it: nothing is in flight
      const found = await findSites(login, { signal, onProgress: (words) => io.status(plain(words)) });
      io.status('');
      for (const { site } of found) {
        if (common.json) await io.data(safeJson(jsonOf(site)));
        else for (const line of [...siteLines(site), '']) await io.data(line);
      }
      if (found.length === 0) io.say('No WordPress was found with this login.');
    });
}

/** What a config file takes over, in its own words. */
function jsonOf(site: FoundSite): Record<string, unknown> {
  const { folder, url, title, database, filesRoot, tables, connector, problem, notes } = site;
  return {
    folder,
    url,
    title,
    database,
    files: { root: filesRoot, via: 'sftp' },
    tables,
    connector,
    problem,
    notes,
  };
}

function siteLines(site: FoundSite): string[] {
  const { database: db, tables, connector } = site;
  const where = db.socketPath ?? `${db.host}:${db.port}`;
  const queue =
    tables === null ? 'not known' : tables ? 'its tables are there' : 'not yet: postroom schema --apply';
  return factLines(
    (
      [
        ['site', [site.title, site.url].filter(Boolean).join(', ') || site.folder],
        ['folder', site.folder],
        [
          'database',
          `${db.database} at ${where}, user ${db.user}, ${db.hasPassword ? 'password in wp-config.php' : 'no password'}`,
        ],
        ['prefix', db.tablePrefix],
        ['attachments', site.filesRoot],
        ['queue', queue],
        ['connector', connector === null ? 'not known' : connector ? 'installed' : 'not installed'],
        ...(site.problem ? [['problem', site.problem] as const] : []),
        ...site.notes.map((note) => ['note', note] as const),
      ] as const
    ).map(([name, value]) => [name, plain(value)] as const),
  );
}
