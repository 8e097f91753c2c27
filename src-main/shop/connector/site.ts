/** Which WordPress the connector is put into, and whether it can run there. Reads only. */
import path from 'node:path';
import type { ConnectorChoice, ConnectorSite } from '../../contract/connector.ts';
import { PostroomError } from '../../contract/errors.ts';
import { findSiteFolders, type SiteFolder } from '../sites/find-folders.ts';
import { openRemoteFiles, type RemoteFiles } from '../sites/remote-files.ts';
import { foldersOf, prefixOf, readSiteConfig } from '../sites/site-config.ts';
import { constant, type WpConfig } from '../sites/wp-config.ts';
import type { SshSession } from '../ssh-types.ts';

/** bytes: version.php and woocommerce.php have 3 KB, an .htaccess of security plugins 100 */
const smallFile = 256 * 1024;

/** What the profile says of the shop's database: by it one of several sites is recognised. */
export interface MeantDatabase {
  database: string;
  prefix: string;
}

export interface FindOptions {
  folder: string | null;
  meant: MeantDatabase | null;
  signal: AbortSignal;
  onProgress: (words: string) => void;
}

export interface ChosenSite {
  site: ConnectorSite;
  notes: string[];
}

/**
 * The site in `folder`; without one the only site that the login reaches, or of several the only one whose wp-config.php names
 * the profile's database and table prefix. Else the folders to choose from.
 * @throws PostroomError `not-found` | `config` | `rights` | `unreachable`
 */
export async function findSite(ssh: SshSession, options: FindOptions): Promise<ChosenSite | ConnectorChoice> {
  const files = await openRemoteFiles(ssh);
  try {
    const places =
      options.folder === null ? await search(files, options) : [await named(files, options.folder)];
    const read = [];
    for (const place of places) read.push({ place, config: await readSiteConfig(files, place) });
    const meant = read.filter(({ config }) => options.meant && isMeant(config, options.meant));
    const [one, more] = read.length > 1 && meant.length === 1 ? meant : read;
    if (!one)
      throw new PostroomError(
        'not-found',
        'No WordPress was found with this login. If it is there, name its folder: the one with wp-settings.php in it.',
      );
    if (more) return { folders: read.map(({ place }) => place.folder) };
    return await describe(ssh, files, one, options.meant);
  } finally {
    files.close();
  }
}

async function search(files: RemoteFiles, options: FindOptions): Promise<SiteFolder[]> {
  return (await findSiteFolders(files, options)).sites;
}

/** The folder as a person names it, relative to the login's own when it begins with neither `/` nor `~`. */
async function named(files: RemoteFiles, folder: string): Promise<SiteFolder> {
  const real = await files.real(folder.replace(/^~\/?/, '') || '.');
  const names = new Set((real === null ? null : await files.list(real))?.map(({ name }) => name));
  if (real === null || !names.has('wp-settings.php'))
    throw new PostroomError(
      'not-found',
      `${folder} is no folder of a WordPress that this login can see: it has no wp-settings.php.`,
    );
  const at = names.has('wp-config.php') ? real : path.posix.dirname(real);
  return { folder: real, config: path.posix.join(at, 'wp-config.php') };
}

function isMeant(config: WpConfig | null, meant: MeantDatabase): boolean {
  return (
    config !== null && constant(config, 'DB_NAME') === meant.database && prefixOf(config) === meant.prefix
  );
}

async function describe(
  ssh: SshSession,
  files: RemoteFiles,
  { place, config }: { place: SiteFolder; config: WpConfig | null },
  meant: MeantDatabase | null,
): Promise<ChosenSite> {
  for (const name of ['WPMU_PLUGIN_DIR', 'WP_CONTENT_DIR']) {
    const value = config?.constants.get(name)?.[0];
    if (value && value.text === null)
      throw new PostroomError(
        'config',
        `${place.config} sets ${name} in a way that only PHP can read (${value.how}). Copy the connector by hand, as docs/connector.md says.`,
      );
    if (value?.text) break; // the plugins' own folder needs no other
  }
  const { content, plugins } = foldersOf(config, place.folder);
  const above = path.posix.dirname(plugins);
  if ((await files.list(above)) === null)
    throw new PostroomError(
      'rights',
      `The folder ${above} of ${place.folder} cannot be looked into with this login, so nothing can be put there.`,
    );
  const read = async (...parts: string[]) => (await files.read(path.posix.join(...parts), smallFile)) ?? '';
  const wordpress = /\$wp_version\s*=\s*'([^']+)'/.exec(await read(place.folder, 'wp-includes/version.php'));
  const woocommerce = /^[ \t/*#]*Version:\s*(\d[\w.-]*)/m.exec(
    await read(content, 'plugins/woocommerce/woocommerce.php'),
  );
  const notes: string[] = [];
  if (config === null)
    notes.push(
      `${place.config} cannot be read with this login: whether its folders lie elsewhere is not known.`,
    );
  else if (meant && constant(config, 'DB_NAME') !== null && !isMeant(config, meant))
    notes.push(
      `This WordPress uses the database ${constant(config, 'DB_NAME')} with the prefix ${prefixOf(config)}, the console ${meant.database} with ${meant.prefix}: its mail would be queued where this console does not look.`,
    );
  return {
    site: {
      folder: place.folder,
      plugins,
      wordpress: wordpress?.[1] ?? null,
      woocommerce: woocommerce?.[1] ?? null,
      php: (await webPhp(files, place.folder)) ?? (await shellPhp(ssh)),
    },
    notes,
  };
}

/** What hostings write into .htaccess when their panel chooses a PHP: `ea-php82`, `alt-php82`, `php82-fcgi`, `php8.2-fpm`. */
async function webPhp(files: RemoteFiles, folder: string): Promise<ConnectorSite['php']> {
  const text = await files.read(path.posix.join(folder, '.htaccess'), smallFile);
  const lines = text
    ?.split('\n')
    .filter((line) => /^\s*(AddHandler|AddType|SetHandler|FCGIWrapper)\b/i.test(line));
  const found = /php-?([578])\.?(\d)(?!\d)/i.exec(lines?.join('\n') ?? '');
  return found ? { version: `${found[1]}.${found[2]}`, of: 'web' } : null;
}

/** A login may run nothing, and a server may have no `php` for it. */
async function shellPhp(ssh: SshSession): Promise<ConnectorSite['php']> {
  try {
    const { stdout } = await ssh.exec('php -v', 8_000);
    const version = /^PHP (\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
    return version ? { version, of: 'shell' } : null;
  } catch {
    return null;
  }
}
