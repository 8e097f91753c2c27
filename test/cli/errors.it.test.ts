/** What goes wrong before anything is done: one clear line each, the right exit code, never a stack trace. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { freePort } from '../support/ports.ts';
import { builtCli, embeddedConfig, type Folder, faultsOfError, fromEnv, makeFolder, runCli } from './kit.ts';

let folder: Folder;
let database: ServerDatabase;

beforeAll(async () => {
  await builtCli();
  folder = await makeFolder();
  database = await makeDatabase(await sharedMariadb());
});
afterAll(() => folder.remove());

const withDatabase = (changes: object) => embeddedConfig(1, { database: { ...database, ...changes } });

describe('wrong usage', () => {
  it.each([
    [['frobnicate']],
    [['status']],
    [['status', '--config']],
    [['status', '--nonsense']],
    [['show', '--config', 'x.json']],
    [['show', '1;2', '--config', 'x.json']],
    [['list', '--limit', '-4', '--config', 'x.json']],
    [['list', '--state', 'faild', '--config', 'x.json']],
    [['retry', '--config', 'x.json']],
    [['retry', '1', '--state', 'failed', '--config', 'x.json']],
    [['resolve', '1', '--config', 'x.json']],
    [['pause', '--minutes', 'ten', '--config', 'x.json']],
    [['demo', '--rate', '61']],
    [['demo', '--mails', '0']],
  ])('postroom %s', async (args) => {
    const ran = await runCli(args, { cwd: folder.path });
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
  });

  it('shows the help when nothing is asked, and when it is', async () => {
    const nothing = await runCli([]);
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('drain');
    const help = await runCli(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('Exit codes');
    expect((await runCli(['list', '--help'])).stdout).toContain('--search');
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong config', () => {
  const fails = async (content: string | object, words: string, env: NodeJS.ProcessEnv = {}) => {
    const config = await folder.file('wrong.json', content);
    const ran = await runCli(['status', '--config', config], { env });
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
    expect(ran.stderr).toContain(words);
  };

  it('a file that is not there', async () => {
    const ran = await runCli(['drain', '--config', `${folder.path}/nowhere.json`]);
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
    expect(ran.stderr).toContain('is not there');
  });
  it('no JSON', () => fails('{"name": "x",', 'line 1, column 14'));
  it('a missing field', () => fails({ name: 'x' }, 'database'));
  it('an unknown field', () => fails({ ...embeddedConfig(), colour: 'blue' }, 'colour'));
  it('a wrong sender', () => fails(embeddedConfig(1, { from: 'nobody at all' }), 'from'));
  it('a variable that is not set', () =>
    fails(withDatabase({ password: fromEnv('POSTROOM_NOT_SET') }), 'POSTROOM_NOT_SET'));
  it('a prefix that is no identifier', () =>
    fails(withDatabase({ tablePrefix: 'wp`; DROP' }), 'tablePrefix'));
});

describe('a shop that cannot be reached', () => {
  const fails = async (config: object, words: RegExp, args = ['status']) => {
    const ran = await runCli([...args, '--config', await folder.file('shop.json', config)], {
      env: { DB_PASSWORD: database.password ?? '', XDG_DATA_HOME: folder.path },
    });
    expect(faultsOfError(ran)).toEqual([]);
    expect(ran.stderr).toMatch(words);
    expect(ran.stderr).not.toContain('very-secret');
    expect(ran.code).toBe(3);
  };

  it('wrong password', () => fails(withDatabase({ password: 'very-secret' }), /password|log ?in|denied/i));
  it('wrong database', () => fails(withDatabase({ database: 'nosuch' }), /nosuch|database/i));
  it('missing tables', () => fails(withDatabase({}), /postroom schema --apply/));
  it('missing tables, when draining', () =>
    fails(withDatabase({ password: fromEnv('DB_PASSWORD') }), /postroom schema --apply/, [
      'drain',
      '--until-empty',
    ]));
  it('nobody listens', async () => fails(withDatabase({ port: await freePort() }), /refused/i));
  it('a name that does not resolve', () =>
    fails(withDatabase({ host: 'db.shop.invalid' }), /could not be resolved/i));
  it('no ssh', async () => {
    const ssh = {
      host: '127.0.0.1',
      port: await freePort(),
      user: 'shop',
      password: 'very-secret',
      hostKey: `SHA256:${'A'.repeat(43)}`,
    };
    await fails(embeddedConfig(1, { database, ssh }), /127\.0\.0\.1/);
  });
  it('a state folder that cannot be made', async () => {
    const file = await folder.file('no-folder', 'x');
    const config = embeddedConfig(1, { database: { file: `${folder.path}/ready.db` } });
    await runCli(['schema', '--apply', '--config', await folder.file('shop.json', config)]);
    await fails(config, /state folder|cannot/i, ['drain', '--until-empty', '--state', `${file}/state`]);
  });

  it('tells the stack to whoever asks for it', async () => {
    const config = await folder.file('shop.json', withDatabase({ port: await freePort() }));
    const ran = await runCli(['status', '--config', config], { env: { POSTROOM_DEBUG: '1' } });
    expect(ran.stderr).toMatch(/\n\s+at /);
  });
});
