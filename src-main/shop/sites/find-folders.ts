/** Where on a server WordPress lives: a bounded search, the usual places of hostings first. */
import path from 'node:path';
import type { RemoteFiles } from './remote-files.ts';

/** folders that are looked into at most; at 30 ms each a minute */
const mostFolders = 2_000;
/** ms of looking; what was found by then is what there is */
const mostMs = 45_000;
/** below the places that searches start from: ~/domains/shop.example/public_html/eshop is four */
const deepest = 5;
/** folders read at a time: one round trip each, and a shared host allows few at once */
const atATime = 4;
export const mostSites = 50;

/** What no site is found in, and what is large. */
const skipped = new Set([
  ...['node_modules', 'wp-content', 'wp-includes', 'wp-admin', 'vendor', 'cache', 'caches', 'tmp', 'temp'],
  ...[
    'logs',
    'log',
    'mail',
    'maildir',
    'backup',
    'backups',
    'etc',
    'ssl',
    'cgi-bin',
    'perl5',
    'proc',
    'sys',
    'dev',
  ],
  ...[
    '.git',
    '.svn',
    '.cache',
    '.npm',
    '.composer',
    '.trash',
    '.wp-cli',
    '.cpanel',
    '.ssh',
    '.config',
    '.local',
  ],
]);

/** Where hostings put sites, below the login's folder and from the root. Looked into before everything else. */
const usualBelowHome = [
  ...['public_html', 'www', 'htdocs', 'html', 'httpdocs', 'web', 'public', 'site', 'sites', 'domains'],
  ...['subdomains', 'apps', 'webapps', 'wordpress', 'subdom', 'webspace', 'private_html', 'current'],
];
const usualFromRoot = [
  '/var/www',
  '/srv/www',
  '/srv',
  '/usr/share/nginx',
  '/www',
  '/web',
  '/home',
  '/opt/bitnami',
];

/** A folder with a wp-config.php that belongs to a WordPress. */
export interface SiteFolder {
  /** folder of WordPress itself */
  folder: string;
  /** the config file: in that folder, or one above it, as WordPress allows */
  config: string;
}

export async function findSiteFolders(
  files: RemoteFiles,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (words: string) => void },
): Promise<{ sites: SiteFolder[]; complete: boolean }> {
  const search = new Search(files, signal, onProgress);
  const home = await files.home();
  await search.from([home, ...usualBelowHome.map((name) => path.posix.join(home, name))], deepest);
  // a login with the whole machine in sight: only where sites are usually
  if (search.sites.length === 0) await search.from(usualFromRoot, deepest - 1);
  return { sites: search.sites, complete: search.complete };
}

class Search {
  readonly sites: SiteFolder[] = [];
  complete = true;
  private readonly seen = new Set<string>();
  private looked = 0;
  private readonly until = performance.now() + mostMs;
  private readonly files: RemoteFiles;
  private readonly signal: AbortSignal;
  private readonly onProgress: (words: string) => void;

  constructor(files: RemoteFiles, signal: AbortSignal, onProgress: (words: string) => void) {
    this.files = files;
    this.signal = signal;
    this.onProgress = onProgress;
  }

  /** Breadth first, so that a deep folder of somebody's photos does not hide the next site. */
  async from(starts: readonly string[], depth: number): Promise<void> {
    let level = [...starts];
    for (let down = 0; down <= depth && level.length > 0; down += 1) {
      const next: string[] = [];
      for (let at = 0; at < level.length; at += atATime) {
        const below = await Promise.all(level.slice(at, at + atATime).map((folder) => this.look(folder)));
        next.push(...below.flat());
      }
      level = next;
    }
  }

  /** Folders below that are worth a look. */
  private async look(folder: string): Promise<string[]> {
    this.signal.throwIfAborted();
    if (this.looked >= mostFolders || performance.now() > this.until || this.sites.length >= mostSites) {
      this.complete = false;
      return [];
    }
    // the same place by another name, or a circle of links
    const real = await this.files.real(folder);
    if (real === null || this.seen.has(real)) return [];
    this.seen.add(real);
    this.looked += 1;
    this.onProgress(`Looking into ${real}`);
    const entries = await this.files.list(real);
    if (!entries) return [];
    const names = new Set(entries.map(({ name }) => name));
    if (names.has('wp-settings.php') && (await this.note(real, names))) return [];
    return entries
      .filter(({ name, kind }) => kind !== 'file' && kind !== 'other' && !skipped.has(name.toLowerCase()))
      .filter(({ name }) => name !== '.' && name !== '..')
      .map(({ name }) => path.posix.join(real, name));
  }

  private async note(folder: string, names: ReadonlySet<string>): Promise<boolean> {
    if (names.has('wp-config.php')) {
      this.sites.push({ folder, config: path.posix.join(folder, 'wp-config.php') });
      return true;
    }
    // WordPress also looks one folder above, unless another WordPress is installed there (wp-load.php)
    const above = path.posix.dirname(folder);
    const entries = await this.files.list(above);
    const there = new Set(entries?.map(({ name }) => name));
    if (!there.has('wp-config.php') || there.has('wp-settings.php')) return false;
    this.sites.push({ folder, config: path.posix.join(above, 'wp-config.php') });
    return true;
  }
}
