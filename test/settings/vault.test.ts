import { describe, expect, it } from 'vitest';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { type Keychain, Vault } from '../../src-main/settings/vault.ts';
import { memoryFile, openKeychain } from './memory.ts';

function build(keychain: Keychain = openKeychain()) {
  const file = memoryFile();
  return { file, vault: new Vault(keychain, file) };
}

describe('the vault', () => {
  it('gives secrets back, and keeps none of them in plain text', async () => {
    const { vault, file } = build();
    await vault.save('shop', { 'smtp.password': 'žluťoučký kůň', 'ssh.passphrase': 'two' });
    expect(await vault.open('shop')).toEqual({ 'smtp.password': 'žluťoučký kůň', 'ssh.passphrase': 'two' });
    expect(JSON.stringify([...file.content])).not.toMatch(/žlu|two/);
    expect(vault.states('shop')).toEqual({
      'database.password': 'not set',
      'ssh.password': 'not set',
      'ssh.passphrase': 'set',
      'smtp.password': 'set',
    });
  });

  it('leaves alone what is not named and forgets what is null', async () => {
    const { vault, file } = build();
    await vault.save('shop', { 'smtp.password': 'one', 'ssh.password': 'two' });
    await vault.save('shop', { 'ssh.password': null });
    expect(await vault.open('shop')).toEqual({ 'smtp.password': 'one' });
    await vault.save('shop', { 'smtp.password': '' });
    expect(file.content.size).toBe(0);
  });

  it('keeps the shops apart', async () => {
    const { vault } = build();
    await vault.save('one', { 'smtp.password': '1' });
    await vault.save('two', { 'smtp.password': '2' });
    vault.forget('one');
    expect(await vault.open('one')).toEqual({});
    expect(await vault.open('two')).toEqual({ 'smtp.password': '2' });
  });

  it('asks again when a blob cannot be read; never an empty password', async () => {
    const { vault, file } = build();
    file.set('shop', { 'smtp.password': Buffer.from('garbage').toString('base64') });
    await expect(vault.open('shop')).rejects.toMatchObject({
      code: 'secret',
      message: expect.stringContaining('Type it again'),
    });
    expect(vault.asks('shop')).toEqual(['smtp.password']);
    file.set('shop', { 'smtp.password': Buffer.from('sealed:').toString('base64') });
    await expect(vault.open('shop')).rejects.toMatchObject({ code: 'secret' });
  });

  const shut: Keychain = {
    available: async () => ({ ok: false, reason: 'install one' }),
    encrypt: async () => {
      throw new PostroomError('secret', 'install one');
    },
    decrypt: async () => {
      throw new PostroomError('secret', 'install one');
    },
  };

  it('keeps secrets in this process only where there is no keychain, and asks at the next start', async () => {
    const { vault, file } = build(shut);
    await vault.save('shop', { 'smtp.password': 'one', 'ssh.password': 'two' });
    expect(await vault.open('shop')).toEqual({ 'smtp.password': 'one', 'ssh.password': 'two' });
    expect(vault.states('shop')['smtp.password']).toBe('set');
    expect(vault.asks('shop')).toEqual([]);
    expect(JSON.stringify([...file.content])).not.toMatch(/one|two/);

    const next = new Vault(shut, file);
    expect(next.asks('shop')).toEqual(['ssh.password', 'smtp.password']);
    expect(next.states('shop')['smtp.password']).toBe('not set');
    await expect(next.open('shop')).rejects.toMatchObject({
      code: 'secret',
      message: expect.stringMatching(/SSH password is asked/),
    });
    await next.save('shop', { 'ssh.password': 'two' });
    expect(next.asks('shop')).toEqual(['smtp.password']);
    await next.save('shop', { 'smtp.password': null });
    expect(await next.open('shop')).toEqual({ 'ssh.password': 'two' });

    // with a keychain from now on, what is typed stays
    const later = new Vault(openKeychain(), file);
    await later.save('shop', { 'ssh.password': 'two' });
    expect(await new Vault(openKeychain(), file).open('shop')).toEqual({ 'ssh.password': 'two' });
  });

  it('asks for what a keychain that is gone has kept, and takes what is typed instead', async () => {
    const { vault, file } = build(shut);
    file.set('shop', { 'smtp.password': 'c2VhbGVk' });
    await expect(vault.open('shop')).rejects.toMatchObject({ code: 'secret', message: 'install one' });
    expect(vault.asks('shop')).toEqual(['smtp.password']);
    await vault.save('shop', { 'smtp.password': 'one' });
    expect(vault.asks('shop')).toEqual([]);
    expect(await vault.open('shop')).toEqual({ 'smtp.password': 'one' });
  });

  it('saves all of a change or none of it', async () => {
    let asked = 0;
    const flaky = {
      ...openKeychain(),
      encrypt: async (text: string) => {
        asked += 1;
        if (asked === 2) throw new PostroomError('secret', 'locked');
        return Buffer.from(`sealed:${text}`);
      },
    };
    const { vault, file } = build(flaky);
    await expect(vault.save('shop', { 'ssh.password': 'a', 'smtp.password': 'b' })).rejects.toMatchObject({
      code: 'secret',
    });
    expect(file.content.size).toBe(0);
  });

  it('writes a blob anew when the key has changed', async () => {
    const { vault, file } = build({ ...openKeychain(), decrypt: async () => ({ text: 'one', renew: true }) });
    file.set('shop', { 'smtp.password': Buffer.from('sealed:old').toString('base64') });
    expect(await vault.open('shop')).toEqual({ 'smtp.password': 'one' });
    const { 'smtp.password': blob } = file.get('shop') as Record<string, string>;
    expect(Buffer.from(blob ?? '', 'base64').toString()).toBe('sealed:eno');
  });
});
