import type { KeyValueFile } from '../../src-main/settings/book.ts';
import type { Keychain } from '../../src-main/settings/vault.ts';

/** A file of named values in memory; `content` is what would be on disk. */
export function memoryFile(): KeyValueFile & { content: Map<string, unknown> } {
  const content = new Map<string, unknown>();
  return {
    content,
    get: (key) => content.get(key),
    set: (key, value) => {
      content.set(key, JSON.parse(JSON.stringify(value)) as unknown);
    },
    delete: (key) => {
      content.delete(key);
    },
  };
}

/** A keychain that turns texts around: enough to tell a blob from its text. */
export function openKeychain(): Keychain {
  const turned = (text: string) => [...text].reverse().join('');
  return {
    available: async () => ({ ok: true }),
    encrypt: async (text) => Buffer.from(`sealed:${turned(text)}`),
    decrypt: async (blob) => {
      const text = blob.toString();
      if (!text.startsWith('sealed:')) throw new Error('bad blob');
      return { text: turned(text.slice(7)), renew: false };
    },
  };
}
