// Builds the five targets (main, preload, renderer, cli, enqueue), each only when something it is made of has changed.
//   npm run build [-- TARGET... --force]
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDependencies } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { inRoot } from './lib/paths.mjs';
import { runToEnd } from './lib/processes.mjs';
import { PlainError, run, say, seconds } from './lib/say.mjs';
import { staleTargets, stampOf, targets, writeStamp } from './lib/targets.mjs';

/** Builds what is stale among `names`; returns the names of what was built. */
export async function ensureBuilt(names = Object.keys(targets), { force = false } = {}) {
  if (!force && staleTargets(names).length === 0) return [];
  return withLock('build', async () => {
    const stale = force ? names : staleTargets(names);
    if (stale.length === 0) return [];
    say(`building ${stale.join(', ')}`);
    const began = performance.now();
    const { build } = await import('vite');
    const { viteConfig } = await import('./vite.mjs');
    const results = await Promise.allSettled(stale.map((name) => buildOne(name, build, viteConfig)));
    const failed = stale.filter((_, i) => results[i].status === 'rejected');
    for (const [i, name] of stale.entries()) {
      if (results[i].status === 'rejected')
        say(`${name}: ${results[i].reason?.message ?? results[i].reason}`);
    }
    if (failed.length > 0) throw new PlainError(`could not build ${failed.join(', ')}`);
    say(`built in ${seconds(began)}`);
    return stale;
  });
}

/** Builds aside and swaps the folder in at the end: what runs meanwhile never sees half a build. */
async function buildOne(name, build, viteConfig) {
  const { entry, outFile } = targets[name];
  if (!fs.existsSync(inRoot(entry))) throw new PlainError(`${entry} is not there`);
  const stamp = stampOf(name);
  const aside = inRoot('out', '.build', name);
  await build(viteConfig(name, { outDir: aside }));
  if (name === 'cli') fs.chmodSync(path.join(aside, path.basename(outFile)), 0o755);
  if (name === 'enqueue') await writeTypes(entry, aside);
  const final = path.dirname(inRoot(outFile));
  const old = `${aside}.old`;
  fs.rmSync(old, { recursive: true, force: true });
  if (fs.existsSync(final)) fs.renameSync(final, old);
  fs.renameSync(aside, final);
  fs.rmSync(old, { recursive: true, force: true });
  writeStamp(name, stamp);
}

/** The declarations of what other people's programs import. */
async function writeTypes(entry, outDir) {
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', outDir];
  // the files named here alone: without this the compiler wants tsconfig.json's own list
  const set = ['--ignoreConfig', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict'];
  const allow = ['--allowImportingTsExtensions', '--skipLibCheck', '--rootDir', path.dirname(entry)];
  const tsc = inRoot('node_modules/typescript/bin/tsc');
  const args = [tsc, entry, ...options, ...set, ...allow];
  const code = await runToEnd(process.execPath, args, { cwd: inRoot('.') });
  if (code !== 0) throw new PlainError(`no declarations of ${entry}: tsc ended with ${code}`);
  for (const file of fs.readdirSync(outDir))
    if (/\.d\.ts$/.test(file) && !['index.d.ts', 'types.d.ts'].includes(file))
      fs.rmSync(path.join(outDir, file)); // of the inside, which nobody is told of
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  await run(async () => {
    const args = process.argv.slice(2);
    const force = args.includes('--force');
    const names = args.filter((arg) => arg !== '--force');
    const unknown = names.filter((name) => !Object.hasOwn(targets, name));
    if (unknown.length > 0)
      throw new PlainError(
        `no target ${unknown.join(', ')}: there are ${Object.keys(targets).join(', ')}`,
        2,
      );
    await ensureDependencies();
    if (names.includes('cli')) names.push('enqueue'); // the npm package holds both
    const built = await ensureBuilt(names.length > 0 ? names : undefined, { force });
    if (built.length === 0) say('everything is up to date');
  });
}
