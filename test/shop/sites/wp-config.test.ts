import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDbHost } from '../../../src-main/shop/sites/db-host.ts';
import { readEnvFile } from '../../../src-main/shop/sites/env-file.ts';
import { phpTokens } from '../../../src-main/shop/sites/php-tokens.ts';
import { constant, readWpConfig } from '../../../src-main/shop/sites/wp-config.ts';

const read = (text: string, more: { env?: Record<string, string>; files?: Record<string, string> } = {}) =>
  readWpConfig(text, {
    folder: '/home/shop/www',
    env: new Map(Object.entries(more.env ?? {})),
    read: async (file) => more.files?.[file] ?? null,
  });
const said = async (php: string, name = 'DB_NAME') => constant(await read(`<?php\n${php}`), name);

describe('a wp-config.php', () => {
  it('has the table prefix that was assigned last', async () => {
    expect((await read(`<?php $table_prefix = 'a_'; $table_prefix = 'b_';`)).tablePrefix?.text).toBe('b_');
  });

  it('is read as most are written', async () => {
    const config = await read(`<?php
/** The base configuration for WordPress */
// ** Database settings ** //
define( 'DB_NAME', 'shop_live' );
define("DB_USER", "shop");
define('DB_PASSWORD','it\\'s \\\\ a "secret" $1#//');
define( 'DB_HOST', 'localhost:3307' );
define( 'DB_CHARSET', 'utf8mb4' );
$table_prefix  = 'wp7_';
define( 'WP_DEBUG', false );
if ( ! defined( 'ABSPATH' ) ) {
  define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';`);
    expect(constant(config, 'DB_NAME')).toBe('shop_live');
    expect(constant(config, 'DB_USER')).toBe('shop');
    expect(constant(config, 'DB_PASSWORD')).toBe(`it's \\ a "secret" $1#//`);
    expect(constant(config, 'DB_HOST')).toBe('localhost:3307');
    expect(config.tablePrefix).toEqual({ text: 'wp7_' });
    expect(config.notes).toEqual([]);
  });

  it.each([
    ['double quotes with escapes', `define('DB_NAME', "a\\tb\\x41\\u{17e}\\101\\$x\\"");`, 'a\tbAžA$x"'],
    ['what double quotes leave alone', `define('DB_NAME', "a\\'b\\q");`, "a\\'b\\q"],
    ['a line comment', `// define('DB_NAME', 'no');\ndefine('DB_NAME', 'yes');`, 'yes'],
    ['a hash comment', `# define('DB_NAME', 'no');\ndefine('DB_NAME', 'yes');`, 'yes'],
    ['a block comment', `/* define('DB_NAME', 'no'); */ define('DB_NAME', /* here */ 'yes');`, 'yes'],
    ['a comment that ends PHP', `// no ?> define('DB_NAME', 'no');<?php define('DB_NAME', 'yes');`, 'yes'],
    ['text outside of PHP', `?>define('DB_NAME', 'no');<?php define('DB_NAME', 'yes');`, 'yes'],
    ['comment signs inside a string', `define('DB_NAME', 'a//b#c/*d*/');`, 'a//b#c/*d*/'],
    ['an attribute', `#[Pure]\ndefine('DB_NAME', 'yes');`, 'yes'],
    ['const', `const DB_NAME = 'yes';`, 'yes'],
    ['upper case and a leading backslash', `\\DEFINE('DB_NAME', 'yes');`, 'yes'],
    ['a number', `define('DB_NAME', 42);`, '42'],
    ['parts', `define('A', 'x'); define('DB_NAME', A . '_' . "y");`, 'x_y'],
    ['parentheses', `define('DB_NAME', ('a' . ('b')));`, 'ab'],
    ['a variable', `$site = 'shop'; define('DB_NAME', $site . '_db');`, 'shop_db'],
    ['__DIR__ and dirname', `define('DB_NAME', dirname(__DIR__) . '/x');`, '/home/shop/x'],
    ['a heredoc', `define('DB_NAME', <<<EOT\n  yes\n  EOT);`, 'yes'],
    ['a nowdoc', `define('DB_NAME', <<<'EOT'\n$yes\nEOT\n);`, '$yes'],
    ['what comes first wins', `define('DB_NAME', 'first'); define('DB_NAME', 'second');`, 'first'],
    ['unless it is there', `if (!defined('DB_NAME')) { define('DB_NAME', 'yes'); }`, 'yes'],
    ['a default after ?:', `define('DB_NAME', getenv('X') ?: 'yes');`, 'yes'],
    ['a default after ??', `define('DB_NAME', $_ENV['X'] ?? $_SERVER['Y'] ?? 'yes');`, 'yes'],
    ['Docker’s own function', `define('DB_NAME', getenv_docker('X', 'wordpress'));`, 'wordpress'],
    ['a class’s define', `Config::define('DB_NAME', 'yes');`, 'yes'],
    ['three arguments', `define('DB_NAME', 'yes', true);`, 'yes'],
    ['bytes of UTF-8', `define('DB_NAME', "\\xc5\\xbe\\305\\276");`, 'žž'],
    ['a text that grows', `$n = 'a'; $n .= 'b'; define('DB_NAME', $n);`, 'ab'],
    [
      'what a function holds is not done',
      `function f() { define('DB_NAME', 'no'); } define('DB_NAME', 'yes');`,
      'yes',
    ],
    ['what a class holds is not done', `class C { const DB_NAME = 'no'; } define('DB_NAME', 'yes');`, 'yes'],
    ['a condition that is false', `define('DB_NAME', false ? 'no' : 'yes');`, 'yes'],
    ['no PHP tag at the end', `define('DB_NAME', 'yes');\n?>`, 'yes'],
  ])('means by %s what PHP means', async (_what, php, expected) => {
    expect(await said(php)).toBe(expected);
  });

  it.each([
    ['the environment', `getenv('DB_NAME')`, /environment variable DB_NAME/],
    ['a function', `my_secret('db')`, /my_secret\(\)/],
    ['a variable of nowhere', `$_GET['db']`, /\$_GET/],
    ['a string with a variable in it', `"shop_{$env}"`, /variables/],
  ])('says that only PHP knows a value out of %s', async (_what, value, words) => {
    const config = await read(`<?php define('DB_NAME', ${value});`);
    expect(constant(config, 'DB_NAME')).toBeNull();
    expect(config.constants.get('DB_NAME')?.[0]?.how).toMatch(words);
  });

  it('takes from .env what the environment would say, as Bedrock has it', async () => {
    const env = { DB_NAME: 'bed', DB_USER: 'rock' };
    const config = await read(
      `<?php
require_once dirname(__DIR__) . '/vendor/autoload.php';
require_once dirname(__DIR__) . '/config/application.php';`,
      {
        env,
        files: {
          '/home/shop/config/application.php': `<?php
use function Env\\env;
$root_dir = dirname(__DIR__);
$webroot_dir = $root_dir . '/web';
Config::define('DB_NAME', env('DB_NAME'));
Config::define('DB_USER', env('DB_USER'));
Config::define('DB_HOST', env('DB_HOST') ?: 'localhost');
Config::define('WP_CONTENT_DIR', $webroot_dir . '/app');
$table_prefix = env('DB_PREFIX') ?: 'wp_';`,
        },
      },
    );
    expect(constant(config, 'DB_NAME')).toBe('bed');
    expect(constant(config, 'DB_USER')).toBe('rock');
    expect(constant(config, 'DB_HOST')).toBe('localhost');
    expect(constant(config, 'WP_CONTENT_DIR')).toBe('/home/shop/web/app');
    expect(config.tablePrefix?.text).toBe('wp_');
  });

  it('follows a file of the site, says which it could not read, and does not walk in circles', async () => {
    const files: Record<string, string> = {
      '/home/shop/www/local.php': `<?php define('DB_NAME', 'local'); include 'local.php'; include __DIR__ . '/local.php';`,
    };
    const config = await read(
      `<?php include __DIR__ . '/local.php'; require '/etc/other.php'; define('DB_NAME', 'later');`,
      { files },
    );
    expect(constant(config, 'DB_NAME')).toBe('local');
    expect(config.notes).toEqual([expect.stringContaining('other.php')]);
  });

  it('keeps every branch, since a condition decides which one PHP takes', async () => {
    const config = await read(`<?php
if ($_SERVER['HTTP_HOST'] === 'localhost') { define('DB_PASSWORD', 'local'); }
else { define('DB_PASSWORD', 'live'); }`);
    expect(config.constants.get('DB_PASSWORD')?.map(({ text }) => text)).toEqual(['local', 'live']);
    expect(constant(config, 'DB_PASSWORD', 1)).toBe('live');
    expect(constant(config, 'DB_PASSWORD', 7)).toBe('live');
  });

  it('is never run, and a hostile one is read in a moment', async () => {
    for (const text of [
      `<?php ${'/* '.repeat(200_000)}`,
      `<?php define('DB_NAME', ${'('.repeat(100_000)}`,
      `<?php ${"define('DB_NAME', 'x' . ".repeat(40_000)}`,
      `<?php "${'\\'.repeat(300_001)}`,
      `<?php ${'<<<A\n'.repeat(50_000)}`,
      `<?php ${'"$a'.repeat(80_000)}`,
      `<?php ${'define('.repeat(60_000)}`,
    ]) {
      const before = process.cpuUsage();
      await read(text);
      expect(process.cpuUsage(before).user / 1000, text.slice(0, 30)).toBeLessThan(1_500);
    }
  });

  it('never fails, whatever it holds', async () => {
    const bits = fc.constantFrom(
      ...`define( const DB_NAME = getenv 'a' "b" . ?: ?? ; ) ( [ ] { } $x $table_prefix <?php ?> /* */ // # <<<A A include \\ if else`.split(
        ' ',
      ),
      '\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(bits, fc.string()), { maxLength: 60 }), async (parts) => {
        const text = `<?php ${parts.join(' ')}`;
        expect(Array.isArray(phpTokens(text))).toBe(true);
        await read(text);
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  ['localhost', 'localhost', 3306, null],
  ['db.host.example:3307', 'db.host.example', 3307, null],
  ['localhost:/run/mysqld/mysqld.sock', 'localhost', 3306, '/run/mysqld/mysqld.sock'],
  [':/tmp/mysql.sock', 'localhost', 3306, '/tmp/mysql.sock'],
  [':3310', 'localhost', 3310, null],
  ['[::1]:3308', '::1', 3308, null],
  ['fe80::1', 'fe80::1', 3306, null],
  ['p:127.0.0.1', '127.0.0.1', 3306, null],
  ['host:99999', 'host', 3306, null],
  ['', 'localhost', 3306, null],
])('DB_HOST %j is %s, %s, %s', (text, host, port, socketPath) => {
  expect(readDbHost(text)).toEqual({ host, port, socketPath });
});

it('reads a .env file as its usual readers do', () => {
  const env = readEnvFile(
    `# c\nexport A=1\nB = two words # not this\nC="a \\"b\\" # this\\nx"\nD='as $it is\\n'\nE=\nbad line\n`,
  );
  expect(Object.fromEntries(env)).toEqual({
    ...{ A: '1', B: 'two words', C: 'a "b" # this\nx', D: 'as $it is\\n', E: '' },
  });
});
