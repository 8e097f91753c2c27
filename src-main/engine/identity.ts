/**
 * Who this process is among the consoles of a shop. An identity is a folder with an id and a journal; whoever listens
 * on its local socket or pipe owns it, and the system closes that with the process: a dead one is known for certain
 * and can be taken over at once (DESIGN section 6).
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { PostroomError } from '../contract/errors.ts';

export interface Identity {
  id: string;
  folder: string;
  journalFile: string;
  release(): Promise<void>;
}

const identityFile = 'identity.json';

/** Takes a free identity of this state folder over, or makes a new one. @throws PostroomError `disk` */
export async function takeIdentity(stateDir: string): Promise<Identity> {
  const root = path.join(stateDir, 'consoles');
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const id of await identitiesIn(root)) {
      const own = await hold(root, id);
      if (own) return own;
    }
    const id = randomUUID();
    await mkdir(path.join(root, id), { mode: 0o700 });
    await writeFile(path.join(root, id, identityFile), `${JSON.stringify({ id, host: hostname() })}\n`, {
      mode: 0o600,
    });
    const own = await hold(root, id);
    if (own) return own;
  } catch (error) {
    throw new PostroomError(
      'disk',
      `The state folder ${stateDir} cannot be used (${(error as Error).message}).`,
      { cause: error },
    );
  }
  throw new PostroomError('busy', `No identity could be taken in ${stateDir}. Try again.`);
}

/** Other identities of this machine whose process is gone. Each is held by us until it is released or forgotten. */
export async function takeDeadIdentities(
  stateDir: string,
  self: string,
): Promise<(Identity & { forget(): Promise<void> })[]> {
  const root = path.join(stateDir, 'consoles');
  const dead: (Identity & { forget(): Promise<void> })[] = [];
  for (const id of await identitiesIn(root)) {
    if (id === self) continue;
    const owned = await hold(root, id);
    if (!owned) continue;
    dead.push({
      ...owned,
      forget: async () => {
        await rm(owned.folder, { recursive: true, force: true });
        await owned.release();
      },
    });
  }
  return dead;
}

/** Identities made on this host: one of another host (a shared volume) cannot be known to be dead. */
async function identitiesIn(root: string): Promise<string[]> {
  const names = (await readdir(root).catch(() => [])).filter((name) => /^[0-9a-f-]{36}$/.test(name)).sort();
  const ours: string[] = [];
  for (const name of names) {
    const text = await readFile(path.join(root, name, identityFile), 'utf8').catch(() => '');
    try {
      const known = JSON.parse(text) as { id?: unknown; host?: unknown };
      if (known.id === name && known.host === hostname()) ours.push(name);
    } catch {
      // half written by a process that died in the middle: it never claimed anything
    }
  }
  return ours;
}

async function hold(root: string, id: string): Promise<Identity | null> {
  const folder = path.join(root, id);
  const server = await listen(socketName(folder));
  if (!server) return null;
  server.unref();
  return {
    id,
    folder,
    journalFile: path.join(folder, 'journal.ndjson'),
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Linux: an abstract socket, Windows: a named pipe; both vanish with their process. macOS has neither: a socket file,
 * which a dead process leaves behind.
 */
function socketName(folder: string): string {
  const key = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0postroom-${key}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\postroom-${key}`;
  return path.join(tmpdir(), `postroom-${key}.sock`); // sun_path holds 104 bytes there: not the state folder itself
}

async function listen(name: string): Promise<Server | null> {
  const server = await tryListen(name);
  if (server || !name.startsWith('/')) return server;
  if (await answers(name)) return null;
  await rm(name, { force: true });
  return tryListen(name);
}

function tryListen(name: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen(name, () => resolve(server));
  });
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
