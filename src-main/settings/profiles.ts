import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import Store from 'electron-store';
import type { KeyValueFile } from './book.ts';

/**
 * The app's files in its data folder: `profiles.json` (no secret in it), `preferences.json` and `vault.json` (encrypted blobs only).
 * The only importer of electron-store, which writes each change to a new file and renames it.
 */
export function openFiles(folder: string): {
  profiles: KeyValueFile;
  preferences: KeyValueFile;
  vault: KeyValueFile;
} {
  return {
    profiles: open(folder, 'profiles'),
    preferences: open(folder, 'preferences'),
    vault: open(folder, 'vault'),
  };
}

function open(folder: string, name: string): KeyValueFile {
  setAsideWhenBroken(path.join(folder, `${name}.json`));
  const store = new Store<Record<string, unknown>>({
    cwd: folder,
    name,
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
  });
  return {
    get: (key) => store.get(key),
    set: (key, value) => store.set(key, value),
    delete: (key) => store.delete(key),
  };
}

/** A file that a crash or a hand has broken must not keep the app from starting; it is kept beside, not lost. */
function setAsideWhenBroken(file: string): void {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) renameSync(file, `${file}.broken-${Date.now()}`);
  }
}
