#!/usr/bin/env node
// npm run test:scenarios [-- network|servers|flaps ...]
// The scenarios of test/scenarios with outages of their full length (6 min of frozen tunnel, 10 min without a mail server,
// 20 MB at 50 KB/s): about 16 minutes, most of it waiting. npm test runs their short forms. Needs what npm test installs.
import { spawn } from 'node:child_process';
import { inRoot, root } from './lib/paths.mjs';

const filters = process.argv.slice(2);
const run = spawn(
  process.execPath,
  [
    inRoot('node_modules/vitest/vitest.mjs'),
    ...['run', '--project', 'integration', '--maxWorkers', '3', '--hookTimeout', '120000'],
    ...(filters.length > 0 ? filters.map((name) => `test/scenarios/${name}`) : ['test/scenarios']),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, POSTROOM_SCENARIOS: 'full' } },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
run.once('exit', (code) => process.exit(code ?? 1));
