#!/usr/bin/env node
// npm run test:chaos -- [--seeds 500] [--from 1] [--seed N] [--only KIND,...] [--shape NAME] [--covering] [--at-a-time 2] [--go-on]
// The chaos suite in its long form. --seed N replays one seed; --shape wp-email-queue|jobs|email-jobs
// runs the same seeds over that table (default: our own); --covering runs each fault kind once. Needs MariaDB.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundlePrograms } from '../test/chaos/bundle.mjs';
import { inRoot } from './lib/paths.mjs';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string' },
    shape: { type: 'string', default: 'studiou-wcmq' },
    covering: { type: 'boolean', default: false },
    'at-a-time': { type: 'string', default: '2' },
    'go-on': { type: 'boolean', default: false },
  },
});
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postroom-chaos-bundle-'));
const made = await bundlePrograms(folder, ['main', 'worker-main', 'smtp-main']);
const single = values.seed !== undefined;
const options = {
  seeds: single ? 1 : Number(values.seeds),
  from: Number(values.seed ?? values.from),
  atATime: single ? 1 : Number(values['at-a-time']),
  evidence: inRoot('out/chaos'),
  only: values.only?.split(',') ?? null,
  covering: values.covering,
  shape: values.shape,
  goOn: values['go-on'],
  programs: { worker: made['worker-main'], smtp: made['smtp-main'] },
};
const driver = spawn(process.execPath, [made.main, JSON.stringify(options)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => driver.kill(signal));
driver.once('exit', (code) => {
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
