/** What is made of the connector's sources is committed, complete and current. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as connector from '../../scripts/lib/connector.mjs';
import { connectorFile } from '../../src-main/shop/sites/find-sites.ts';
import { filesBelow, readText } from '../support/source-tree.ts';
import { connectorFolder } from './wordpress.ts';

it('languages: every string stands in the .pot and in Czech, the .mo is made of that', () => {
  for (const [name, bytes] of connector.madeLanguages())
    expect(
      readFileSync(path.join(connectorFolder, name)).equals(bytes),
      `${name}: run npm run connector`,
    ).toBe(true);
});

it('manifest: names, sizes and sums of what is copied', () => {
  expect(readText('assets/shop-connector/manifest.json'), 'run npm run connector').toBe(
    String(connector.madeManifest()),
  );
  const names = connector.connectorFiles();
  expect(names).toContain(connectorFile);
  expect(names.filter((name) => !/\.(php|pot|po|mo)$/.test(name))).toEqual([]);
});

it('every file of PHP stands guarded against being called by itself', () => {
  const files = filesBelow('assets/shop-connector').filter(
    (file) => file.endsWith('.php') && !file.endsWith('index.php'),
  );
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) expect(readText(file), file).toContain("defined( 'ABSPATH' ) || exit;");
  for (const file of files) expect(readText(file).split('\n').length, file).toBeLessThan(300);
});
