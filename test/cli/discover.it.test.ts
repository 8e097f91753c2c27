/** discover: by an ssh part alone, through a real sshd, to a WordPress's own config file and database. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { linesOf, runCli } from './kit.ts';

const wordpress = path.resolve(import.meta.dirname, '../../out/debian/usr/share/wordpress');
let folder: string;
let sshd: SshServer;
let password: string;
const config = (ssh: unknown) => {
  const file = path.join(folder, 'shop.json');
  writeFileSync(file, JSON.stringify({ ssh }));
  return file;
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'postroom-discover-'));
  sshd = await startSshd({ password: 'x1x2x3x4' });
  const database = await makeDatabase(await sharedMariadb());
  password = String(database.password);
  const db = openMysql(database);
  await db.run('CREATE TABLE wp_options (option_name VARCHAR(191), option_value LONGTEXT)');
  await db.run("INSERT INTO wp_options VALUES ('home', 'https://shop.example'), ('blogname', 'Studio U')");
  await db.close();
  const site = path.join(sshd.folder, 'home/public_html');
  mkdirSync(path.join(site, 'wp-content'), { recursive: true });
  cpSync(path.join(wordpress, 'wp-settings.php'), path.join(site, 'wp-settings.php'));
  const literal = (text: string) => text.replace(/[\\']/g, '\\$&');
  writeFileSync(
    path.join(site, 'wp-config.php'),
    readFileSync(path.join(wordpress, 'wp-config-sample.php'), 'utf8')
      .replace('database_name_here', database.database)
      .replace('username_here', database.user)
      .replace('password_here', () => literal(password))
      .replace('localhost', `127.0.0.1:${database.port}`),
  );
});
afterAll(async () => {
  await sshd?.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('names the sites in words, and no password', async () => {
  const ran = await runCli(['discover', '--config', config(sshd.login())]);
  expect(ran.code).toBe(0);
  expect(linesOf(ran.stdout)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^site: +Studio U, https:\/\/shop\.example$/),
      expect.stringMatching(/^queue: +not yet: postroom schema --apply$/),
      expect.stringMatching(/^connector: +not installed$/),
    ]),
  );
  expect(ran.stdout + ran.stderr).not.toContain(password);
});

it('as JSON has what a config file takes over', async () => {
  const ran = await runCli(['discover', '--json', '--config', config(sshd.login())]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    url: 'https://shop.example',
    database: { host: '127.0.0.1', tablePrefix: 'wp_', hasPassword: true },
    files: { via: 'sftp', root: expect.stringMatching(/uploads\/studiou-wcmq-attachments$/) },
    tables: false,
  });
  expect(ran.stdout).not.toContain(password);
});

it('says what is wrong with the config or the login', async () => {
  const none = await runCli(['discover', '--config', config(null)]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no ssh part')]);
  const first = await runCli(['discover', '--config', config(sshd.login({ hostKey: null }))]);
  expect([first.code, first.stderr]).toEqual([3, expect.stringContaining(sshd.fingerprint)]);
  const wrong = await runCli([
    'discover',
    '--config',
    config(sshd.login({ privateKeyFile: null, password: 'wrong' })),
  ]);
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('refused the login')]);
});
