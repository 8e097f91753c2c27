import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Boot } from '../../src-main/app/boot-door.ts';
import { FoundPasswords } from '../../src-main/app/found-passwords.ts';
import { Looks } from '../../src-main/app/looks.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';
import type { FoundSite, LookDraft } from '../../src-main/contract/look.ts';
import { Vault } from '../../src-main/settings/vault.ts';
import { memoryFile, openKeychain } from '../settings/memory.ts';

const form = {
  name: '',
  ssh: { host: 'shop.example', user: 'shop' },
  database: { host: '', user: '', database: '' },
  smtp: { host: '' },
};
const draft = (changes: Partial<LookDraft> = {}): LookDraft => ({
  profile: null,
  form,
  secrets: {},
  ...changes,
});
const site: FoundSite = {
  key: 'theirs',
  folder: '/srv/www',
  url: 'https://shop.example',
  title: 'Studio U',
  database: {
    host: '127.0.0.1',
    port: 3306,
    socketPath: null,
    user: 'wp',
    database: 'wp',
    tablePrefix: 'wp_',
    hasPassword: true,
  },
  filesRoot: '/srv/www/wp-content/uploads/studiou-wcmq-attachments',
  tables: false,
  connector: false,
  problem: null,
  notes: [],
};
const whole = {
  name: 'Studio U',
  from: 'shop@shop.example',
  database: { host: '127.0.0.1', user: 'shop', database: 'shop' },
  smtp: { host: '127.0.0.1' },
};

function build(boot: Partial<Boot>) {
  const vault = new Vault(openKeychain(), memoryFile());
  const found = new FoundPasswords();
  const tell = vi.fn();
  const looks = new Looks({ vault, found, loadBoot: async () => boot as Boot, tell });
  return { looks, vault, found, tell };
}

/** A look that ends only when it is stopped. */
const endless = (_parts: unknown, { signal }: { signal?: AbortSignal } = {}) =>
  new Promise<never>((_, reject) =>
    signal?.addEventListener('abort', () => reject(new Error('socket hang up'))),
  );

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a look at a form', () => {
  it('needs no other part than its own', async () => {
    const examineParts = vi.fn(async () => []);
    const { looks } = build({ examineParts });
    await looks.doctor('a', draft(), 'ssh');
    expect(examineParts).toHaveBeenCalledWith(
      { ssh: expect.objectContaining({ host: 'shop.example', port: 22 }) },
      expect.anything(),
    );
    await expect(looks.doctor('a', draft(), 'database')).rejects.toThrow(/database\.host: is empty/);
    await expect(looks.doctor('a', draft(), 'mail')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('smtp.host: is empty'),
    });
    await looks.doctor(
      'a',
      draft({ form: { ...form, ssh: { host: '' }, smtp: { host: 'mail.example' } } }),
      'mail',
    );
    expect(examineParts).toHaveBeenLastCalledWith(
      { ssh: null, smtp: expect.objectContaining({ host: 'mail.example' }) },
      expect.anything(),
    );
  });

  it('takes the login along where its way leads through it', async () => {
    const examineParts = vi.fn(async () => []);
    const { looks } = build({ examineParts });
    const smtp = { host: 'mail.example', via: 'tunnel' };
    await looks.doctor('a', draft({ form: { ...form, smtp } }), 'mail');
    await looks.doctor('a', draft({ form: { ...form, files: { root: '/srv', via: 'sftp' } } }), 'files');
    for (const [parts] of examineParts.mock.calls as unknown as [{ ssh: { host: string } }][])
      expect(parts.ssh.host).toBe('shop.example');
    await expect(
      looks.doctor('a', draft({ form: { ...form, smtp, ssh: { host: 'x', user: '' } } }), 'mail'),
    ).rejects.toThrow(/ssh\.user: is empty/);
  });

  it('uses what was typed, else what the vault has, and never what is to be forgotten', async () => {
    const findTables = vi.fn(async () => []);
    const { looks, vault } = build({ findTables });
    await vault.save('p', { 'ssh.password': 'old', 'ssh.passphrase': 'phrase', 'database.password': 'kept' });
    const secrets = { 'ssh.password': 'new', 'ssh.passphrase': null };
    await looks.tables('a', draft({ profile: 'p', form: { ...form, ...whole, ssh: form.ssh }, secrets }));
    expect(findTables).toHaveBeenCalledWith(
      {
        ssh: expect.objectContaining({ password: 'new', passphrase: null }),
        database: expect.objectContaining({ password: 'kept' }),
      },
      expect.anything(),
    );
  });

  it('asks for the whole form only for the whole way', async () => {
    const examineParts = vi.fn(async () => []);
    const { looks } = build({ examineParts });
    await expect(looks.doctor('a', draft(), 'all')).rejects.toThrow(/cannot be used: name: is empty/);
    await looks.doctor('a', draft({ form: whole }), 'all');
    expect(examineParts).toHaveBeenCalledOnce();
  });

  it('tells how it goes on, by its own name', async () => {
    const examineParts = vi.fn(
      async (_parts: unknown, { onProgress }: { onProgress?: (p: never) => void }) => {
        onProgress?.({ words: 'half way' } as never);
        return [];
      },
    );
    const { looks, tell } = build({ examineParts } as unknown as Boot);
    await looks.doctor('a', draft(), 'ssh');
    expect(tell).toHaveBeenCalledExactlyOnceWith({ look: 'a', progress: { words: 'half way' } });
  });
});

