// What is built from what, and whether it is still fresh. Node builtins only, and quick: every command asks this.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { inRoot, root } from './paths.mjs';

const shared = ['package.json', 'package-lock.json', 'scripts/vite.mjs', 'scripts/lib/targets.mjs'];

/** `inputs` are files and folders, `outFile` is what must be there for the target to count as built. */
export const targets = {
  main: {
    entry: 'src-main/main.ts',
    outFile: 'out/main/main.mjs',
    inputs: ['src-main', 'src-renderer/locales', ...shared],
  },
  preload: {
    entry: 'src-main/preload.ts',
    outFile: 'out/preload/preload.cjs',
    inputs: ['src-main', ...shared],
  },
  renderer: {
    entry: 'src-renderer/index.html',
    outFile: 'out/renderer/index.html',
    inputs: ['src-renderer', 'src-main/contract', 'assets', ...shared],
  },
  cli: {
    entry: 'src-main/cli.ts',
    outFile: 'out/cli/cli.mjs',
    inputs: ['src-main', 'src-renderer/locales', ...shared],
  },
  enqueue: {
    entry: 'src-main/enqueue/index.ts',
    outFile: 'out/enqueue/index.mjs',
    inputs: ['src-main/enqueue', 'tsconfig.json', 'scripts/build.mjs', ...shared],
  },
};

/** The targets of `names` that must be built again. */
export function staleTargets(names = Object.keys(targets)) {
  return names.filter((name) => !isFresh(name));
}

/** Fresh by size and time of each input; where those moved (a checkout, a copy), by content. */
function isFresh(name) {
  if (!fs.existsSync(inRoot(targets[name].outFile))) return false;
  const stamp = readStamp(name);
  if (!stamp) return false;
  const quick = quickKey(name);
  if (stamp.quick === quick) return true;
  if (stamp.content !== contentKey(name)) return false;
  fs.writeFileSync(stampFile(name), JSON.stringify({ ...stamp, quick }));
  return true;
}

/** What the inputs are now: taken before a build and written after it, so that an edit meanwhile is not missed. */
export function stampOf(name) {
  return { quick: quickKey(name), content: contentKey(name) };
}

export function writeStamp(name, stamp) {
  fs.mkdirSync(path.dirname(stampFile(name)), { recursive: true });
  fs.writeFileSync(stampFile(name), JSON.stringify(stamp));
}

/** Makes a target stale, whatever lies in its folder. */
export function forgetStamp(name) {
  fs.rmSync(stampFile(name), { force: true });
}

const stampFile = (name) => inRoot('out', '.stamps', `${name}.json`);

function readStamp(name) {
  try {
    return JSON.parse(fs.readFileSync(stampFile(name), 'utf8'));
  } catch {
    return null;
  }
}

function quickKey(name) {
  const hash = createHash('sha256');
  for (const file of inputFiles(name)) {
    const { size, mtimeMs } = fs.statSync(file);
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function contentKey(name) {
  const hash = createHash('sha256');
  for (const file of inputFiles(name))
    hash.update(`${path.relative(root, file)}\n`).update(fs.readFileSync(file));
  return hash.digest('hex');
}

function inputFiles(name) {
  return targets[name].inputs.flatMap((input) => filesBelow(inRoot(input)));
}

function filesBelow(where) {
  const stat = fs.statSync(where, { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.isFile()) return [where];
  return fs
    .readdirSync(where, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const below = path.join(where, entry.name);
      if (entry.isDirectory()) return filesBelow(below);
      return entry.isFile() ? [below] : [];
    });
}
