// Starting other programs on every platform, and ending them with all their children.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { exitCodeOf } from './say.mjs';

/** npm as a command: by its script where npm itself started us, else by name (a .cmd on Windows needs the shell). */
export function npmCommand() {
  const script = process.env.npm_execpath;
  if (script && /^npm-cli\.c?js$/.test(path.basename(script)))
    return { file: process.execPath, args: [script], shell: false };
  return { file: 'npm', args: [], shell: process.platform === 'win32' };
}

/**
 * Starts a program in a process group of its own, so that it can be ended with its children.
 * `ended` resolves with its exit code and never rejects; `startError` says why it could not start.
 */
export function start(file, args, options = {}) {
  const child = spawn(file, args, { detached: process.platform !== 'win32', ...options });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      child.startError = error;
      resolve(127);
    });
    child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  return { child, ended, end: (signal) => endGroup(child, signal) };
}

/** Runs a program to its end with its output on stderr and without input; resolves with the exit code. */
export function runToEnd(file, args, options = {}) {
  return foreground(file, args, { stdio: ['ignore', 2, 2], ...options });
}

/** Runs a program in the foreground: terminal and signals are its own. Resolves with the exit code. */
export function foreground(file, args, options = {}) {
  const child = spawn(file, args, { stdio: 'inherit', ...options });
  const passOn = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of signals) process.off(each, passOn);
      resolve(exitCodeOf(code, signal));
    });
  });
}

function endGroup(child, signal = 'SIGTERM') {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    if (child.exitCode === null)
      spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
