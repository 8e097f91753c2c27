// Finds what is missing of the operating system's programs and libraries; installs it with apt where it may
// (root on Debian and its kin), else says exactly what to type.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { debianLibraries, fonts, openedLater, programFolders, programs, unpacked } from './needs.mjs';
import { inRoot } from './paths.mjs';
import { runToEnd } from './processes.mjs';
import { PlainError, say, seconds } from './say.mjs';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

/** Missing programs of `names`, each `{ what, debian, fedora, brew, winget }`. */
export function missingPrograms(names) {
  return names
    .filter((name) => programs[name].on.includes(process.platform) && !isThere(programs[name]))
    .map((name) => ({ what: name, ...programs[name] }));
}

function isThere({ names, phpModules = [] }) {
  const program = findProgram(...names);
  if (!program || phpModules.length === 0) return Boolean(program);
  const known = (spawnSync(program, ['-m'], { encoding: 'utf8' }).stdout ?? '').split(/\r?\n/);
  return phpModules.every((name) => known.includes(name));
}

/** Missing files of `names`, packages that are only unpacked. */
export function missingFiles(names) {
  return names
    .map((name) => ({ what: name, ...unpacked[name] }))
    .filter(
      ({ on, file, folder }) =>
        !process.env[folder] &&
        on.includes(process.platform) &&
        !['/', unpackedRoot].some((at) => fs.existsSync(path.join(at, file))),
    );
}

const unpackedRoot = inRoot('out', 'debian');

/** The full path of the first program found, null without one. */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...programFolders].filter(Boolean);
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const name of names) {
    for (const folder of folders) {
      for (const suffix of suffixes) {
        const file = path.join(folder, name + suffix);
        if (fs.existsSync(file)) return file;
      }
    }
  }
  return null;
}

/** Missing libraries of an Electron; `forTests` adds fonts and what it opens only later. Linux alone misses any. */
export function missingLibraries(executable, { forTests = false } = {}) {
  if (!isLinux) return [];
  const ldd = spawnSync('ldd', [executable], { encoding: 'utf8' });
  const absent = new Set(
    [...(ldd.stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]),
  );
  if (forTests) for (const library of openedLater.filter(isUnknownToLoader())) absent.add(library);
  const missing = [...absent].map((library) => ({
    what: library,
    debian: debianLibraries[library],
    fedora: `'${library}()(64bit)'`, // dnf finds the package of a library by itself
  }));
  if (forTests && !hasFonts()) missing.push({ what: 'a font', ...fonts });
  return missing;
}

/** A test for libraries that the dynamic loader does not know at this moment. */
function isUnknownToLoader() {
  const ldconfig = findProgram('ldconfig');
  const known = ldconfig ? (spawnSync(ldconfig, ['-p'], { encoding: 'utf8' }).stdout ?? '') : '';
  return (library) => !known.includes(`\t${library} `);
}

function hasFonts() {
  const holdsFont = (folder, depth) =>
    fs.existsSync(folder) &&
    fs
      .readdirSync(folder, { withFileTypes: true })
      .some((entry) =>
        entry.isDirectory()
          ? depth > 0 && holdsFont(path.join(folder, entry.name), depth - 1)
          : /\.(ttf|otf|ttc)$/i.test(entry.name),
      );
  return holdsFont('/usr/share/fonts', 4) || holdsFont('/usr/local/share/fonts', 4);
}

/** Installs what is missing, or throws with the command that does. */
export async function provide(missing, findMissing) {
  if (missing.length === 0) return;
  const names = missing.map(({ what }) => what).join(', ');
  if (!isLinux || !isRoot || !findProgram('apt-get'))
    throw new PlainError(`missing: ${names}. ${howToInstall(missing)}`);
  await aptInstall(missing);
  const still = findMissing();
  if (still.length > 0) throw new PlainError(`still missing: ${still.map(({ what }) => what).join(', ')}`);
}

function howToInstall(missing) {
  const by = (key) => [...new Set(missing.map((need) => need[key]).filter(Boolean))].join(' ');
  if (process.platform === 'darwin') return `Install with: brew install ${by('brew')}`;
  if (process.platform === 'win32') return `Install with: winget install ${by('winget')}`;
  if (findProgram('apt-get')) {
    const packages = debianPackages(missing).join(' ');
    const commands = [
      'sudo apt-get update',
      ...(packages ? [`sudo apt-get install --no-install-recommends ${packages}`] : []),
      ...missing.flatMap(({ unpack }) =>
        unpack ? [`apt-get download ${unpack}`, `dpkg-deb -x ${unpack}_*.deb out/debian`] : [],
      ),
    ];
    return `Install with: ${commands.join(' && ')}`;
  }
  if (findProgram('dnf')) return `Install with: sudo dnf install ${by('fedora')}`;
  return `Install them with your package manager (on Debian: ${debianPackages(missing).join(' ')})`;
}

