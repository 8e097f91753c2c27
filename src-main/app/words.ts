import { createInstance } from 'i18next';
import type english from '../../src-renderer/locales/en.json';
import { makeTeller, type Sentences } from '../contract/sentences.ts';

/** Every language's file, by its tag: all of them together are smaller than one icon. */
const languages = Object.fromEntries(
  Object.entries(
    import.meta.glob<typeof english & { sentences?: Sentences }>('../../src-renderer/locales/*.json', {
      eager: true,
      import: 'default',
    }),
  ).map(([file, words]) => [/([^/]+)\.json$/.exec(file)?.[1] ?? '', words]),
);

const instance = createInstance();
void instance.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: Object.fromEntries(
    Object.entries(languages).map(([tag, words]) => [tag, { translation: words.native }]),
  ),
  interpolation: { escapeValue: false },
  initAsync: false,
});
let teller = makeTeller({});

type Key = keyof typeof english.native;
/** A key that is stored as `key_one` and `key_other` is asked for without its ending. */
type Asked<K extends string> = K extends `${infer Base}_${'one' | 'other'}` ? Base : K;
/** Keys of the words that the main process shows by itself: tray, notifications, questions. */
export type NativeKey = Asked<Key>;

/** Words of the main process, from the same files as the window's. */
export function say(key: NativeKey, values: Record<string, string | number> = {}): string {
  // the window's typing of i18next knows the whole file; here the resource is its `native` part
  return (instance.t as (key: string, values: object) => string)(key, values);
}

/** A sentence of the engine in the language of this surface; a server's own words as they are. */
export const told = (sentence: string): string => teller(sentence);

/** The language in which `say` and `told` speak. */
export const spoken = (): string => instance.language;

/** A moment (s since 1970) as a time of day, by this computer's clock. */
export const clockTime = (seconds: number): string =>
  new Intl.DateTimeFormat(spoken(), { hour: 'numeric', minute: '2-digit' }).format(new Date(seconds * 1000));

/** Changes the language of `say` and `told`. */
export function speak(language: string): void {
  void instance.changeLanguage(language);
  teller = makeTeller(languages[language]?.sentences ?? {});
}

/**
 * The language to speak: the chosen one, else the first of the system's that there are words for, else English.
 * @param chosen tag of a language, or `system`
 * @param systems tags as the system tells them (cs-CZ), the dearest first
 */
export function languageFor(chosen: string, systems: readonly string[]): string {
  if (Object.hasOwn(languages, chosen)) return chosen;
  for (const tag of systems) {
    const primary = tag.toLowerCase().split(/[-_]/)[0] ?? '';
    if (Object.hasOwn(languages, primary)) return primary;
  }
  return 'en';
}
