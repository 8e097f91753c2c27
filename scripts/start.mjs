// npm start: installs what is missing, builds what has changed and opens the console.
//   npm start [-- --headless] [ARGUMENTS of the app, or of `postroom demo` without a display]
import { electronRuntime } from './electron-runtime.mjs';
import { ensureDependencies } from './lib/install.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { foreground } from './lib/processes.mjs';
import { run, say } from './lib/say.mjs';
import { checkSandbox, missingLibraries, provide } from './lib/system.mjs';
import { targets } from './lib/targets.mjs';

const args = process.argv.slice(2).filter((arg) => arg !== '--headless' && arg !== '--');
const asked = process.argv.includes('--headless');
const hasDisplay =
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

await run(async () => {
  await ensureDependencies();
  const { ensureBuilt } = await import('./build.mjs');
  return asked || !hasDisplay ? inTerminal(ensureBuilt) : inWindow(ensureBuilt);
});

async function inTerminal(ensureBuilt) {
  await ensureBuilt(['cli']);
  say(`${asked ? 'as asked' : 'no display here'}: the demo shop runs in this terminal`);
  return foreground(process.execPath, [inRoot(targets.cli.outFile), 'demo', ...args]);
}

async function inWindow(ensureBuilt) {
  const runtime = await electronRuntime();
  const findMissing = () => missingLibraries(runtime.executable);
  await provide(findMissing(), findMissing);
  checkSandbox(runtime.dir);
  await ensureBuilt(['main', 'preload', 'renderer']);
  say('opening the console');
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []; // Chromium refuses root
  return foreground(runtime.executable, [...asRoot, root, ...args]);
}
