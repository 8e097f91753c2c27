#!/usr/bin/env node
// npm run bench [-- name ...]: bundles bench/ (the sources are TypeScript) and runs it. Needs MariaDB, as npm test does.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'vite';
import { inRoot, root } from './lib/paths.mjs';

const outDir = inRoot('out/bench');
await build({
  configFile: false,
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: true,
    target: 'node20',
    outDir,
    emptyOutDir: true,
    rolldownOptions: {
      input: { main: inRoot('bench/main.ts'), contestant: inRoot('bench/contestant.ts') },
      output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
});
const run = spawnSync(process.execPath, [path.join(outDir, 'main.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, POSTROOM_BENCH_SINK: inRoot('bench/sink.mjs'), POSTROOM_BENCH_ROOT: root },
});
process.exit(run.status ?? 1);
