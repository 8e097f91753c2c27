import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { app } from 'electron';
import type { ImportedProfile } from '../contract/channels.ts';
import { PostroomError } from '../contract/errors.ts';
import type { BookEntry } from '../settings/book.ts';
import {
  largestProfileFile,
  profileFileName,
  profileFileText,
  readProfileFile,
} from '../settings/profile-file.ts';
import type { SecretStates } from '../settings/vault.ts';
import { cannotWrite, pickFile, pickPlace } from './pick-file.ts';
import type { MainWindow } from './window.ts';
import { say } from './words.ts';

const filters = () => [{ name: say('profileFiles'), extensions: ['json'] }];

/**
 * Writes a profile where the person says. @returns its path, null when the person thought better of it
 * @throws PostroomError `disk`
 */
export async function exportProfile(
  window: MainWindow,
  entry: BookEntry,
  states: SecretStates,
): Promise<string | null> {
  const options = {
    title: say('exportProfile'),
    defaultPath: path.join(app.getPath('documents'), profileFileName(entry.name)),
    filters: filters(),
  };
  const filePath = await pickPlace(window, options);
  if (!filePath) return null;
  try {
    // no secret in it, but names of servers and users are nobody else's business either
    await writeFile(filePath, profileFileText(entry.form, states), { mode: 0o600 });
  } catch (cause) {
    throw cannotWrite(filePath, cause);
  }
  return filePath;
}

/**
 * Reads a profile from a file that the person picks.
 * @throws PostroomError `config` when it is no profile or cannot be read
 */
export async function importProfile(window: MainWindow): Promise<ImportedProfile | null> {
  const options = {
    title: say('importProfile'),
    properties: ['openFile' as const],
    filters: filters(),
  };
  const file = await pickFile(window, options);
  if (!file) return null;
  return { file, form: readProfileFile(await readSmall(file), path.basename(file)) };
}

async function readSmall(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= largestProfileFile) return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PostroomError('config', `${file} cannot be read.`, { detail: String(cause), cause });
  }
  throw new PostroomError('config', `${path.basename(file)} is no connection of Postroom: it is too large.`);
}
