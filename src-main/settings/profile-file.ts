/** A profile as a file to be taken to another computer: the command line's config file (DESIGN section 6), without secrets. */

import { PostroomError } from '../contract/errors.ts';
import { type SecretName, secretNames } from '../contract/secrets.ts';
import { withoutSecrets } from './book.ts';
import type { SecretStates } from './vault.ts';

/** Bytes: a config file is about one kilobyte; what is much larger was picked by mistake. */
export const largestProfileFile = 256 * 1024;

/** `${ENV:NAME}` in place of each secret that is set, so that the command line can use the file as it is. */
export function profileFileText(form: unknown, states: SecretStates): string {
  const copy = withoutSecrets(form);
  for (const name of secretNames) {
    const [group, field] = name.split('.') as [string, string];
    const part = copy[group];
    if (states[name] === 'set' && typeof part === 'object' && part !== null)
      (part as Record<string, unknown>)[field] = `\${ENV:${variableOf(name)}}`;
  }
  return `${JSON.stringify(copy, null, 2)}\n`;
}

/** `database.password` -> `POSTROOM_DATABASE_PASSWORD` */
const variableOf = (name: SecretName): string => `POSTROOM_${name.replace('.', '_').toUpperCase()}`;

/**
 * The form that a profile file holds; its secrets are left out, in whatever way they were written.
 * @throws PostroomError `config` when it is no profile
 */
export function readProfileFile(text: string, name: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new PostroomError('config', `${name} is no connection of Postroom: it is no valid JSON.`, {
      cause,
    });
  }
  const form = withoutSecrets(json);
  const isPart = (part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part);
  if (!isPart(form['database']) || !isPart(form['smtp']))
    throw new PostroomError(
      'config',
      `${name} is no connection of Postroom: it says nothing of a database and a mail server.`,
    );
  return form;
}

/** A file name that every system takes. */
export const profileFileName = (profileName: string): string => `${plainName(profileName)}.postroom.json`;

/** A shop's name as part of a file's name that every system takes: `studio-u`. */
export function plainName(profileName: string): string {
  const plain = profileName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .toLowerCase();
  return plain || 'shop';
}
