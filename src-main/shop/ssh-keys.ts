import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PostroomError } from '../contract/errors.ts';
import { errorCode } from './faults.ts';

/** `~/` as the shell has it. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') || path.startsWith('~\\')
    ? join(homedir(), path.slice(1))
    : path;
}

/** The text of a private key file. @throws PostroomError `config` when it cannot be read */
export function readKeyFile(path: string): string {
  try {
    return readFileSync(expandHome(path), 'utf8');
  } catch (error) {
    const words = errorCode(error) === 'ENOENT' ? 'is not there' : 'cannot be read';
    throw new PostroomError('config', `The private key file ${path} ${words}.`, {
      detail: String(error),
      cause: error,
    });
  }
}

/**
 * Parses a private key and says in words why it cannot be used, with the command that turns it into one that can
 * (FINDINGS 19a). Deriving the key of an encrypted one takes about a second of this thread: do it once.
 * @param parse the SSH library's parser: a key, several, or an Error
 * @param name file name for the words
 * @throws PostroomError `login` for a missing or wrong passphrase, `config` for a kind that cannot be read
 */
export function parsePrivateKey<K extends { isPrivateKey(): boolean }>(
  text: string,
  passphrase: string | null,
  name: string,
  parse: (text: string, passphrase?: string) => K | K[] | Error,
): K {
  const trimmed = text.trim();
  let parsed: K | K[] | Error;
  try {
    parsed = passphrase === null ? parse(trimmed) : parse(trimmed, passphrase);
  } catch (error) {
    parsed = error instanceof Error ? error : new Error(String(error));
  }
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key !== undefined && !(key instanceof Error)) {
    if (key.isPrivateKey()) return key;
    throw new PostroomError(
      'config',
      `${name} is a public key. Give the private one, whose file has the same name without ".pub".`,
    );
  }
  const why = key?.message ?? 'empty';
  const options = { detail: why };
  if (/^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(trimmed)) {
    throw new PostroomError(
      'config',
      `${name} is a PKCS#8 key, which cannot be read here. Convert it: ssh-keygen -p -f ${name}`,
      options,
    );
  }
  if (trimmed.startsWith('PuTTY-User-Key-File') && /Unsupported|version|format/i.test(why)) {
    throw new PostroomError(
      'config',
      `${name} is a PuTTY key of a kind that cannot be read here. Convert it: puttygen ${name} -O private-openssh -o id_postroom`,
      options,
    );
  }
  // chacha20-poly1305 is read as far as its end and then found to be damaged: the name of the cipher is the only sign
  const cipher = cipherOf(trimmed);
  if (/Unsupported cipher/.test(why) || cipher?.startsWith('chacha20')) {
    throw new PostroomError(
      'config',
      `${name} is encrypted in a way that cannot be read here. Convert it: ssh-keygen -p -Z aes256-ctr -f ${name}`,
      options,
    );
  }
  if (/no passphrase given/i.test(why))
    throw new PostroomError('login', `${name} needs its passphrase.`, options);
  if (passphrase !== null && cipher !== null)
    throw new PostroomError('login', `The passphrase of ${name} is wrong.`, options);
  if (/Unsupported OpenSSH private key type: sk-/.test(why)) {
    throw new PostroomError(
      'config',
      `${name} lives on a security key. Let the SSH agent hold it (ssh-add), and set agent to true.`,
      options,
    );
  }
  throw new PostroomError(
    'config',
    `${name} is no private key that can be read here. OpenSSH and PEM keys can; ssh-keygen -p -f ${name} converts many others.`,
    options,
  );
}

/** What encrypts a key, as its text says it: the cipher's name, `other` where only that it is encrypted is known, or null. */
function cipherOf(text: string): string | null {
  if (/^(Proc-Type: 4,ENCRYPTED|Encryption: (?!none))/m.test(text)) return 'other';
  const body = /^-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END/.exec(text)?.[1];
  if (body === undefined) return null;
  // "openssh-key-v1\0", then the cipher's name with its length before it
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < 19) return null;
  const name = bytes.subarray(19, 19 + bytes.readUInt32BE(15)).toString('latin1');
  return name === 'none' ? null : name;
}
