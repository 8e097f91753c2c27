import type { Sentences } from '../../src-main/contract/sentences.ts';
import type english from './en.json';

/** All words of one language; `sentences` are those of the engine, which says them in English (contract/sentences). */
export type Words = typeof english & { sentences?: Sentences };

/** One file a language: putting `de.json` beside these is all that it takes. English is in the first paint. */
const files = import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'default' });

/** Tags of the languages that there are (BCP 47). */
export const languages: readonly string[] = [
  'en',
  ...Object.keys(files).map((file) => file.slice('./'.length, -'.json'.length)),
];

/** Words of a language other than English; null where there are none. */
export async function wordsOf(language: string): Promise<Words | null> {
  return (await files[`./${language}.json`]?.()) ?? null;
}
