import { type SecretName, secretNames } from '../contract/channels.ts';
import { PostroomError } from '../contract/errors.ts';
import type { KeyValueFile } from './book.ts';

/** Something that encrypts for this user of this computer. */
export interface Keychain {
  /** whether secrets can be kept; words for a person when not */
  available(): Promise<{ ok: true } | { ok: false; reason: string }>;
  encrypt(text: string): Promise<Buffer>;
  /** `renew`: the key has changed, the text should be encrypted anew */
  decrypt(blob: Buffer): Promise<{ text: string; renew: boolean }>;
}

export type SecretStates = Record<SecretName, 'set' | 'not set'>;

/**
 * The profiles' passwords and passphrases, encrypted by the operating system (promise 12). A blob that cannot be
 * read is an error with the advice to type the secret again: never an empty password, never plain text.
 */
export class Vault {
  private readonly keychain: Keychain;
  private readonly blobs: KeyValueFile;

  constructor(keychain: Keychain, blobs: KeyValueFile) {
    this.keychain = keychain;
    this.blobs = blobs;
  }

  available(): ReturnType<Keychain['available']> {
    return this.keychain.available();
  }

  /** Which secrets are there, without opening any. */
  states(profile: string): SecretStates {
    const states = {} as SecretStates;
    for (const name of secretNames) states[name] = this.blob(profile, name) === null ? 'not set' : 'set';
    return states;
  }

  /** Keeps (text), forgets (null or empty) or leaves alone (not named) secrets. All or nothing. */
  async save(profile: string, changes: Partial<Record<SecretName, string | null>>): Promise<void> {
    const next = { ...this.all(profile) };
    for (const name of secretNames) {
      const change = changes[name];
      if (change === undefined) continue;
      if (change === null || change === '') delete next[name];
      else next[name] = (await this.keychain.encrypt(change)).toString('base64');
    }
    if (Object.keys(next).length === 0) this.blobs.delete(profile);
    else this.blobs.set(profile, next);
  }

  /** The secrets that are set, in the clear. For the main process alone. */
  async open(profile: string): Promise<Partial<Record<SecretName, string>>> {
    const opened: Partial<Record<SecretName, string>> = {};
    for (const name of secretNames) {
      const blob = this.blob(profile, name);
      if (blob === null) continue;
      opened[name] = await this.read(profile, name, blob);
    }
    return opened;
  }

  forget(profile: string): void {
    this.blobs.delete(profile);
  }

  private async read(profile: string, name: SecretName, blob: string): Promise<string> {
    const available = await this.keychain.available();
    if (!available.ok) throw new PostroomError('secret', available.reason);
    let text: string;
    let renew: boolean;
    try {
      ({ text, renew } = await this.keychain.decrypt(Buffer.from(blob, 'base64')));
    } catch (cause) {
      throw new PostroomError(
        'secret',
        `The saved ${secretTitles[name]} cannot be read any more. Open the connection settings and type it again.`,
        { cause },
      );
    }
    if (text === '') {
      throw new PostroomError('secret', `The saved ${secretTitles[name]} is empty. Type it again.`);
    }
    if (renew) await this.save(profile, { [name]: text }).catch(() => undefined); // the old blob still works
    return text;
  }

  private all(profile: string): Record<string, string> {
    const found = this.blobs.get(profile);
    if (typeof found !== 'object' || found === null) return {};
    const entries = Object.entries(found).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(entries);
  }

  private blob(profile: string, name: SecretName): string | null {
    return this.all(profile)[name] ?? null;
  }
}

/** How a person calls each secret. */
const secretTitles: Record<SecretName, string> = {
  'database.password': 'database password',
  'ssh.password': 'SSH password',
  'ssh.passphrase': 'passphrase of the SSH key',
  'smtp.password': 'mail account password',
};
