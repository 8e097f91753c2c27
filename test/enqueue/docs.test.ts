/** docs/producers.md shows the very files that the tests run. */
import { expect, it } from 'vitest';
import { mailKeys } from '../../src-main/enqueue/mail.ts';
import { filesBelow, readText } from '../support/source-tree.ts';

const page = readText('docs/producers.md');

it('shows every example as it is', () => {
  const shown = new Map(
    [...page.matchAll(/\]\((producers\/[^)]+)\)\n\n```\w+\n([\s\S]*?)```\n/g)].map(([, file, text]) => [
      file,
      text,
    ]),
  );
  const files = filesBelow('docs/producers').map((file) => file.replace(/^docs\//, ''));
  expect(files.length).toBeGreaterThan(14);
  expect([...shown.keys()].sort()).toEqual(files.sort());
  for (const file of files) expect(shown.get(file), file).toBe(readText(`docs/${file}`));
});

it('names every key of a mail', () => {
  for (const key of mailKeys) expect(page).toContain(`\`${key}\``);
});
