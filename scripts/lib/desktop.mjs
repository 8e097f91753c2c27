// A desktop without a screen for the end-to-end tests: an X server in memory, a session bus and an unlocked
// throw-away keyring, all of our own and ended with us. Linux only; elsewhere the real desktop serves.
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd, start } from './processes.mjs';
import { PlainError } from './say.mjs';
import { findProgram } from './system.mjs';

/** `{ env, end }`: the environment that leads to this desktop, and how to end it. */
export async function startDesktop() {
  if (process.platform !== 'linux') return { env: {}, end: async () => {} };
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postroom-desktop-'));
  const started = [];
  const end = async () => {
    for (const program of started.toReversed()) {
      program.end('SIGTERM');
      await Promise.race([program.ended, sleep(2000).then(() => program.end('SIGKILL'))]);
    }
    fs.rmSync(home, { recursive: true, force: true });
  };
  try {
    const display = await startDisplay(started);
    const bus = await startBus(started);
    const env = {
      DISPLAY: `:${display}`,
      DBUS_SESSION_BUS_ADDRESS: bus,
      XDG_RUNTIME_DIR: home,
      GDK_BACKEND: 'x11',
      WAYLAND_DISPLAY: '',
      XDG_CURRENT_DESKTOP: 'GNOME', // by this Chromium chooses the keyring
    };
    await startKeyring(started, home, env);
    return { env, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function startDisplay(started) {
  const args = ['-displayfd', '3', '-screen', '0', '1440x960x24', '-nolisten', 'tcp', '-noreset'];
  const xvfb = start(findProgram('Xvfb'), args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  started.push(xvfb);
  return firstLine(xvfb, xvfb.child.stdio[3], 'the X server (Xvfb)');
}

async function startBus(started) {
  const bus = start(
    findProgram('dbus-daemon'),
    ['--session', '--nofork', '--nopidfile', '--print-address=1'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  started.push(bus);
  return firstLine(bus, bus.child.stdout, 'the session bus (dbus-daemon)');
}

async function startKeyring(started, home, env) {
  const data = path.join(home, 'keyring');
  fs.mkdirSync(data);
  const args = [
    '--foreground',
    '--unlock',
    '--components=secrets',
    `--control-directory=${path.join(home, 'control')}`,
  ];
  const keyring = start(findProgram('gnome-keyring-daemon'), args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, ...env, XDG_DATA_HOME: data },
  });
  started.push(keyring);
  keyring.child.stdin.end('throw-away');
  const ask = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    'org.freedesktop.DBus.GetNameOwner',
  ];
  for (let tries = 0; tries < 100; tries++) {
    const code = await runToEnd(findProgram('dbus-send'), [...ask, 'string:org.freedesktop.secrets'], {
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    if (code === 0) return;
    await sleep(50);
  }
  throw new PlainError('the keyring (gnome-keyring-daemon) did not come up within 5 s');
}

/** The first line a program writes once it is ready. */
async function firstLine(program, stream, what) {
  const line = await Promise.race([
    once(stream, 'data', { signal: AbortSignal.timeout(10_000) }).then(([data]) =>
      String(data).split('\n')[0].trim(),
    ),
    program.ended.then(() => ''),
  ]).catch(() => '');
  stream.resume();
  if (!line) throw new PlainError(`${what} did not come up`);
  return line;
}
