// Builds the four targets (main, preload, renderer, cli), each only when something it is made of has changed.
//   npm run build [-- TARGET... --force]
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDependencies } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { inRoot } from './lib/paths.mjs';
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
  const final = path.dirname(inRoot(outFile));
  const old = `${aside}.old`;
  fs.rmSync(old, { recursive: true, force: true });
  if (fs.existsSync(final)) fs.renameSync(final, old);
  fs.renameSync(aside, final);
  fs.rmSync(old, { recursive: true, force: true });
  writeStamp(name, stamp);
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
    const built = await ensureBuilt(names.length > 0 ? names : undefined, { force });
    if (built.length === 0) say('everything is up to date');
  });
}
