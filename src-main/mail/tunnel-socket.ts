/** Any Duplex as what an SMTP connection needs of a socket: an SSH channel has no setTimeout (FINDINGS 16). */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The same stream, with an inactivity timer that emits `timeout` where it had none. */
export function asSocket(duplex: Duplex): Socket {
  const socket = duplex as Duplex & { setTimeout?: (ms: number) => unknown };
  if (typeof socket.setTimeout === 'function') return socket as Socket;
  let timer: NodeJS.Timeout | null = null;
  let wait = 0;
  const touch = () => {
    if (wait <= 0) return;
    if (timer) timer.refresh();
    else timer = setTimeout(() => duplex.emit('timeout'), wait);
  };
  const push = duplex.push.bind(duplex);
  duplex.push = (chunk: unknown, encoding?: BufferEncoding) => {
    touch();
    return push(chunk, encoding);
  };
  const write = duplex.write.bind(duplex) as (...args: unknown[]) => boolean;
  duplex.write = ((...args: unknown[]) => {
    touch();
    return write(...args);
  }) as typeof duplex.write;
  socket.setTimeout = (ms: number) => {
    if (timer) clearTimeout(timer);
    timer = null;
    wait = ms;
    touch();
    return duplex;
  };
  duplex.once('close', () => {
    wait = 0;
    if (timer) clearTimeout(timer);
    timer = null;
  });
  return socket as Socket;
}
