import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { makeTeller } from '../src-main/contract/sentences.ts';
import english from './locales/en.json' with { type: 'json' };
import { type Words, wordsOf } from './locales/languages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof english };
  }
}

// synchronous on purpose: the first paint has its words
void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: english } },
  interpolation: { escapeValue: false }, // React escapes
  initAsync: false,
});

let teller = makeTeller({});

/** A sentence of the engine in the language on screen; a server's own words as they are. */
export const told = (sentence: string): string => teller(sentence);

/** Changes the language of all that is on screen. One that there is not leaves it as it is. */
export async function speak(language: string): Promise<void> {
  if (language === i18next.language) return;
  const words: Words | null = language === 'en' ? english : await wordsOf(language);
  if (!words) return;
  i18next.addResourceBundle(language, 'translation', words);
  teller = makeTeller(words.sentences ?? {});
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  // a page that is loaded anew begins in it
  history.replaceState(null, '', `?lang=${language}`);
}
