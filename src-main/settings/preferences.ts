import { type Preferences, preferences, usualPreferences } from '../contract/preferences.ts';
import type { KeyValueFile } from './book.ts';

/** What is kept in the file; whether we start at login only the system knows. */
export type KeptPreferences = Omit<Preferences, 'startAtLogin'>;
const shape = preferences.omit({ startAtLogin: true }).shape;

/** Preferences in the app's own file. What cannot be read there is as usual: a broken file stops nothing. */
export class PreferenceFile {
  private readonly file: KeyValueFile;

  constructor(file: KeyValueFile) {
    this.file = file;
  }

  read(): KeptPreferences {
    const entries = Object.entries(shape).map(([name, schema]) => {
      const found = schema.safeParse(this.file.get(name));
      return [name, found.success ? found.data : usualPreferences[name as keyof KeptPreferences]];
    });
    return Object.fromEntries(entries) as KeptPreferences;
  }

  save(patch: { [K in keyof KeptPreferences]?: KeptPreferences[K] | undefined }): KeptPreferences {
    for (const [name, value] of Object.entries(patch)) if (value !== undefined) this.file.set(name, value);
    return this.read();
  }
}