function debianPackages(missing) {
  const wanted = [...new Set(missing.map(({ debian }) => debian).filter(Boolean))];
  const alternatives = wanted.flatMap((names) => names.split('|'));
  const known = availablePackages(alternatives);
  const chosen = wanted.map((names) => {
    const candidates = names.split('|');
    return candidates.find((name) => known.has(name)) ?? candidates.at(-1);
  });
  return [...new Set(chosen)].sort();
}

/** Those of `names` that apt could install now. */
function availablePackages(names) {
  const { stdout } = spawnSync('apt-cache', ['policy', ...names], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const found = (stdout ?? '').matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (\S+)/gm);
  return new Set([...found].filter(([, , candidate]) => candidate !== '(none)').map(([, name]) => name));
}

async function aptInstall(missing) {
  const began = performance.now();
  const log = inRoot('out', 'apt.log');
  fs.mkdirSync(path.dirname(log), { recursive: true });
  const output = fs.openSync(log, 'w');
  const options = {
    stdio: ['ignore', output, output],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'l', LC_ALL: 'C' },
  };
  const apt = (...args) => runToEnd('apt-get', ['-y', '-o', 'DPkg::Lock::Timeout=300', ...args], options);
  say('asking Debian for its list of packages (apt-get update)');
  const updated = await apt('update'); // an unreachable list of many is a warning: the installation decides
  const packages = debianPackages(missing);
  const unpacks = missing.map(({ unpack }) => unpack).filter(Boolean);
  say(`installing from Debian: ${[...packages, ...unpacks].join(' ')}`);
  const keep = ['-o', 'Dpkg::Options::=--force-confdef', '-o', 'Dpkg::Options::=--force-confold'];
  let code = answerBeforehand(missing);
  if (code === 0 && packages.length > 0)
    code = await withoutServices(() => apt(...keep, 'install', '--no-install-recommends', ...packages));
  for (const name of unpacks) code ||= await unpack(name, options);
  fs.closeSync(output);
  if (code === 0) return say(`installed in ${seconds(began)}`);
  process.stderr.write(`${fs.readFileSync(log, 'utf8').trim().split('\n').slice(-15).join('\n')}\n`);
  throw new PlainError(
    `apt-get ${updated === 0 ? 'install' : 'update and install'} failed: see above and out/apt.log`,
  );
}

/** Questions that a package's installation would ask, answered; those that are answered already stay so. */
function answerBeforehand(missing) {
  const answers = missing.map(({ debconf }) => debconf).filter(Boolean);
  if (answers.length === 0 || !findProgram('debconf-set-selections')) return 0;
  const { status } = spawnSync('debconf-set-selections', { input: `${answers.join('\n')}\n` });
  return status ?? 1;
}

/** A Debian package's files, nothing of it installed. */
async function unpack(name, options) {
  const aside = inRoot('out', '.deb');
  fs.rmSync(aside, { recursive: true, force: true });
  fs.mkdirSync(aside, { recursive: true });
  const code = await runToEnd('apt-get', ['download', name], { ...options, cwd: aside });
  if (code !== 0) return code;
  const [file] = fs.readdirSync(aside);
  const unpackedCode = await runToEnd('dpkg-deb', ['-x', path.join(aside, file), unpackedRoot], options);
  fs.rmSync(aside, { recursive: true, force: true });
  return unpackedCode;
}

/** The tests run servers of their own: none of the system's is started on account of an installation. */
async function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d';
  if (fs.existsSync(policy)) return work();
  fs.writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    fs.rmSync(policy, { force: true });
  }
}

/**
 * An ordinary user's Electron needs user namespaces or a setuid helper for its sandbox; some distributions
 * forbid the first. Throws with the command that helps; root runs without a sandbox anyway.
 */
export function checkSandbox(dir) {
  if (!isLinux || isRoot) return;
  const helper = path.join(dir, 'chrome-sandbox');
  const stat = fs.statSync(helper, { throwIfNoEntry: false });
  if (stat && stat.uid === 0 && stat.mode & 0o4000) return;
  try {
    execFileSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' });
  } catch (error) {
    if (error.code === 'ENOENT') return; // no unshare here: Electron will tell itself
    throw new PlainError(
      "this system does not let Electron make its sandbox. Allow it with: sudo chown root '" +
        `${helper}' && sudo chmod 4755 '${helper}'`,
    );
  }
}
