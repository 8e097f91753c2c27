// npm run dev: the window from Vite's server with hot reload, main and preload built again on every change, Electron
// started again when either of the two was. Arguments go to the app.
import { spawn } from 'node:child_process';
import { electronRuntime } from './electron-runtime.mjs';
import { ensureDependencies } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { run, say } from './lib/say.mjs';
import { checkSandbox, missingLibraries, provide } from './lib/system.mjs';
import { forgetStamp } from './lib/targets.mjs';

let app = null;

await run(async () => {
  await ensureDependencies();
  const runtime = await electronRuntime();
  const findMissing = () => missingLibraries(runtime.executable);
  await provide(findMissing(), findMissing);
  checkSandbox(runtime.dir);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => leave(0));

  const { build, createServer } = await import('vite');
  const { viteConfig } = await import('./vite.mjs');
  const server = await createServer(viteConfig('renderer', { development: true }));
  await server.listen();
  const env = { ...process.env, VITE_DEV_SERVER_URL: server.resolvedUrls.local[0] };

  // both must have been built once before the first start; every later build starts the app again
  const pending = new Set(['main', 'preload']);
  for (const name of [...pending]) {
    forgetStamp(name); // what lies in out/ is no proper build from now on
    const config = viteConfig(name, { development: true });
    const watcher = await build({ ...config, build: { ...config.build, watch: {} } });
    watcher.on('event', (event) => {
      if (event.code === 'BUNDLE_END') event.result.close();
      if (event.code === 'ERROR') say(`${name}: ${event.error.message}`);
      if (event.code !== 'END') return;
      pending.delete(name);
      if (pending.size === 0) restart(runtime, env);
    });
  }
});

function restart(runtime, env) {
  say(app ? 'starting the console again' : 'opening the console');
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []; // Chromium refuses root
  const previous = app;
  const open = () => {
    app = spawn(runtime.executable, [...asRoot, root, ...process.argv.slice(2)], { stdio: 'inherit', env });
    app.once('exit', leave);
  };
  if (!previous) return open();
  previous.off('exit', leave);
  // one instance at a time: the next one waits for the last one to be gone
  if (previous.exitCode !== null || previous.signalCode !== null) return open();
  previous.once('exit', open);
  previous.kill();
}

function leave(code) {
  app?.off('exit', leave);
  app?.kill();
  process.exit(code ?? 0);
}
