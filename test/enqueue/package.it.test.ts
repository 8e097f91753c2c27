/** The npm package, as another program gets it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../support/source-tree.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'postroom-package-'));
let packed: string[];

const inFolder = (...args: string[]) => run(process.execPath, args, { cwd: folder });

beforeAll(async () => {
  // what `npm pack` runs first; the command line program comes with it
  await run(process.execPath, [path.join(root, 'scripts/build.mjs'), 'cli']);
  const npm = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    shell: process.platform === 'win32',
  });
  const [report] = JSON.parse(npm.stdout) as [{ files: { path: string }[] }];
  packed = report.files.map((file) => file.path);
  for (const file of packed)
    cpSync(path.join(root, file), path.join(folder, 'node_modules/postroom', file), { recursive: true });
  // what such a program has beside it
  mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['mysql2', 'sql-escaper', '@types/node', 'undici-types'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name), 'junction');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('holds the entry, its types and the program', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      'out/enqueue/index.mjs',
      'out/enqueue/index.d.ts',
      'out/enqueue/types.d.ts',
      'out/cli/cli.mjs',
      'package.json',
    ]),
  );
});

it('can be imported and required, and needs nothing else', async () => {
  // alone: the packages that the console is bundled with are not there
  const use = `enqueue({ query: async (sql) => (console.log(sql), { insertId: 3 }) },
    { to: 'a@b.test', subject: 's', text: 't' }, { shape: 'jobs' }).then(console.log)`;
  writeFileSync(path.join(folder, 'use.mjs'), `import { enqueue } from 'postroom/enqueue';\n${use}`);
  writeFileSync(path.join(folder, 'use.cjs'), `const { enqueue } = require('postroom/enqueue');\n${use}`);
  for (const file of ['use.mjs', 'use.cjs'])
    expect((await inFolder(file)).stdout).toMatch(/^INSERT INTO `jobs` .*\n\[ 3 \]\n$/);
});

it('still starts its program', async () => {
  const { stdout } = await inFolder('node_modules/postroom/out/cli/cli.mjs', '--version');
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
});

it('has types that fit mysql2 and catch a wrong word', async () => {
  const source = (shape: string) => `
    import mysql from 'mysql2';
    import { createConnection, type PoolConnection } from 'mysql2/promise';
    import { enqueue, type Mail, type RowId } from 'postroom/enqueue';
    const mail: Mail = { to: ['a@b.test'], subject: 's', html: '<p>' };
    export const byPool = (it: PoolConnection): Promise<RowId[]> => enqueue(it, mail, { shape: '${shape}' });
    export const byCallbacks = () => enqueue(mysql.createConnection({}), [mail], { shape: 'jobs', chunk: 5 });
    export const byPromise = async () => enqueue(await createConnection({}), mail, { shape: 'jobs' });
  `;
  const compile = async (shape: string) => {
    writeFileSync(path.join(folder, 'use.mts'), source(shape));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = [
      '--module',
      'nodenext',
      '--lib',
      'esnext',
      '--types',
      'node',
      '--strict',
      '--skipLibCheck',
    ];
    return inFolder(tsc, '--noEmit', ...options, 'use.mts').then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
  };
  expect(await compile('email-jobs')).toBe('');
  expect(await compile('emailjobs')).toMatch(/use\.mts.*TS2820|use\.mts.*TS2322/);
});
