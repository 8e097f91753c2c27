// npm run -s postroom -- COMMAND: the command line program of this checkout, installed and built first if need be.
// It runs in this very process, so that signals, stdin and exit codes are its own.
import { pathToFileURL } from 'node:url';
import { ensureDependencies } from './lib/install.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/say.mjs';
import { staleTargets, targets } from './lib/targets.mjs';

const cli = inRoot(targets.cli.outFile);

await run(async () => {
  await ensureDependencies();
  if (staleTargets(['cli']).length > 0) await (await import('./build.mjs')).ensureBuilt(['cli']);
});
if (!process.exitCode) {
  process.argv = [process.argv[0], cli, ...process.argv.slice(2)];
  await import(pathToFileURL(cli).href);
}
