/** One site's wp-config.php and what it brings in, and the folders and the prefix that follow from it. Reads only. */
import path from 'node:path';
import { readEnvFile } from './env-file.ts';
import type { SiteFolder } from './find-folders.ts';
import type { RemoteFiles } from './remote-files.ts';
import { constant, largestConfig, readWpConfig, type WpConfig } from './wp-config.ts';

/** null when it cannot be read with this login. */
export async function readSiteConfig(
  files: RemoteFiles,
  { config, folder }: SiteFolder,
): Promise<WpConfig | null> {
  const text = await files.read(config, largestConfig);
  if (text === null) return null;
  const at = path.posix.dirname(config);
  // a .env stands beside the config or above the web folder (Bedrock)
  const env =
    (await files.read(path.posix.join(at, '.env'), largestConfig)) ??
    (await files.read(path.posix.join(at, '..', '.env'), largestConfig));
  const inside = path.posix.dirname(at);
  return readWpConfig(text, {
    folder: at,
    env: env === null ? new Map() : readEnvFile(env),
    // what it brings in lies with the site, or beside its web folder; nothing else of the server is read
    read: async (file) => {
      const real = await files.real(path.posix.dirname(file));
      const near = real !== null && [inside, at, folder].some((base) => `${real}/`.startsWith(`${base}/`));
      return near ? files.read(path.posix.join(real, path.posix.basename(file)), largestConfig) : null;
    },
  });
}

/** Where WordPress looks: its content, and the must-use plugins in it unless the config says otherwise. */
export function foldersOf(config: WpConfig | null, folder: string): { content: string; plugins: string } {
  const set = (name: string) => {
    const value = config && constant(config, name);
    return value ? path.posix.resolve(folder, value) : null;
  };
  const content = set('WP_CONTENT_DIR') ?? path.posix.join(folder, 'wp-content');
  return { content, plugins: set('WPMU_PLUGIN_DIR') ?? path.posix.join(content, 'mu-plugins') };
}

/** The prefix of the site's tables; in a network that of its main site. */
export function prefixOf(config: WpConfig | null): string {
  const base = config?.tablePrefix?.text ?? 'wp_';
  const main = Number(config && constant(config, 'BLOG_ID_CURRENT_SITE'));
  return isNetwork(config) && main > 1 ? `${base}${main}_` : base;
}

export const isNetwork = (config: WpConfig | null): boolean =>
  config !== null && ['1', 'true'].includes((constant(config, 'MULTISITE') ?? '').toLowerCase());
