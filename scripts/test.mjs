// npm test: everything that must hold, from lint to the packaged app, and one line that says how it went.
//   npm test [-- lint|unit|integration|e2e... [FILTER of vitest]]
// It installs what it needs first, goes on after a failing phase, and leaves nothing running behind.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { countReport } from './lib/count.mjs';
import { ensureDependencies } from './lib/install.mjs';
import { endLeftovers, markName } from './lib/leftovers.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { start } from './lib/processes.mjs';
import { PlainError, say, seconds } from './lib/say.mjs';
import { missingFiles, missingLibraries, missingPrograms, provide } from './lib/system.mjs';

const kinds = ['lint', 'unit', 'integration', 'e2e'];
const args = process.argv.slice(2);
const wanted = args.filter((arg) => kinds.includes(arg));
const filters = args.filter((arg) => !kinds.includes(arg));
const wants = (...some) => wanted.length === 0 || some.some((kind) => wanted.includes(kind));

const strict = Boolean(process.env.CI) && process.env.CI !== 'false';
const mark = randomUUID();
const colours = process.stderr.isTTY ? {} : { NO_COLOR: '1' };
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'postroom-test-'));
fs.chmodSync(temporary, 0o711); // the tests' sshd lets in a user of its own, who must get to its home below
const tally = { passed: 0, failed: 0 };
const running = new Set();
/** Where the end-to-end tests find Electron and the packaged app. */
const places = {};
let interrupted = null;
let endDesktop = async () => {};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt(signal));
await main();

async function main() {
  if (await phase('preparation', prepare, { counts: false })) await runPhases();
  await endDesktop();
  await sweep();
  fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  if (interrupted) tally.failed += 1;
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  // by name and at once: nothing that a phase left open may hold the verdict back
  process.exit(
    interrupted ? 128 + os.constants.signals[interrupted] : tally.failed === 0 && tally.passed > 0 ? 0 : 1,
  );
}

async function runPhases() {
  if (wants('lint')) {
    await phase('lint', () =>
      mustRun('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    );
    await phase('type check', () => mustRun('node_modules/typescript/bin/tsc', ['--noEmit']));
  }
  // before the tests: those of the command line and of the app run what is built
  if (wants('integration', 'e2e')) await phase('build', () => mustRun('scripts/build.mjs'));
  if (wants('unit')) await phase('unit', () => vitest('unit'), { counts: false });
  if (wants('integration')) await phase('integration', () => vitest('integration'), { counts: false });
  if (wants('e2e')) {
    await phase('package', packageForTests);
    await phase('end-to-end', endToEnd, { counts: false });
  }
}

async function prepare() {
  await ensureDependencies();
  const servers = ['mariadbd', 'ssh', 'sshd', 'sftp-server', 'openssl', 'ps', 'unshare'];
  const producers = ['mariadb', 'php', 'php-mysql', 'phpcs']; // run docs/producers and the shop connector
  const mail = ['postfix', 'saslpasswd2', 'SASL PLAIN and LOGIN'];
  const desktop = ['Xvfb', 'dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'];
  if (wants('e2e')) {
    const { electronRuntime } = await import('./electron-runtime.mjs');
    places.electron = await electronRuntime();
  }
  // in one go, so that apt is asked once
  const findMissing = () => [
    ...(wants('integration', 'e2e') ? missingPrograms(servers) : []),
    ...(wants('integration', 'e2e')
      ? [...missingPrograms([...producers, ...mail, 'faketime']), ...missingFiles(['wordpress'])]
      : []),
    ...(wants('e2e') ? missingPrograms(desktop) : []),
    ...(wants('e2e') ? missingLibraries(places.electron.executable, { forTests: true }) : []),
  ];
  await provide(findMissing(), findMissing);
}

async function packageForTests() {
  await mustRun('scripts/package.mjs', ['--test-variant', '--dir']);
  const { packagedExecutable } = await import('./lib/packaged.mjs');
  places.packaged = packagedExecutable({ testVariant: true });
}

async function endToEnd() {
  const { startDesktop } = await import('./lib/desktop.mjs');
  const desktop = await startDesktop();
  endDesktop = desktop.end;
  await vitest('e2e', {
    ...desktop.env,
    ELECTRON_OVERRIDE_DIST_PATH: places.electron.dir,
    POSTROOM_ELECTRON: places.electron.executable,
    POSTROOM_PACKAGED: places.packaged ?? '',
  });
}

/** Runs one phase; false when it failed. A phase that `counts` is one test by itself, the others count their own. */
async function phase(name, work, { counts = true } = {}) {
  if (interrupted) return false;
  say(`${name} ...`);
  const began = performance.now();
  const failedBefore = tally.failed;
  try {
    await work();
    if (counts) tally.passed += 1;
  } catch (error) {
    if (interrupted) return false;
    tally.failed += 1;
    say(`${name}: ${error instanceof PlainError ? error.message : (error?.stack ?? error)}`);
  }
  const good = tally.failed === failedBefore;
  say(`${name} ${good ? 'passed' : 'FAILED'} (${seconds(began)})`);
  return good;
}

async function vitest(project, env = {}) {
  const report = path.join(temporary, `${project}.json`);
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runNode(
    'node_modules/vitest/vitest.mjs',
    ['run', '--project', project, ...options, ...filters],
    {
      ...privateFolders(project),
      ...env,
    },
  );
  const { passed, failed, remarks } = countReport(report, code, { strict, mayBeEmpty: filters.length > 0 });
  tally.passed += passed;
  tally.failed += failed;
  for (const remark of remarks) say(`${project}: ${remark}`);
  await sweep();
}

/** Tests write nothing into the home of the person who runs them. (macOS finds its keychain by HOME.) */
function privateFolders(project) {
  const home = path.join(temporary, project);
  fs.mkdirSync(path.join(home, 'tmp'), { recursive: true });
  const tmp = { TMPDIR: path.join(home, 'tmp') };
  if (process.platform !== 'linux') return process.platform === 'win32' ? {} : tmp;
  return {
    ...tmp,
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    XDG_CACHE_HOME: '',
    XDG_STATE_HOME: '',
  };
}

async function mustRun(script, scriptArgs = []) {
  const code = await runNode(script, scriptArgs);
  if (code !== 0) throw new PlainError(`exit code ${code}`);
}

async function runNode(script, scriptArgs, env = {}) {
  const program = start(process.execPath, [inRoot(script), ...scriptArgs], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...colours, ...env, [markName]: mark },
  });
  running.add(program);
  const code = await program.ended;
  running.delete(program);
  return code;
}

async function sweep() {
  for (const left of await endLeftovers(mark)) say(`left running by a test, ended: ${left}`);
}

function interrupt(signal) {
  if (interrupted) return;
  interrupted = signal;
  say(`interrupted (${signal}): ending what was started`);
  for (const program of running) {
    program.end('SIGTERM');
    // whoever does not listen: the sweep finds the rest
    setTimeout(() => program.end('SIGKILL'), 5000).unref();
  }
}
