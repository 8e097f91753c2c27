/** The connector put into a real WordPress through a real sshd, and taken out again; broken off at its worst moments. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConnectorParts,
  connectorStatus,
  connectorTables,
  installConnector,
  removeConnector,
} from '../../src-main/boot/connector.ts';
import type { ConnectorOrder } from '../../src-main/contract/connector.ts';
import {
  type ConnectorShop,
  lookAt,
  makeConnectorShop,
  order,
  putWordPress,
  removal,
} from '../support/connector-shop.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { startSshd } from '../support/sshd.ts';

let shop: ConnectorShop;
let parts: ConnectorParts;
const stub = 'postroom-connector.php';
const inFolder = (name: string) => path.join(shop.plugins, 'postroom-connector', name);
const install = (more: Partial<ConnectorOrder> = {}) => installConnector(parts, order(more));
const look = () => lookAt(parts);
const loads = () => shop.loads();

beforeAll(async () => {
  shop = await makeConnectorShop();
  parts = {
    ssh: shop.sshd.login(),
    database: shop.site.database,
    files: { root: shop.site.filesRoot, via: 'sftp' },
  };
});
afterAll(() => shop?.close());
beforeEach(() => shop.clear());

describe('a shop without it', () => {
  it('is told of, and gets it whole, with nothing left aside', async () => {
    expect(await look()).toMatchObject({
      state: 'absent',
      version: null,
      odd: [],
      missing: [],
      site: { folder: shop.folder, plugins: shop.plugins, wordpress: expect.stringMatching(/^\d+\.\d/) },
    });
    expect(await loads()).toBe(false);
    const told: string[] = [];
    const { report, installed } = await installConnector(parts, order(), {
      onProgress: (words) => told.push(words),
    });
    expect([installed, report.state, report.odd, report.leftovers]).toEqual([true, 'current', [], []]);
    expect(told.some((words) => words.startsWith('Uploading, file '))).toBe(true);
    expect(shop.there()).toEqual(['a-woocommerce.php', 'postroom-connector', stub]);
    expect(await loads()).toBe(true);
    const [, cli] = await shop.site.run(
      [
        ['hooks', 'init'],
        ['cli', ['status', { format: 'json' }]],
      ],
      { wpCli: true },
    );
    expect(JSON.stringify(cli)).toContain('disabled');
    for (const [name, mode] of [
      [stub, 0o644],
      ['postroom-connector', 0o755],
      ['postroom-connector/languages', 0o755],
      ['postroom-connector/load.php', 0o644],
    ] as const)
      expect(statSync(path.join(shop.plugins, name)).mode & 0o777, name).toBe(mode);
  });

  it('and does nothing the second time', async () => {
    await install();
    const before = statSync(path.join(shop.plugins, stub)).ino;
    expect(await install()).toMatchObject({ installed: false, report: { state: 'current' } });
    expect(statSync(path.join(shop.plugins, stub)).ino).toBe(before);
  });

  it('has it counted as ours when it was copied by hand', async () => {
    await install();
    rmSync(inFolder('manifest.json'));
    expect(await look()).toMatchObject({ state: 'current', odd: [], missing: [] });
  });

  it('gets the folder of the must-use plugins too', async () => {
    const content = path.join(shop.home, 'other-content');
    mkdirSync(content);
    const other = path.join(shop.home, 'elsewhere');
    putWordPress(other, shop.site.database, content);
    shop.own(shop.home);
    try {
      await install({ folder: other });
      expect(readdirSync(path.join(content, 'mu-plugins')).sort()).toEqual(['postroom-connector', stub]);
    } finally {
      rmSync(other, { recursive: true });
      rmSync(content, { recursive: true });
    }
  });
});

describe('files changed by hand', () => {
  it('are named, kept, and replaced or deleted only when that is said', async () => {
    await install();
    appendFileSync(inFolder('class-mail.php'), '// ours\n');
    writeFileSync(inFolder('error_log'), 'PHP Warning');
    symlinkSync('/etc/passwd', inFolder('linked.php'));
    const { state, odd } = await look();
    expect([state, odd]).toEqual([
      'current',
      [
        { name: 'postroom-connector/class-mail.php', how: 'changed' },
        { name: 'postroom-connector/error_log', how: 'added' },
        { name: 'postroom-connector/linked.php', how: 'link' },
      ],
    ]);
    for (const refused of [() => install(), () => removeConnector(parts, removal())])
      await expect(refused()).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(
          /class-mail\.php \(changed by hand\).*error_log \(added by hand\).*linked\.php/,
        ),
      });
    expect(readFileSync(inFolder('class-mail.php'), 'utf8')).toContain('// ours');
    expect(await install({ replaceChanged: true })).toMatchObject({
      installed: true,
      report: { state: 'current', odd: [] },
    });
    expect(readFileSync(inFolder('class-mail.php'), 'utf8')).not.toContain('// ours');
    expect(existsSync('/etc/passwd')).toBe(true);
    expect(await loads()).toBe(true);
  });

  it('are told from those of an older version by the manifest that lies with it', async () => {
    await install();
    const old = JSON.parse(readFileSync(inFolder('manifest.json'), 'utf8')) as {
      version: string;
      files: { name: string; sha256: string }[];
    };
    old.version = '0.0.9';
    const mail = old.files.find(({ name }) => name.endsWith('class-mail.php'));
    if (mail) mail.sha256 = 'ab'.repeat(32);
    writeFileSync(inFolder('manifest.json'), JSON.stringify(old));
    // our own file stands where the old manifest means another: nobody changed that by hand
    expect(await look()).toMatchObject({ state: 'older', version: '0.0.9', odd: [] });
    writeFileSync(inFolder('load.php'), '<?php // mine');
    expect((await look()).odd).toEqual([{ name: 'postroom-connector/load.php', how: 'changed' }]);
    await expect(install()).rejects.toMatchObject({ code: 'refused' });
    expect(await install({ replaceChanged: true })).toMatchObject({
      report: { state: 'current', version: '0.1.0' },
    });
  });

  it('cannot be told without one, and are kept as well', async () => {
    await install();
    rmSync(inFolder('manifest.json'));
    const file = path.join(shop.plugins, stub);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Version: 0.1.0', 'Version: 0.0.7'));
    const { state, version, odd } = await look();
    expect([state, version, odd]).toEqual(['older', '0.0.7', [{ name: stub, how: 'unknown' }]]);
    await expect(install()).rejects.toThrow(/does not know/);
  });
});

describe('a server that says no', () => {
  it('to writing: says where and why, and leaves the shop as it is', async () => {
    chmodSync(shop.plugins, 0o555);
    try {
      await expect(install()).rejects.toMatchObject({
        code: 'rights',
        message: expect.stringMatching(/mu-plugins\/.*lacks the right/),
      });
    } finally {
      chmodSync(shop.plugins, 0o755);
    }
    expect(shop.there()).toEqual(['a-woocommerce.php']);
  });

  it('to reading what is there', async () => {
    await install();
    chmodSync(inFolder('load.php'), 0o000);
    await expect(look()).rejects.toMatchObject({
      code: 'rights',
      message: expect.stringContaining('load.php'),
    });
  });

  it('by a WordPress or a PHP that is too old', async () => {
    const old = path.join(shop.home, 'old');
    mkdirSync(path.join(old, 'wp-includes'), { recursive: true });
    mkdirSync(path.join(old, 'wp-content'));
    writeFileSync(path.join(old, 'wp-settings.php'), '');
    writeFileSync(path.join(old, 'wp-config.php'), '<?php');
    writeFileSync(path.join(old, 'wp-includes/version.php'), "<?php\n$wp_version = '6.7.2';");
    writeFileSync(path.join(old, '.htaccess'), 'AddHandler application/x-httpd-ea-php74 .php .php7 .phtml\n');
    shop.own(old);
    try {
      await expect(install({ folder: old })).rejects.toThrow(/WordPress 6\.7\.2.*PHP 7\.4/);
      writeFileSync(path.join(old, 'wp-includes/version.php'), "<?php\n$wp_version = '6.8';");
      await expect(install({ folder: old })).rejects.toThrow(/chooses PHP 7\.4/);
      writeFileSync(path.join(old, '.htaccess'), 'AddHandler application/x-httpd-alt-php83___lsphp .php\n');
      expect(await install({ folder: old })).toMatchObject({
        report: { site: { php: { version: '8.3', of: 'web' } } },
      });
    } finally {
      rmSync(old, { recursive: true });
    }
  });
});

describe('several sites', () => {
  it('are told apart by the profile’s database, or must be named', async () => {
    const second = path.join(shop.home, 'second');
    putWordPress(second, await makeDatabase(await sharedMariadb()), path.join(second, 'wp-content'));
    mkdirSync(path.join(second, 'wp-content'));
    shop.own(second);
    try {
      expect((await look()).site.folder).toBe(shop.folder);
      const login = { ssh: parts.ssh };
      expect(await connectorStatus(login, null)).toEqual({
        folders: expect.arrayContaining([shop.folder, second]),
      });
      await expect(installConnector(login, order())).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/several WordPress sites: .*Say which/),
      });
      expect(await installConnector(login, order({ folder: 'second' }))).toMatchObject({
        installed: true,
        report: { site: { folder: second } },
      });
      const named = await connectorStatus(parts, second);
      expect('notes' in named && named.notes.join()).toMatch(
        /would be queued where this console does not look/,
      );
      await expect(installConnector(login, order({ folder: '/nowhere' }))).rejects.toMatchObject({
        code: 'not-found',
      });
    } finally {
      rmSync(second, { recursive: true });
    }
  });
});

describe('taking it out', () => {
  it('deletes what was put in and nothing else, and says what stays', async () => {
    await install();
    await shop.site.run([['hooks', 'init']]); // makes the tables
    const { removed, dropped, stays } = await removeConnector(parts, removal());
    expect([removed, dropped]).toEqual([true, null]);
    expect(stays.join(' ')).toMatch(/tables wp_studiou_wcmq_.*attachments.*option.*cron event/);
    expect(shop.there()).toEqual(['a-woocommerce.php']);
    expect(await loads()).toBe(false);
    expect((await connectorTables(parts)).tables).toHaveLength(6);
    expect(await removeConnector(parts, removal())).toMatchObject({ removed: false });
  });

  it('with its tables: not while mail waits, then all of them, the options and the attachments', async () => {
    await install();
    await shop.site.run([['hooks', 'init'], ['tick']]);
    await shop.site.reset();
    await shop.site.run([['mail', { order: 7 }]]);
    mkdirSync(path.join(shop.site.filesRoot, 'ab'.repeat(16)), { recursive: true });
    writeFileSync(path.join(shop.site.filesRoot, 'ab'.repeat(16), '1.dat'), 'x');
    shop.own(shop.site.content);
    await expect(removeConnector(parts, removal({ tables: true }))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('1 mail waits'),
    });
    expect(await loads()).toBe(true);
    const { dropped, stays } = await removeConnector(parts, removal({ tables: true, withWaiting: true }));
    expect(dropped).toContainEqual({ name: 'wp_studiou_wcmq_queue', rows: 1 });
    expect(stays).toEqual([expect.stringContaining('cron event')]);
    expect((await connectorTables(parts)).tables).toEqual([]);
    expect(existsSync(shop.site.filesRoot)).toBe(false);
    expect(
      await shop.site.db.query("SELECT option_name FROM wp_options WHERE option_name LIKE '%wcmq%'"),
    ).toEqual([]);
    // put in again, it makes them anew
    await install();
    await shop.site.run([['hooks', 'init']]);
    expect((await connectorTables(parts)).tables).toHaveLength(6);
  });
});

it('works with a login that has SFTP alone, and says that PHP could not be asked', async () => {
  // a chroot must lie where root alone may write, up to /
  const jail = mkdtempSync('/run/postroom-jail-');
  chmodSync(jail, 0o755);
  const server = await startSshd({
    password: 'x1x2x3x4',
    config: [`ChrootDirectory ${jail}`, 'ForceCommand internal-sftp'],
  });
  try {
    const site = path.join(jail, 'httpdocs');
    mkdirSync(path.join(site, 'wp-includes'), { recursive: true });
    mkdirSync(path.join(site, 'wp-content'));
    writeFileSync(path.join(site, 'wp-settings.php'), '');
    writeFileSync(path.join(site, 'wp-includes/version.php'), "<?php\n$wp_version = '6.8.1';");
    writeFileSync(
      path.join(site, 'wp-config.php'),
      "<?php define('WP_CONTENT_DIR', __DIR__ . '/wp-content');",
    );
    shop.own(site);
    const { report } = await installConnector({ ssh: server.login() }, order());
    expect(report).toMatchObject({
      state: 'current',
      site: { plugins: '/httpdocs/wp-content/mu-plugins', php: null },
    });
    expect(report.notes.join()).toMatch(/Which PHP the server runs cannot be asked/);
    expect(existsSync(path.join(site, 'wp-content/mu-plugins', stub))).toBe(true);
    expect((await removeConnector({ ssh: server.login() }, removal())).removed).toBe(true);
  } finally {
    await server.remove();
    rmSync(jail, { recursive: true, force: true });
  }
});

it('needs a login, and says so', async () => {
  await expect(connectorStatus({ ssh: null }, null)).rejects.toMatchObject({ code: 'config' });
});
