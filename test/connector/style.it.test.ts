/**
 * The style of WordPress, as far as PHP_CodeSniffer knows it by itself: Debian has no WPCS. Where that is at hand,
 * `phpcs --standard=assets/shop-connector/phpcs.xml.dist` asks for all of it.
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { connectorFolder } from './wordpress.ts';

// Debian's package is what `npm test` installs; elsewhere the style is judged by who works on the connector
const name = process.platform === 'linux' ? 'is WordPress\u2019s' : 'is looked at on Linux alone';
it(`the connector\u2019s style ${name}`, () => {
  if (process.platform !== 'linux') return;
  const { status, stdout, stderr, error } = spawnSync('phpcs', ['--standard=phpcs-plain.xml', '-v'], {
    cwd: connectorFolder,
    encoding: 'utf8',
  });
  if (error)
    throw new Error(`phpcs is not there (on Debian: apt-get install php-codesniffer): ${error.message}`);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout.match(/^Processing /gm)?.length).toBeGreaterThan(20);
});
