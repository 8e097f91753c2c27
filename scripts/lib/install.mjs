// Makes sure that node_modules is what package-lock.json asks for. Node builtins only: it runs on a bare checkout.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { withLock } from './lock.mjs';
import { inRoot, root } from './paths.mjs';
import { npmCommand, runToEnd } from './processes.mjs';
import { PlainError, say, seconds } from './say.mjs';

const stampFile = inRoot('node_modules', '.postroom-installed');

export async function ensureDependencies() {
  refuseOldNode();
  const wanted = wantedStamp();
  if (isInstalled(wanted)) return;
  await withLock('installation', async () => {
    if (isInstalled(wanted)) return;
    // a link leads to another checkout's: npm would empty that one under whoever works there
    if (fs.lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new PlainError(
        'node_modules is a link, and what lies there is not what package-lock.json asks for: run npm ci where it leads to',
      );
    say('installing what is missing (npm ci)');
    const began = performance.now();
    const npm = npmCommand();
    // No install scripts: the only ones in the tree compile optional helpers that the bundles leave out.
    const args = [
      'ci',
      '--ignore-scripts',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    const code = await runToEnd(npm.file, [...npm.args, ...args], { cwd: root, shell: npm.shell });
    if (code !== 0) throw new PlainError(`npm ci failed with exit code ${code}: see its words above`);
    fs.writeFileSync(stampFile, wanted);
    say(`installed in ${seconds(began)}`);
  });
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new PlainError(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
}

function wantedStamp() {
  const lock = fs.readFileSync(inRoot('package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}`;
}

function isInstalled(wanted) {
  if (fs.existsSync(stampFile)) return fs.readFileSync(stampFile, 'utf8') === wanted;
  if (!isSameTree()) return false;
  fs.writeFileSync(stampFile, wanted);
  return true;
}

/** True where someone ran npm by hand and npm's own record of node_modules has all that the lock file has. */
function isSameTree() {
  const record = inRoot('node_modules', '.package-lock.json');
  if (!fs.existsSync(record)) return false;
  const there = JSON.parse(fs.readFileSync(record, 'utf8')).packages;
  const { packages } = JSON.parse(fs.readFileSync(inRoot('package-lock.json'), 'utf8'));
  return Object.entries(packages).every(([where, { version, optional, devOptional }]) => {
    if (where === '') return true;
    const found = there[where];
    return found ? found.version === version : Boolean(optional || devOptional);
  });
}
