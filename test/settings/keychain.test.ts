import { describe, expect, it, vi } from 'vitest';
import type { SafeStorageLike } from '../../src-main/settings/keychain.ts';

vi.mock('electron', () => ({ safeStorage: {} }));
const { systemKeychain } = await import('../../src-main/settings/keychain.ts');

/** safeStorage as Electron 33 has it. */
function older(some: Partial<SafeStorageLike> = {}): SafeStorageLike {
  return {
    isEncryptionAvailable: () => true,
    encryptString: (text) => Buffer.from(`sync:${text}`),
    decryptString: (blob) => blob.toString().slice(5),
    getSelectedStorageBackend: () => 'gnome_libsecret',
    ...some,
  };
}

/** safeStorage as Electron 46 will have it: asynchronous only. */
function newer(some: Partial<SafeStorageLike> = {}): SafeStorageLike {
  const gone = () => {
    throw new Error('removed');
  };
  return {
    isEncryptionAvailable: gone,
    encryptString: gone,
    decryptString: gone,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => Buffer.from(`async:${text}`),
    decryptStringAsync: async (blob) => ({ result: blob.toString().slice(6), shouldReEncrypt: true }),
    ...some,
  };
}

describe('the keychain of the system', () => {
  it('works with the synchronous functions alone', async () => {
    const keychain = systemKeychain(older(), 'linux');
    expect(await keychain.available()).toEqual({ ok: true });
    const blob = await keychain.encrypt('one');
    expect(blob.toString()).toBe('sync:one');
    expect(await keychain.decrypt(blob)).toEqual({ text: 'one', renew: false });
  });

  it('works with the asynchronous functions alone', async () => {
    const keychain = systemKeychain(newer(), 'linux');
    expect(await keychain.available()).toEqual({ ok: true });
    const blob = await keychain.encrypt('one');
    expect(await keychain.decrypt(blob)).toEqual({ text: 'one', renew: true });
  });

  it.each(['basic_text', 'unknown'])('refuses the backend %s, and says what to do', async (backend) => {
    const encryptString = vi.fn();
    const keychain = systemKeychain(
      older({ getSelectedStorageBackend: () => backend, encryptString }),
      'linux',
    );
    expect(await keychain.available()).toMatchObject({
      ok: false,
      reason: expect.stringContaining('GNOME Keyring'),
    });
    await expect(keychain.encrypt('one')).rejects.toMatchObject({ code: 'secret' });
    expect(encryptString).not.toHaveBeenCalled();
  });

  it('refuses where the system says no, or throws', async () => {
    const no = systemKeychain(newer({ isAsyncEncryptionAvailable: async () => false }), 'darwin');
    expect(await no.available()).toMatchObject({ ok: false, reason: expect.stringContaining('Unlock it') });
    const thrower = systemKeychain(
      older({
        isEncryptionAvailable: () => {
          throw new Error('no bus');
        },
      }),
      'linux',
    );
    expect(await thrower.available()).toMatchObject({ ok: false });
  });
});
