import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import envPaths from 'env-paths';
import { isFileDatabase, type Profile } from '../contract/profile.ts';
import { withHome } from './config.ts';

/**
 * The state folder of a shop: the one that was asked for, else a sub-folder of the platform's data folder. Its name holds
 * the name and the coordinates of the tables: two shops of one name never share a journal.
 */
export function stateFolder(asked: string | undefined, profile: Profile): string {
  if (asked !== undefined) return path.resolve(withHome(asked));
  return path.join(envPaths('postroom', { suffix: '' }).data || homedir(), folderName(profile));
}

export function folderName(profile: Profile): string {
  const { database, ssh } = profile;
  const coordinates = isFileDatabase(database)
    ? [database.file, database.tablePrefix]
    : [
        ssh ? [ssh.host, ssh.port] : null,
        database.socketPath ?? [database.host, database.port],
        database.database,
        database.tablePrefix,
      ];
  const hash = createHash('sha256').update(JSON.stringify(coordinates)).digest('hex').slice(0, 8);
  return `${slug(profile.name)}-${hash}`;
}

/** `Studio Ú & Synové` -> `studio-u-synove` */
function slug(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return (
    ascii
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40) || 'shop'
  );
}
