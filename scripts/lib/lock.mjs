// One at a time: two commands in one checkout must not install or build over each other.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './paths.mjs';
import { say } from './say.mjs';

/** Runs `work` while holding the lock `name`; the lock of a process that is gone counts for nothing. */
export async function withLock(name, work) {
  const file = inRoot('out', '.locks', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (let waits = 0; !take(file); waits++) {
    if (waits === 5) say(`waiting for another process that is busy with the ${name}`);
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isAlive(holderOf(file))) fs.rmSync(file, { force: true });
  return false;
}

function holderOf(file) {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8'));
    // made but not yet written: leave its maker a moment
    return pid || (Date.now() - fs.statSync(file).mtimeMs < 2000 ? process.pid : 0);
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
