// Ends what a test left running. Every process of a test run carries a mark in its environment, which its children
// inherit however they detach themselves; Linux lets us read it back.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const markName = 'POSTROOM_TEST_RUN';

/** Kills every process that carries the mark; returns the command lines of those that had to be killed. */
export async function endLeftovers(mark) {
  if (process.platform !== 'linux') return [];
  // those that are on their way out may finish by themselves
  for (let tries = 0; tries < 10 && marked(mark).length > 0; tries++) await sleep(100);
  const killed = [];
  for (const pid of marked(mark)) {
    killed.push(commandLine(pid));
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
  return killed;
}

function marked(mark) {
  const wanted = `${markName}=${mark}\0`;
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => `${read(pid, 'environ')}\0`.includes(wanted))
    .map(Number);
}

function commandLine(pid) {
  return read(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 120) || `process ${pid}`;
}

/** Empty for a process that has gone meanwhile or belongs to someone else. */
function read(pid, what) {
  try {
    return fs.readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
