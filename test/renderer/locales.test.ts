import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import english from '../../src-renderer/locales/en.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '..', '..');

function keysOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? keysOf(inner as object, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}

/** `key_one` and `key_other` are asked for as `key`. */
const asked = (key: string) => key.replace(/_(one|other|few|many|zero|two)$/, '');
const keys = keysOf(english);

describe('the words', () => {
  it('are all used somewhere', () => {
    const window = sources('src-renderer').join('\n');
    const main =
      sources('src-main/app').join('\n') + readFileSync(path.join(root, 'src-main', 'main.ts'), 'utf8');
    const unused = [...new Set(keys.map(asked))].filter((key) => {
      if (key.startsWith('native.')) return !main.includes(`'${key.slice(7)}'`);
      if (window.includes(`'${key}'`)) return false;
      // a key with a variable in it: every dynamic use names its group
      const parts = key.split('.');
      return !parts.some((_, i) => window.includes(`\`${parts.slice(0, i + 1).join('.')}.\${`));
    });
    expect(unused).toEqual([]);
  });

  it('have both plural forms or none', () => {
    const plurals = keys.filter((key) => key.endsWith('_one') || key.endsWith('_other'));
    for (const key of plurals) {
      expect(keys).toContain(`${asked(key)}_one`);
      expect(keys).toContain(`${asked(key)}_other`);
    }
  });
});
