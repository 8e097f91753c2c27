/** Finds the WordPress sites of a server by an SSH login alone, and what a profile needs to know of each. Changes nothing. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { toWireError } from '../../contract/errors.ts';
import type { FoundSite } from '../../contract/look.ts';
import type { SshLogin } from '../../contract/profile.ts';
import { openSsh } from '../ssh.ts';
import type { SshSession } from '../ssh-types.ts';
import { askDatabase, type DatabaseLogin, type SiteFacts } from './ask-database.ts';
import { readDbHost } from './db-host.ts';
import { findSiteFolders, type SiteFolder } from './find-folders.ts';
import { openRemoteFiles, type RemoteFiles } from './remote-files.ts';
import { foldersOf, isNetwork, prefixOf, readSiteConfig } from './site-config.ts';
import { type ConfigValue, constant, type WpConfig } from './wp-config.ts';

/** The connector's loader among the must-use plugins. */
export const connectorFile = 'postroom-connector.php';
/** folder of the attachments' folders, below the uploads (plan section 5) */
const attachmentFolder = 'studiou-wcmq-attachments';
/** a config may define its login in several branches; which one PHP takes is found out by trying */
const mostLogins = 4;

export interface FindOptions {
  signal: AbortSignal;
  onProgress: (words: string) => void;
}

export interface SiteWithPassword {
  site: FoundSite;
  /** stays with whoever keeps secrets */
  password: string | null;
}

/** @throws PostroomError `unreachable` | `login` | `host-key` | `config` | `rights` for the login; the signal's reason */
export async function findSites(login: SshLogin, options: FindOptions): Promise<SiteWithPassword[]> {
  const { signal, onProgress } = options;
  signal.throwIfAborted();
  const ssh = openSsh(login);
  const cut = () => void ssh.close();
  signal.addEventListener('abort', cut);
  let files: RemoteFiles | null = null;
  try {
    onProgress(`Logging in at ${login.host}`);
    await ssh.connect({ now: true });
    files = await openRemoteFiles(ssh);
    const { sites, complete } = await findSiteFolders(files, options);
    const found: SiteWithPassword[] = [];
    for (const place of sites) {
      signal.throwIfAborted();
      onProgress(`Reading ${place.config}`);
      const one = await describe(ssh, files, place);
      if (!complete) one.site.notes.push('The server has more folders than were looked into.');
      found.push(one);
    }
    return found;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cut);
    files?.close();
    await ssh.close();
  }
}

async function describe(ssh: SshSession, files: RemoteFiles, place: SiteFolder): Promise<SiteWithPassword> {
  const config = await readSiteConfig(files, place);
  const prefix = prefixOf(config);
  const logins = config ? loginsOf(config) : [];
  const [first] = logins;
  let facts: SiteFacts | null = null;
  let login = first ?? null;
  let problem = config ? missingWords(config) : `${place.config} cannot be read with this login.`;
  if (!problem)
    for (const one of logins) {
      try {
        facts = await askDatabase(ssh, one, prefix);
        login = one;
        problem = null;
        break;
      } catch (error) {
        problem ??= toWireError(error).message;
      }
    }
  const { content, plugins } = foldersOf(config, place.folder);
  const uploads = uploadsOf(config, place.folder, content, facts?.uploadPath ?? '');
  return {
    password: login?.password ?? null,
    site: {
      key: randomUUID(),
      folder: place.folder,
      url:
        facts?.url ?? ((config && (constant(config, 'WP_HOME') ?? constant(config, 'WP_SITEURL'))) || null),
      title: facts?.title ?? null,
      database: {
        ...(facts?.way ?? { host: login?.host ?? '127.0.0.1', port: login?.port ?? 3306, socketPath: null }),
        user: login?.user ?? '',
        database: login?.database ?? '',
        tablePrefix: prefix,
        hasPassword: Boolean(login?.password),
      },
      filesRoot: path.posix.join(uploads, attachmentFolder),
      tables: facts?.tables ?? null,
      connector: await hasConnector(files, plugins),
      problem,
      notes: config ? notesOf(config, prefix) : [],
    },
  };
}

/** null where the folder is there and this login may not look into it. */
async function hasConnector(files: RemoteFiles, plugins: string): Promise<boolean | null> {
  const there = await files.list(plugins);
  if (there) return there.some(({ name }) => name === connectorFile);
  const above = await files.list(path.posix.dirname(plugins));
  return above?.some(({ name }) => name === path.posix.basename(plugins)) === false ? false : null;
}

/** The login that the config has, or several where branches define it anew. */
function loginsOf(config: WpConfig): DatabaseLogin[] {
  const branches = Math.min(mostLogins, Math.max(1, config.constants.get('DB_PASSWORD')?.length ?? 1));
  return Array.from({ length: branches }, (_, which) => ({
    ...readDbHost(constant(config, 'DB_HOST', which) ?? 'localhost'),
    user: constant(config, 'DB_USER', which) ?? '',
    password: constant(config, 'DB_PASSWORD', which) ?? '',
    database: constant(config, 'DB_NAME', which) ?? '',
  }));
}

function missingWords(config: WpConfig): string | null {
  const lacking = ['DB_NAME', 'DB_USER'].filter((name) => !constant(config, name));
  return lacking.length === 0
    ? null
    : `Its wp-config.php does not say ${lacking.join(' and ')} in a way that can be read without running it.`;
}

function uploadsOf(config: WpConfig | null, folder: string, content: string, uploadPath: string): string {
  const set = (config && constant(config, 'UPLOADS')) || uploadPath;
  if (!set || set === 'wp-content/uploads') return path.posix.join(content, 'uploads');
  return set.startsWith('/') ? set : path.posix.join(folder, set);
}

function notesOf(config: WpConfig, prefix: string): string[] {
  const notes = [...config.notes];
  const tell = (name: string, value: ConfigValue | null | undefined) => {
    if (value?.how) notes.push(`${name}: ${value.how}.`);
  };
  for (const name of ['DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_HOST'])
    tell(name, config.constants.get(name)?.[0]);
  tell('$table_prefix', config.tablePrefix);
  if ((config.constants.get('DB_PASSWORD')?.length ?? 0) > 1)
    notes.push('wp-config.php has several database logins; the one that works was taken.');
  if (isNetwork(config))
    notes.push(
      `A network of sites: the tables of the main one begin with ${prefix}, those of site 2 with ${prefix}2_.`,
    );
  return notes;
}
