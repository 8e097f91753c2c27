/** Finding shops by an SSH login alone, on a real sshd with real WordPress config files and a real MariaDB behind it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerDatabase } from '../../../src-main/contract/profile.ts';
import { openPlace } from '../../../src-main/queue/place.ts';
import { applySchema } from '../../../src-main/queue/schema.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { connectorFile, findSites } from '../../../src-main/shop/sites/find-sites.ts';
import { type MariadbServer, makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import { type SshServer, startSshd } from '../../support/sshd.ts';

const wordpress = path.resolve(import.meta.dirname, '../../../out/debian/usr/share/wordpress');
const sample = () => readFileSync(path.join(wordpress, 'wp-config-sample.php'), 'utf8');
const userId = 61_234;
let maria: MariadbServer;
let sshd: SshServer;
let home: string;

const look = (server = sshd, change = {}) => {
  const told: string[] = [];
  return findSites(server.login(change), {
    signal: new AbortController().signal,
    onProgress: (words) => told.push(words),
  }).then((found) => ({ found, told }));
};

/** A WordPress by its own files, as far as anybody looks at them. */
function putSite(folder: string, config: string | null): void {
  mkdirSync(path.join(folder, 'wp-content/mu-plugins'), { recursive: true });
  for (const file of ['wp-settings.php', 'wp-load.php'])
    cpSync(path.join(wordpress, file), path.join(folder, file));
  if (config !== null) writeFileSync(path.join(folder, 'wp-config.php'), config);
}

