/** A real WordPress behind a real sshd whose login owns the shop's files, without the connector. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ConnectorParts, connectorStatus } from '../../src-main/boot/connector.ts';
import type { ConnectorOrder, ConnectorRemoval, ConnectorReport } from '../../src-main/contract/connector.ts';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { makeSite, type Site } from '../connector/kit.ts';
import { wordpressFolder } from '../connector/wordpress.ts';
import { type SshServer, startSshd } from './sshd.ts';
import { phpText, writeWpConfig } from './wp-config.ts';

/** of the sshd's own user */
const userId = 61_234;

export interface ConnectorShop {
  sshd: SshServer;
  site: Site;
  /** the login's own folder */
  home: string;
  /** of WordPress */
  folder: string;
  /** the must-use plugins */
  plugins: string;
  /** everything in the plugins' folder, hidden ones as well */
  there(): string[];
  /** what WordPress itself says: whether the connector's hooks are there */
  loads(): Promise<unknown>;
  /** takes everything of the connector away again */
  clear(): void;
  /** files that the login may write */
  own(path: string): void;
  close(): Promise<void>;
}

export async function makeConnectorShop(config: readonly string[] = []): Promise<ConnectorShop> {
  const sshd = await startSshd({ password: 'x1x2x3x4', config });
  const site = await makeSite();
  const home = path.join(sshd.folder, 'home');
  const folder = path.join(home, 'public_html');
  const plugins = path.join(site.content, 'mu-plugins');
  for (const name of ['postroom-connector.php', 'postroom-connector'])
    rmSync(path.join(plugins, name), { recursive: true });
  putWordPress(folder, site.database, site.content);
  const own = (place: string) => void execFileSync('chown', ['-hR', `${userId}:${userId}`, place]);
  chmodSync(path.dirname(site.content), 0o755);
  own(site.content);
  own(folder);
  const there = () => readdirSync(plugins).sort();
  return {
    sshd,
    site,
    home,
    folder,
    plugins,
    there,
    loads: async () => (await site.run([['hooks', 'woocommerce_mail_callback']]))[0],
    clear() {
      for (const name of there())
        if (name !== 'a-woocommerce.php') rmSync(path.join(plugins, name), { recursive: true });
    },
    own,
    close: async () => {
      await site.close();
      await sshd.remove();
    },
  };
}

/** WordPress's own files, with a config that says where the content and the database are. */
export function putWordPress(folder: string, database: ServerDatabase, content: string): void {
  mkdirSync(folder, { recursive: true });
  const from = wordpressFolder();
  const link = (below: string, but: readonly string[]) => {
    mkdirSync(path.join(folder, below), { recursive: true });
    for (const name of readdirSync(path.join(from, below)))
      if (!but.includes(name)) symlinkSync(path.join(from, below, name), path.join(folder, below, name));
  };
  link('', ['wp-content', 'wp-config.php', 'wp-includes']);
  link('wp-includes', ['version.php']);
  // Debian's may be older than what is asked for; the connector itself runs on it, as test/connector shows
  writeFileSync(path.join(folder, 'wp-includes/version.php'), "<?php\n$wp_version = '6.8.3';\n");
  const more = `define( 'WP_CONTENT_DIR', ${phpText(content)} );\n`;
  writeWpConfig(folder, database, { prefix: 'wp_', more });
}

/** What is there, where the login reaches one site alone. */
export async function lookAt(parts: ConnectorParts): Promise<ConnectorReport> {
  const found = await connectorStatus(parts, null);
  if ('folders' in found) throw new Error('several sites');
  return found;
}

export const order = (more: Partial<ConnectorOrder> = {}): ConnectorOrder => ({
  folder: null,
  replaceChanged: false,
  anyPhp: false,
  ...more,
});
export const removal = (more: Partial<ConnectorRemoval> = {}): ConnectorRemoval => ({
  folder: null,
  replaceChanged: false,
  tables: false,
  withWaiting: false,
  ...more,
});
