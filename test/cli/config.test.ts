import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileFrom } from '../../src-main/cli/config.ts';
import { jsonFault } from '../../src-main/cli/json-place.ts';
import { folderName, stateFolder } from '../../src-main/cli/state-folder.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { fromEnv } from './kit.ts';

const file = path.resolve('/etc/shops/studio.json');
const base = {
  name: 'Studio Ú & Synové',
  database: { host: '127.0.0.1', user: 'shop', password: 'x', database: 'shop' },
  smtp: { host: '127.0.0.1' },
  from: 'shop@shop.example',
};
const read = (json: object, env: NodeJS.ProcessEnv = {}) => profileFrom(JSON.stringify(json), file, env);
const errorOf = (act: () => unknown): PostroomError => {
  try {
    act();
  } catch (error) {
    if (error instanceof PostroomError) return error;
    throw error;
  }
  throw new Error('no error');
};

describe('a config file', () => {
  it('takes secrets from the environment, whatever characters they hold', () => {
    const secret = `"\\ ${fromEnv('OTHER')} $& ' {}`;
    const profile = read(
      { ...base, database: { ...base.database, password: fromEnv('DB_PASSWORD') } },
      { DB_PASSWORD: secret },
    );
    expect(profile.database).toMatchObject({ password: secret });
  });

  it('puts a variable into the middle of a text', () => {
    expect(read({ ...base, from: `Shop <${fromEnv('WHO')}@shop.example>` }, { WHO: 'info' }).from).toBe(
      'Shop <info@shop.example>',
    );
  });

  it('takes an empty variable as it is', () => {
    const profile = read({ ...base, database: { ...base.database, password: fromEnv('P') } }, { P: '' });
    expect(profile.database).toMatchObject({ password: '' });
  });

  it('names every variable that is not set, and where it is wanted', () => {
    const json = {
      ...base,
      database: { ...base.database, password: fromEnv('A') },
      smtp: { host: 'h', password: fromEnv('B') },
    };
    const error = errorOf(() => read(json));
    expect(error.code).toBe('config');
    expect(error.message).toContain('variable A is not set (for database.password)');
    expect(error.message).toContain('variable B is not set (for smtp.password)');
  });

  it('says where it stops being JSON, and quotes nothing of it', () => {
    const text = '{\n  "password": "hunter2" x\n}';
    const error = errorOf(() => profileFrom(text, file, {}));
    expect(error.code).toBe('config');
    expect(error.message).toContain('line 2, column 25');
    expect(error.message).not.toContain('hunter2');
  });

  it('names a field that does not exist', () => {
    const error = errorOf(() => read({ ...base, smpt: {} }));
    expect(error.code).toBe('config');
    expect(error.message).toContain('smpt');
  });

  it('finds paths of this machine from the home folder and from its own folder', () => {
    const profile = read({
      ...base,
      database: { file: 'data/shop.db' },
      ssh: { host: 'h', user: 'u', privateKeyFile: '~/.ssh/id' },
      files: { root: '~/files', via: 'local' },
      smtp: { host: 'h', ca: '../ca.pem' },
    });
    expect(profile.database).toMatchObject({ file: path.resolve('/etc/shops/data/shop.db') });
    expect(profile.ssh?.privateKeyFile).toBe(path.join(homedir(), '.ssh/id'));
    expect(profile.files?.root).toBe(path.join(homedir(), 'files'));
    expect(profile.smtp.ca).toBe(path.resolve('/etc/ca.pem'));
  });

  it('leaves paths on the server as they are', () => {
    expect(read({ ...base, files: { root: '~/files', via: 'sftp' } }).files?.root).toBe('~/files');
  });
});

describe('the place of a JSON fault', () => {
  it.each([
    ['{"a": x}', 'line 1, column 7'],
    ['{"a": 1,}', 'line 1, column 9'],
    ['{"a": [1, 2', 'line 1, column 12'],
    ['{\n"a": "b\n"}', 'line 2, column 8'],
    ['[1] 2', 'line 1, column 5'],
    ['', 'line 1, column 1'],
    ['{"a": "\\x"}', 'line 1, column 8'],
  ])('%j', (text, place) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFault(text)).toBe(place);
  });

  it('does not fall over deep nesting', () => {
    expect(jsonFault('['.repeat(100_000))).toMatch(/^line 1, column /);
  });
});

describe('the state folder', () => {
  const profile = read(base);

  it('is the one that was asked for', () => {
    expect(stateFolder('~/state', profile)).toBe(path.join(homedir(), 'state'));
  });

  it('has a name of its own for each shop', () => {
    expect(folderName(profile)).toMatch(/^studio-u-synove-[0-9a-f]{8}$/);
    const other = read({ ...base, database: { ...base.database, tablePrefix: 'wp2_' } });
    expect(folderName(other)).not.toBe(folderName(profile));
  });

  it('stays the same when the password changes', () => {
    const other = read({ ...base, database: { ...base.database, password: 'new' } });
    expect(folderName(other)).toBe(folderName(profile));
  });

  it('has a name for a shop without Latin letters', () => {
    expect(folderName(read({ ...base, name: '山田' }))).toMatch(/^shop-[0-9a-f]{8}$/);
  });
});
