import { PostroomError } from '../contract/errors.ts';
import { type SecretName, secretNames } from '../contract/secrets.ts';
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

/** Stands in the file for a secret that is to be asked for at each start: no keychain was there to keep it. */
const askEachTime = 'ask';

/**
 * The profiles' passwords and passphrases, encrypted by the operating system (promise 12). Where nothing can keep them they
 * live in this process only and are asked for again at its next start. What cannot be read is asked for again, too: never an
 * empty password, never plain text on the disk.
 */
export class Vault {
  private readonly keychain: Keychain;
  private readonly blobs: KeyValueFile;
  /** typed while no keychain could keep them */
  private readonly typed = new Map<string, Partial<Record<SecretName, string>>>();
  /** found to be unreadable by the last `open` */
  private readonly unreadable = new Map<string, SecretName[]>();

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
    for (const name of secretNames) {
      const blob = this.blob(profile, name);
      const there = this.typed.get(profile)?.[name] !== undefined || (blob !== null && blob !== askEachTime);
      states[name] = there ? 'set' : 'not set';
    }
    return states;
  }

  /** Secrets that the profile needs and that only a person can give now. */
  asks(profile: string): SecretName[] {
    const unreadable = this.unreadable.get(profile) ?? [];
    const typed = this.typed.get(profile) ?? {};
    return secretNames.filter(
      (name) =>
        typed[name] === undefined && (unreadable.includes(name) || this.blob(profile, name) === askEachTime),
    );
  }

  /** Keeps (text), forgets (null or empty) or leaves alone (not named) secrets. All or nothing. */
  async save(profile: string, changes: Partial<Record<SecretName, string | null>>): Promise<void> {
    const next = { ...this.all(profile) };
    const typed = { ...this.typed.get(profile) };
    const named = secretNames.filter((name) => changes[name] !== undefined);
    const keeps = named.some((name) => changes[name]) && (await this.keychain.available()).ok;
    for (const name of named) {
      const change = changes[name];
      delete typed[name];
      if (!change) delete next[name];
      else if (keeps) next[name] = (await this.keychain.encrypt(change)).toString('base64');
      else {
        next[name] = askEachTime;
        typed[name] = change;
      }
    }
    if (Object.keys(next).length === 0) this.blobs.delete(profile);
    else this.blobs.set(profile, next);
    this.typed.set(profile, typed);
    const still = this.unreadable.get(profile)?.filter((name) => !named.includes(name)) ?? [];
    this.unreadable.set(profile, still);
  }

  /**
   * The secrets that are set, in the clear. For the main process alone.
   * @throws PostroomError `secret` when one must be typed (again); `asks` tells which
   */
  async open(profile: string): Promise<Partial<Record<SecretName, string>>> {
    const { opened, lacking, words } = await this.readable(profile);
    this.unreadable.set(profile, lacking);
    if (lacking.length > 0) throw new PostroomError('secret', words);
    return opened;
  }

  /** Those that can be had without asking, the names of the others, and words why the first of them cannot. */
  async readable(
    profile: string,
  ): Promise<{ opened: Partial<Record<SecretName, string>>; lacking: SecretName[]; words: string }> {
    const opened: Partial<Record<SecretName, string>> = { ...this.typed.get(profile) };
    const lacking: SecretName[] = [];
    let words = '';
    for (const name of secretNames) {
      const blob = this.blob(profile, name);
      if (blob === null || opened[name] !== undefined) continue;
      const read = blob === askEachTime ? askWords(name) : await this.read(profile, name, blob);
      if (typeof read !== 'string') opened[name] = read.text;
      else {
        words ||= read;
        lacking.push(name);
      }
    }
    return { opened, lacking, words };
  }

  forget(profile: string): void {
    this.blobs.delete(profile);
    this.typed.delete(profile);
    this.unreadable.delete(profile);
  }

  /** The text, or words why it must be typed again. */
  private async read(profile: string, name: SecretName, blob: string): Promise<{ text: string } | string> {
    const available = await this.keychain.available();
    if (!available.ok) return available.reason;
    try {
      const { text, renew } = await this.keychain.decrypt(Buffer.from(blob, 'base64'));
      if (text === '') return `The saved ${secretTitles[name]} is empty. Type it again.`;
      if (renew) await this.save(profile, { [name]: text }).catch(() => undefined); // the old blob still works
      return { text };
    } catch {
      return `The saved ${secretTitles[name]} cannot be read any more. Type it again; nothing is sent until then.`;
    }
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

const askWords = (name: SecretName): string =>
  `The ${secretTitles[name]} is asked for at each start, since this computer has no password store. Type it; nothing is sent until then.`;

/** How a person calls each secret. */
const secretTitles: Record<SecretName, string> = {
  'database.password': 'database password',
  'ssh.password': 'SSH password',
  'ssh.passphrase': 'passphrase of the SSH key',
  'smtp.password': 'mail account password',
};