/** As it stands between single quotes, in PHP and in SQL. */
const literal = (text: string | null) => String(text ?? '').replace(/[\\']/g, '\\$&');

/** WordPress's own sample with a login in it, as its installer writes it. */
function configFor(database: ServerDatabase, host: string, prefix = 'wp_'): string {
  return sample()
    .replace('database_name_here', literal(database.database))
    .replace('username_here', literal(database.user))
    .replace('password_here', literal(database.password))
    .replace('localhost', host)
    .replace("'wp_'", `'${prefix}'`);
}

async function putOptions(database: ServerDatabase, prefix: string, options: Record<string, string>) {
  const db = openMysql(database);
  await db.run(
    `CREATE TABLE ${prefix}options (option_id BIGINT AUTO_INCREMENT PRIMARY KEY, option_name VARCHAR(191), option_value LONGTEXT)`,
  );
  for (const [name, value] of Object.entries(options))
    await db.run(`INSERT INTO ${prefix}options (option_name, option_value) VALUES (?, ?)`, [name, value]);
  await db.close();
}

beforeAll(async () => {
  maria = await sharedMariadb();
  sshd = await startSshd({ password: 'Tajné heslo 7' });
  home = path.join(sshd.folder, 'home');
});
afterAll(() => sshd?.remove());

describe('on a shared host', () => {
  let shop: ServerDatabase;
  beforeAll(async () => {
    shop = await makeDatabase(maria);
    await putOptions(shop, 'shop_', { home: 'https://shop.example', blogname: 'Studio Ú & Synové' });
    const db = openMysql(shop);
    await applySchema(await openPlace(db, 'shop_'));
    await db.close();
    putSite(path.join(home, 'public_html'), configFor(shop, `127.0.0.1:${shop.port}`, 'shop_'));
    writeFileSync(path.join(home, 'public_html/wp-content/mu-plugins', connectorFile), '<?php');

    const second = await makeDatabase(maria);
    await putOptions(second, 'wp_', { siteurl: 'https://second.example', upload_path: 'media' });
    // the config one folder above, and the server's socket in place of a port, where MySQL knows the user as one of localhost
    chmodSync(path.dirname(maria.socket), 0o711);
    await maria.admin(`CREATE USER '${second.user}'@'localhost' IDENTIFIED BY '${literal(second.password)}'`);
    await maria.admin(`GRANT ALL ON \`${second.database}\`.* TO '${second.user}'@'localhost'`);
    putSite(path.join(home, 'domains/second.example/public_html/wp'), null);
    writeFileSync(
      path.join(home, 'domains/second.example/public_html/wp-config.php'),
      configFor(second, `localhost:${maria.socket}`),
    );

    const old = await makeDatabase(maria);
    putSite(path.join(home, 'old'), configFor({ ...old, password: 'wrong' }, `127.0.0.1:${old.port}`));

    for (let n = 0; n < 300; n += 1) mkdirSync(path.join(home, `photos/album-${n}`), { recursive: true });
    symlinkSync(home, path.join(home, 'photos/circle'));
    symlinkSync(path.join(home, 'public_html'), path.join(home, 'www'));
    mkdirSync(path.join(home, 'locked/public_html'), { recursive: true });
    chmodSync(path.join(home, 'locked'), 0o700);
    execFileSync('chown', ['-hR', `${userId}:${userId}`, home]);
    chownSync(path.join(home, 'locked'), 0, 0);
  });

  it('finds each site once, with all that a profile needs and no password in it', async () => {
    const { found, told } = await look();
    const sites = found.map(({ site }) => site).sort((a, b) => a.folder.localeCompare(b.folder));
    expect(sites.map(({ folder }) => path.relative(home, folder))).toEqual([
      'domains/second.example/public_html/wp',
      'old',
      'public_html',
    ]);
    const main = sites[2];
    expect(main).toMatchObject({
      url: 'https://shop.example',
      title: 'Studio Ú & Synové',
      database: {
        host: '127.0.0.1',
        port: shop.port,
        socketPath: null,
        user: shop.user,
        database: shop.database,
        tablePrefix: 'shop_',
        hasPassword: true,
      },
      filesRoot: path.join(home, 'public_html/wp-content/uploads/studiou-wcmq-attachments'),
      tables: true,
      connector: true,
      problem: null,
      notes: [],
    });
    expect(found.find(({ site }) => site === main)?.password).toBe(shop.password);
    expect(JSON.stringify(sites)).not.toContain(shop.password);
    expect(told.length).toBeGreaterThan(10);
  });

  it('reaches a database by its socket, and knows uploads that lie elsewhere', async () => {
    const { found } = await look();
    const site = found.find(({ site: one }) => one.folder.includes('second'))?.site;
    expect(site).toMatchObject({
      url: 'https://second.example',
      database: { socketPath: maria.socket },
      tables: false,
      connector: false,
      problem: null,
    });
    expect(site?.filesRoot).toBe(
      path.join(home, 'domains/second.example/public_html/wp/media/studiou-wcmq-attachments'),
    );
  });

  it('still offers a site whose database refuses, and says why', async () => {
    const { found } = await look();
    expect(found.find(({ site }) => site.folder.endsWith('/old'))?.site).toMatchObject({
      tables: null,
      problem: expect.stringMatching(/refuse|password/i),
      database: { tablePrefix: 'wp_', hasPassword: true },
    });
  });

  it('is stopped at once, and leaves no connection', async () => {
    const stop = new AbortController();
    const began = performance.now();
    const looking = findSites(sshd.login(), {
      signal: stop.signal,
      onProgress: (words) => words.includes('photos') && stop.abort(),
    });
    await expect(looking).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(8_000);
    const ended = sshd.log().match(/Disconnected from|Connection closed|Received disconnect/g)?.length ?? 0;
    expect(ended).toBeGreaterThan(0);
  });
});

it('reads by a shell where the login has no SFTP, and says when it has neither', async () => {
  const server = await startSshd({ password: 'x1x2x3x4', config: ['Subsystem other /bin/false'] });
  try {
    const database = await makeDatabase(maria);
    await putOptions(database, 'wp_', { home: 'https://shell.example' });
    const folder = path.join(server.folder, "home/it's my shop");
    putSite(folder, configFor(database, `127.0.0.1:${database.port}`));
    execFileSync('chown', ['-R', `${userId}:${userId}`, path.join(server.folder, 'home')]);
    const { found } = await look(server);
    expect(found.map(({ site }) => [site.url, site.folder])).toEqual([['https://shell.example', folder]]);
    await server.stop();
    await server.start({ config: ['Subsystem other /bin/false', 'ForceCommand /bin/false'] });
    await expect(look(server)).resolves.toMatchObject({ found: [] });
  } finally {
    await server.remove();
  }
});

it('works with a login that is locked into its own folder and may run nothing', async () => {
  // a chroot must lie where root alone may write, up to /
  const jail = mkdtempSync('/run/postroom-jail-');
  chmodSync(jail, 0o755);
  const server = await startSshd({
    password: 'x1x2x3x4',
    config: [`ChrootDirectory ${jail}`, 'ForceCommand internal-sftp'],
  });
  try {
    const database = await makeDatabase(maria);
    await putOptions(database, 'wp_', { home: 'https://jail.example' });
    putSite(path.join(jail, 'httpdocs'), configFor(database, `127.0.0.1:${database.port}`));
    const { found } = await look(server);
    expect(found.map(({ site }) => [site.url, site.folder, site.filesRoot])).toEqual([
      ['https://jail.example', '/httpdocs', '/httpdocs/wp-content/uploads/studiou-wcmq-attachments'],
    ]);
  } finally {
    await server.remove();
    rmSync(jail, { recursive: true, force: true });
  }
});

it('says at once when the login is refused', async () => {
  await expect(look(sshd, { privateKeyFile: null, password: 'wrong' })).rejects.toMatchObject({
    code: 'login',
  });
  expect(existsSync(home)).toBe(true);
});
