import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import english from '../../src-renderer/locales/en.json' with { type: 'json' };
import { languages, type Words, wordsOf } from '../../src-renderer/locales/languages.ts';
import { flat } from '../support/words.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

type Flat = ReadonlyMap<string, string>;

/** What the engine says has a test of its own. */
const ownWords = ({ sentences: _sentences, ...words }: Partial<Words>): [string, string][] => flat(words);

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}

const ending = /_(one|other|few|many|zero|two)$/;
/** `key_one` and `key_other` are asked for as `key`. */
const asked = (key: string) => key.replace(ending, '');
const unique = (keys: Iterable<string>) => [...new Set(keys)].sort();
const placeholders = (text: string) =>
  unique([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name));

/** The forms that whole numbers take: nobody has half a mail. */
function formsOf(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return unique(Array.from({ length: 1_001 }, (_, n) => rules.select(n)));
}

const keys = flat(english).map(([key]) => key);

describe('the words', () => {
  it('are all used somewhere', () => {
    const window = sources('src-renderer').join('\n');
    const main =
      sources('src-main/app').join('\n') + readFileSync(path.join(root, 'src-main', 'main.ts'), 'utf8');
    const unused = unique(keys.map(asked)).filter((key) => {
      if (key.startsWith('native.')) return !main.includes(`'${key.slice(7)}'`);
      if (window.includes(`'${key}'`)) return false;
      // a key with a variable in it: every dynamic use names its group
      const parts = key.split('.');
      return !parts.some((_, i) => window.includes(`\`${parts.slice(0, i + 1).join('.')}.\${`));
    });
    expect(unused).toEqual([]);
  });

  it('are there in more than one language', () => {
    expect(languages).toContain('en');
    expect(languages).toContain('cs');
  });
});

describe.each(languages)('the words of %s', (language) => {
  const load = async (): Promise<Flat> =>
    new Map(ownWords(language === 'en' ? english : ((await wordsOf(language)) ?? {})));

  it('lack no key and have none too many', async () => {
    const words = await load();
    expect(unique([...words.keys()].map(asked))).toEqual(unique(keys.map(asked)));
  });

  it('have every plural form that the language has, and no other', async () => {
    const words = await load();
    const counted = unique(keys.filter((key) => ending.test(key)).map(asked));
    expect(counted.length).toBeGreaterThan(30);
    for (const key of counted) {
      const forms = [...words.keys()].filter((one) => ending.test(one) && asked(one) === key);
      expect(forms.sort()).toEqual(formsOf(language).map((form) => `${key}_${form}`));
    }
  });

  it('say something, and leave out nothing that is filled in', async () => {
    const words = await load();
    const texts = new Map(flat(english));
    for (const [key, text] of words) {
      expect(text.trim(), key).not.toBe('');
      const original = texts.get(key) ?? texts.get(`${asked(key)}_other`) ?? '';
      // "one mail" may be said without its number
      const allowed = new Set(placeholders(original));
      for (const name of placeholders(text)) expect(allowed, key).toContain(name);
      if (!ending.test(key)) expect(placeholders(text), key).toEqual([...allowed].sort());
    }
  });
});
