import { safeStorage } from 'electron';
import { PostroomError } from '../contract/errors.ts';
import type { Keychain } from './vault.ts';

/** The parts of Electron's safeStorage that we use; the async ones exist from Electron 42. */
export interface SafeStorageLike {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(blob: Buffer): string;
  getSelectedStorageBackend?(): string;
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(text: string): Promise<Buffer>;
  decryptStringAsync?(blob: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }>;
}

const linuxAdvice =
  'This computer has no password store that Postroom could use. Install and unlock one (GNOME Keyring or ' +
  'KWallet), sign in again, and start Postroom anew. Until then it asks for passwords at each start.';
const otherAdvice =
  'The password store of this computer cannot be used at the moment. Unlock it, or sign in again, and start ' +
  'Postroom anew. Until then it asks for passwords at each start.';

/**
 * The operating system's password store. The only user of safeStorage. Prefers the asynchronous functions, since
 * the others are going away; an older Electron has only those.
 */
export function systemKeychain(
  safe: SafeStorageLike = safeStorage,
  platform: NodeJS.Platform = process.platform,
): Keychain {
  const advice = platform === 'linux' ? linuxAdvice : otherAdvice;
  const available = async (): Promise<{ ok: true } | { ok: false; reason: string }> => {
    try {
      // `basic_text` means a password that is the same on every computer: that protects nothing
      const backend = platform === 'linux' ? safe.getSelectedStorageBackend?.() : undefined;
      if (backend === 'basic_text' || backend === 'unknown') return { ok: false, reason: advice };
      const can = safe.isAsyncEncryptionAvailable
        ? await safe.isAsyncEncryptionAvailable()
        : safe.isEncryptionAvailable();
      return can ? { ok: true } : { ok: false, reason: advice };
    } catch {
      return { ok: false, reason: advice };
    }
  };
  const demand = async (): Promise<void> => {
    const answer = await available();
    if (!answer.ok) throw new PostroomError('secret', answer.reason);
  };
  return {
    available,
    async encrypt(text) {
      await demand();
      return safe.encryptStringAsync ? safe.encryptStringAsync(text) : safe.encryptString(text);
    },
    async decrypt(blob) {
      await demand();
      if (!safe.decryptStringAsync) return { text: safe.decryptString(blob), renew: false };
      const { result, shouldReEncrypt } = await safe.decryptStringAsync(blob);
      return { text: result, renew: shouldReEncrypt };
    },
  };
}