describe('a look that is stopped', () => {
  it('ends with that, whatever its connections said to it', async () => {
    const { looks } = build({ examineParts: endless });
    const look = looks.doctor('a', draft(), 'ssh');
    const ends = expect(look).rejects.toMatchObject({ code: 'stopped' });
    await vi.advanceTimersByTimeAsync(0);
    looks.stop('another');
    looks.stop('a');
    await ends;
    looks.stop('a');
  });

  it('is also one that another look has followed', async () => {
    const { looks } = build({ examineParts: endless, findTables: async () => [] });
    const first = looks.doctor('a', draft(), 'ssh');
    const ends = expect(first).rejects.toMatchObject({ code: 'stopped' });
    await vi.advanceTimersByTimeAsync(0);
    expect(await looks.tables('b', draft({ form: whole }))).toEqual([]);
    await ends;
  });

  it('leaves no password behind', async () => {
    let answer: (sites: { site: FoundSite; password: string | null }[]) => void = () => undefined;
    const { looks, found } = build({ findSites: () => new Promise((resolve) => (answer = resolve)) });
    const keep = vi.spyOn(found, 'keep');
    const ends = expect(looks.sites('a', draft())).rejects.toMatchObject({ code: 'stopped' });
    await vi.advanceTimersByTimeAsync(0);
    looks.stop('a');
    answer([{ site, password: 'geheim' }]);
    await ends;
    expect(keep).not.toHaveBeenCalled();
  });
});

describe('passwords that were found', () => {
  async function look() {
    const findTables = vi.fn(async () => []);
    const all = build({ findSites: async () => [{ site, password: 'geheim 7' }], findTables });
    const [first] = await all.looks.sites('a', draft());
    return { ...all, findTables, secrets: { 'database.password': { found: first?.key ?? '' } }, first };
  }

  it('stay here: the window gets a key that stands for each', async () => {
    const { first, found, secrets, looks, findTables } = await look();
    expect(JSON.stringify(first)).not.toContain('geheim');
    expect(first).toMatchObject({ title: 'Studio U', database: { hasPassword: true } });
    expect(found.resolve(secrets)).toEqual({ 'database.password': 'geheim 7' });
    await looks.tables('b', draft({ form: whole, secrets }));
    expect(findTables).toHaveBeenCalledWith(
      { ssh: null, database: expect.objectContaining({ password: 'geheim 7' }) },
      expect.anything(),
    );
  });

  it('are forgotten 15 minutes after their last use', async () => {
    const { found, secrets } = await look();
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    found.resolve(secrets);
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    found.resolve(secrets);
    await vi.advanceTimersByTimeAsync(15 * 60_000);
    expect(() => found.resolve(secrets)).toThrow(PostroomError);
    expect(() => found.resolve(secrets)).toThrow(/Find the shops once more, or type it/);
  });

  it('are forgotten when told, and never confused with those of a later look', async () => {
    const { found, secrets, looks } = await look();
    const [again] = await looks.sites('b', draft());
    expect(again?.key).not.toBe(secrets['database.password'].found);
    expect(found.resolve(secrets)).toEqual({ 'database.password': 'geheim 7' });
    found.forget();
    expect(() => found.resolve(secrets)).toThrow(/forgotten/);
  });
});
