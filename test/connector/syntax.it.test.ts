/** `php -l` on every file of PHP that the connector brings, and on what tests it. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesBelow, root } from '../support/source-tree.ts';

const files = [...filesBelow('assets/shop-connector'), ...filesBelow('test/connector/php')].filter((file) =>
  file.endsWith('.php'),
);

it.each(files)('%s is PHP', (file) => {
  const { status, stdout, stderr } = spawnSync('php', ['-l', path.join(root, file)], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});
