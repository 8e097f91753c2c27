// npm run package: the installable app of this platform, in dist/.
//   npm run package [-- --dir] [--test-variant]
// --dir stops at the unpacked app. --test-variant builds, in dist/test, one that a test can attach to.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ensureBuilt } from './build.mjs';
import { electronRuntime } from './electron-runtime.mjs';
import { ensureDependencies } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { checkContents, outputFolder, packagedExecutable } from './lib/packaged.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { runToEnd } from './lib/processes.mjs';
import { PlainError, run, say, seconds } from './lib/say.mjs';
import { stampOf } from './lib/targets.mjs';

const known = ['--dir', '--test-variant'];
const args = process.argv.slice(2);
const variant = { testVariant: args.includes('--test-variant') };
const dirOnly = args.includes('--dir');

await run(async () => {
  const unknown = args.filter((arg) => !known.includes(arg));
  if (unknown.length > 0)
    throw new PlainError(`unknown: ${unknown.join(' ')} (there are ${known.join(' and ')})`, 2);
  await ensureDependencies();
  await ensureBuilt(['main', 'preload', 'renderer']);
  const runtime = await electronRuntime();
  await withLock('package', () => makePackage(runtime));
});

async function makePackage(runtime) {
  const stamp = inRoot('dist', variant.testVariant ? '.test-stamp' : '.stamp');
  const key = keyOf(runtime);
  if (
    dirOnly &&
    fs.existsSync(stamp) &&
    fs.readFileSync(stamp, 'utf8') === key &&
    fs.existsSync(packagedExecutable(variant))
  )
    return say('the package is up to date');
  fs.rmSync(stamp, { force: true });
  const began = performance.now();
  say(`packaging${variant.testVariant ? ' (the variant for tests)' : ''}`);
  const { flags, env } = runtime.source === 'official' ? officialBuild() : substituteBuild(runtime);
  const config = [`-c.directories.output=${outputFolder(variant)}`];
  if (variant.testVariant) config.push('-c.electronFuses.enableNodeCliInspectArguments=true');
  const builder = inRoot('node_modules', 'electron-builder', 'cli.js');
  const code = await runToEnd(process.execPath, [builder, ...flags, ...config, '--publish', 'never'], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  if (code !== 0) throw new PlainError(`electron-builder failed with exit code ${code}: see its words above`);
  await checkContents(variant);
  fs.writeFileSync(stamp, key);
  say(`packaged in ${seconds(began)}: ${path.relative(root, outputFolder(variant))}`);
}

/** Changes with everything that goes into the unpacked app. */
function keyOf(runtime) {
  const hash = createHash('sha256').update(JSON.stringify([runtime.dir, runtime.version]));
  for (const name of ['main', 'preload', 'renderer']) hash.update(stampOf(name).content);
  for (const file of [
    'electron-builder.yml',
    'scripts/package.mjs',
    'scripts/lib/after-pack.mjs',
    'scripts/lib/packaged.mjs',
  ])
    hash.update(fs.readFileSync(inRoot(file)));
  return hash.digest('hex');
}

/** With the declared Electron: all targets that electron-builder.yml has for this platform. */
function officialBuild() {
  const platform = { linux: '--linux', darwin: '--mac', win32: '--win' }[process.platform];
  return { flags: [platform, ...(dirOnly ? ['dir'] : [])], env: {} };
}

/**
 * With another Electron: for tests, not for users, and without what electron-builder would have to download (7-Zip
 * comes out of npm, fpm is replaced by lib/fpm-deb.mjs, an AppImage cannot be made).
 */
function substituteBuild({ dir, version, source }) {
  if (process.platform !== 'linux')
    throw new PlainError(`packages for ${process.platform} need the declared Electron`);
  say(`made with Electron ${version} (${source}): for tests, not for users; no AppImage`);
  const sevenZip = inRoot('node_modules', '7zip-bin', 'linux', process.arch, '7za');
  fs.chmodSync(sevenZip, 0o755);
  return {
    flags: [
      '--linux',
      ...(dirOnly ? ['dir'] : ['dir', 'deb', 'tar.gz']),
      `-c.electronDist=${dir}`,
      `-c.electronVersion=${version}`,
      '-c.deb.compression=gz',
    ],
    env: {
      ELECTRON_BUILDER_7ZIP_PATH: sevenZip,
      CUSTOM_FPM_PATH: inRoot('scripts', 'lib', 'fpm-deb.mjs'),
      // nobody downloads these: quick rather than small (13 s instead of 210 s)
      ELECTRON_BUILDER_COMPRESSION_LEVEL: '1',
      FPM_DEB_LEVEL: '1',
    },
  };
}
