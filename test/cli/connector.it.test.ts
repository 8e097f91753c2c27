/** connector status, install, remove: in words, as JSON, and by exit codes. */
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectorShop, makeConnectorShop, putWordPress } from '../support/connector-shop.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import {
  builtCli,
  type Folder,
  faultsOfError,
  fromEnv,
  linesOf,
  makeFolder,
  type Ran,
  runCli,
} from './kit.ts';

let shop: ConnectorShop;
let folder: Folder;
let bin: string;
let run: (...args: string[]) => Promise<Ran>;
let bare: string;

beforeAll(async () => {
  await builtCli();
  folder = await makeFolder();
  // what the login's shell runs as `php`
  bin = mkdtempSync(path.join(tmpdir(), 'postroom-bin-'));
  chmodSync(bin, 0o755);
  shop = await makeConnectorShop([`SetEnv PATH=${bin}:/usr/bin:/bin`]);
  const ssh = shop.sshd.login();
  const files = { root: shop.site.filesRoot };
  const database = { ...shop.site.database, password: fromEnv('DB_PASSWORD') };
  const config = await folder.file('shop.json', { ssh, database, files });
  bare = await folder.file('ssh.json', { ssh });
  const env = { DB_PASSWORD: shop.site.database.password ?? '' };
  run = (...args) => runCli(['connector', ...args, '--config', config], { env });
});
afterAll(async () => {
  await shop?.close();
  await folder?.remove();
  rmSync(bin, { recursive: true, force: true });
});

it('says that it is not there, puts it in, and says that it is', async () => {
  const before = await run('status');
  expect([before.code, linesOf(before.stdout)[0]]).toEqual([
    3,
    expect.stringMatching(/^connector: +not installed$/),
  ]);
  const done = await run('install');
  expect([done.code, done.stdout]).toEqual([0, '']);
  expect(done.stderr).toContain(`The connector 0.1.0 is in ${shop.plugins}.`);
  expect((await run('install')).stderr).toContain('nothing was changed');
  const after = await run('status', '--json');
  expect(after.code).toBe(0);
  expect(JSON.parse(after.stdout)).toMatchObject({ state: 'current', version: '0.1.0', odd: [] });
});

it('keeps what was changed by hand, unless it is told otherwise', async () => {
  appendFileSync(path.join(shop.plugins, 'postroom-connector/load.php'), '// ours');
  expect(linesOf((await run('status')).stdout)).toContainEqual(
    expect.stringMatching(/^by hand: +postroom-connector\/load\.php: changed$/),
  );
  const refused = await run('install');
  expect([refused.code, faultsOfError(refused)]).toEqual([2, []]);
  expect(refused.stderr).toContain('load.php (changed by hand)');
  expect((await run('install', '--replace-changed')).code).toBe(0);
});

it('refuses a PHP that is too old, unless the web server has another', async () => {
  rmSync(path.join(shop.plugins, 'postroom-connector.php'));
  writeFileSync(path.join(bin, 'php'), '#!/bin/sh\necho "PHP 7.4.33 (cli)"\n', { mode: 0o755 });
  expect((await run('status')).code).toBe(3);
  const refused = await run('install');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('PHP 7.4.33')]);
  expect((await run('install', '--any-php')).code).toBe(0);
  rmSync(path.join(bin, 'php'));
});

it('lists the sites where several could be meant', async () => {
  const second = path.join(shop.home, 'second');
  putWordPress(second, await makeDatabase(await sharedMariadb()), path.join(second, 'wp-content'));
  mkdirSync(path.join(second, 'wp-content'));
  shop.own(second);
  const listed = await runCli(['connector', 'status', '--config', bare]);
  expect([listed.code, linesOf(listed.stdout).sort()]).toEqual([3, [shop.folder, second]]);
  const refused = await runCli(['connector', 'install', '--config', bare]);
  expect([refused.code, faultsOfError(refused)]).toEqual([2, []]);
  const named = await runCli(['connector', 'status', '--json', '--folder', second, '--config', bare]);
  expect(JSON.parse(named.stdout)).toMatchObject({ state: 'absent', site: { folder: second } });
  rmSync(second, { recursive: true });
});

it('takes it out; the tables only when told, and never with waiting mail by accident', async () => {
  await shop.site.run([['hooks', 'init']]);
  await shop.site.reset();
  await shop.site.run([['mail', { order: 7 }]]);
  const refused = await run('remove', '--tables');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('1 mail waits')]);
  const removed = await run('remove');
  expect([removed.code, removed.stderr]).toEqual([
    0,
    expect.stringMatching(/is gone from [\s\S]*Stays: The tables wp_/),
  ]);
  const dropped = await run('remove', '--tables', '--with-waiting-mail');
  expect(dropped.code).toBe(0);
  expect(dropped.stderr).toMatch(
    /Will be deleted: wp_studiou_wcmq_queue with 1 row\n[\s\S]*There was no connector[\s\S]*6 tables deleted\./,
  );
  expect(shop.there()).toEqual(['a-woocommerce.php']);
});

it('says in one line what is wrong with the words or the config', async () => {
  const none = await runCli(['connector', 'status']);
  expect([none.code, faultsOfError(none)]).toEqual([2, []]);
  const file = await folder.file('none.json', { ssh: null });
  const unreachable = await runCli(['connector', 'install', '--config', file]);
  expect([unreachable.code, faultsOfError(unreachable)]).toEqual([2, []]);
  expect((await runCli(['connector'])).code).toBe(2);
});
