// Stand-in for Electron's own default_app.asar, which the fallback runtime lacks:
// `electron [switches] [-r module] <folder or file>` loads that app as the real one does. It is an ES module
// that awaits the app's entry, since Electron holds `ready` back until its first module is done.
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const preloads = [];
let target = null;
const argv = process.argv.slice(1);
while (argv.length > 0 && target === null) {
  const arg = argv.shift();
  if (arg === '-v' || arg === '--version') finish(`v${process.versions.electron}`);
  else if (arg === '-a' || arg === '--abi') finish(process.versions.modules);
  else if (arg === '-r' || arg === '--require') preloads.push(argv.shift());
  else if (arg.startsWith('--app=')) target = arg.slice('--app='.length);
  else if (!arg.startsWith('-')) target = arg;
}
if (target === null) finish('usage: electron [switches] [-r module] <app folder or file>', 2);

if (preloads.length > 0) Module._preloadModules(preloads); // Playwright's own loader comes this way
try {
  await load(path.resolve(target));
} catch (error) {
  console.error('App threw an error during load');
  finish(error?.stack ?? error, 1);
}

function finish(text, code = 0) {
  console[code ? 'error' : 'log'](text);
  process.exit(code);
}

async function load(root) {
  Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
  const manifest = path.join(root, 'package.json');
  const isPackage = fs.existsSync(manifest);
  if (isPackage) {
    const { version, productName, name, desktopName } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    if (version) app.setVersion(version);
    app.name = productName ?? name ?? app.name;
    app.setDesktopName(desktopName ?? `${app.name}.desktop`);
  }
  const entry = Module._resolveFilename(root, null, true);
  app.setAppPath(isPackage ? root : path.dirname(entry));
  await import(pathToFileURL(entry).href); // CommonJS and ES modules alike
}
