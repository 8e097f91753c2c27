import { createInstance } from 'i18next';
import english from '../../src-renderer/locales/en.json' with { type: 'json' };

const instance = createInstance();
void instance.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: english.native } },
  interpolation: { escapeValue: false },
  initAsync: false,
});

type Key = keyof typeof english.native;
/** A key that is stored as `key_one` and `key_other` is asked for without its ending. */
type Asked<K extends string> = K extends `${infer Base}_${'one' | 'other'}` ? Base : K;
/** Keys of the words that the main process shows by itself: tray, notifications, questions. */
export type NativeKey = Asked<Key>;

/** Words of the main process, from the same file as the window's. */
export function say(key: NativeKey, values: Record<string, string | number> = {}): string {
  // the window's typing of i18next knows the whole file; here the resource is its `native` part
  return (instance.t as (key: string, values: object) => string)(key, values);
}
