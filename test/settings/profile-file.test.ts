import { describe, expect, it } from 'vitest';
import { profileFrom } from '../../src-main/cli/config.ts';
import { profileFileName, profileFileText, readProfileFile } from '../../src-main/settings/profile-file.ts';
import type { SecretStates } from '../../src-main/settings/vault.ts';

const form = {
  name: 'Studio Ú & Synové',
  from: 'Studio U <shop@shop.example>',
  ssh: { host: 'shop.example', user: 'shop', hostKey: `SHA256:${'A'.repeat(43)}` },
  database: { host: '127.0.0.1', user: 'shop', database: 'shop', password: 'leaked' },
  smtp: { host: 'smtp.shop.example', user: 'shop@shop.example' },
};
const states: SecretStates = {
  'database.password': 'set',
  'ssh.password': 'not set',
  'ssh.passphrase': 'set',
  'smtp.password': 'set',
};

describe('a profile as a file', () => {
  it('holds no secret, and is a config file that the command line takes', () => {
    const text = profileFileText(form, states);
    expect(text).not.toContain('leaked');
    const env = {
      POSTROOM_DATABASE_PASSWORD: 'one',
      POSTROOM_SSH_PASSPHRASE: 'two',
      POSTROOM_SMTP_PASSWORD: 'three',
    };
    expect(profileFrom(text, '/tmp/shop.json', env)).toMatchObject({
      name: 'Studio Ú & Synové',
      ssh: { passphrase: 'two', password: null, hostKey: form.ssh.hostKey },
      database: { password: 'one' },
      smtp: { password: 'three' },
    });
  });

  it('comes back as the form that it was, whatever secrets somebody wrote into it', () => {
    const back = readProfileFile(`\ufeff${profileFileText(form, states)}`, 'shop.json');
    const { password: _leaked, ...database } = form.database;
    expect(back).toEqual({ ...form, database });
    const written = readProfileFile(JSON.stringify({ ...form, smtp: { ...form.smtp, password: 'p' } }), 'x');
    expect(JSON.stringify(written)).not.toContain('password');
  });

  it.each([
    ['nonsense', '{'],
    ['a list', '[]'],
    ['another program’s settings', '{"database": "x", "smtp": {}}'],
  ])('is refused in plain words when it is %s', (_what, text) => {
    expect(() => readProfileFile(text, 'x.json')).toThrow(/^x\.json is no connection of Postroom/);
  });

  it('gets a name that every system takes', () => {
    expect(profileFileName('Studio Ú & Synové')).toBe('studio-u-synove.postroom.json');
    expect(profileFileName('../../etc')).toBe('etc.postroom.json');
    expect(profileFileName('店')).toBe('shop.postroom.json');
  });
});
