import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/**
 * A free loopback port below the kernel's ephemeral range (32768 and up on Linux), so that no outgoing connection takes
 * it between here and the server that will listen on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

/**
 * Kills a server and deletes its folder when this process ends, however it ends: a small shell waits on a pipe that
 * closes with us, also on kill -9. Returns how to call it off.
 */
export function endWithUs(pid: number, folder: string): () => void {
  const watcher = spawn(
    'sh',
    ['-c', 'read -r word; [ "$word" = off ] || { kill -9 "$1"; rm -rf "$2"; }', 'sh', String(pid), folder],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true, // in a session of its own, out of reach of the terminal's Ctrl+C
    },
  );
  watcher.unref();
  const pipe = watcher.stdin;
  pipe.on('error', () => {});
  (pipe as unknown as { unref?: () => void }).unref?.();
  return () => void pipe.end('off\n');
}

/** Path with the folders in which Debian keeps servers, which an ordinary user's shell leaves out. */
export const serverPath = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
