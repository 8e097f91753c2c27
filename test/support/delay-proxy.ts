import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that behaves like a bad network. */
export interface DelayProxy {
  readonly port: number;
  /** ms added in each direction */
  delayMs: number;
  /** bytes per second in each direction of each connection; Infinity = as fast as it goes */
  bytesPerS: number;
  /** Nothing passes any more and nothing is reset: what a peer sees of a network that is gone. New connections freeze too. */
  freeze(): void;
  /** Freezes only the connections there are; new ones pass. */
  freezeOpen(): void;
  /** Everything that was held passes. */
  thaw(): void;
  /** Resets all connections. */
  cut(): void;
  /** connections that are open now */
  readonly open: number;
  close(): Promise<void>;
}

interface Pair {
  frozen: boolean;
  sockets: [Socket, Socket];
}

export async function startDelayProxy(targetPort: number, targetHost = '127.0.0.1'): Promise<DelayProxy> {
  const pairs = new Set<Pair>();
  let frozen = false;

  const server = createServer((client) => {
    const far = connect(targetPort, targetHost);
    const pair: Pair = { frozen, sockets: [client, far] };
    pairs.add(pair);
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      from.setNoDelay(true);
      let clear = Promise.resolve(); // keeps the order of what is under way
      from.on('data', (bytes) => {
        const due = Date.now() + proxy.delayMs;
        if (Number.isFinite(proxy.bytesPerS)) from.pause();
        clear = clear.then(async () => {
          const wait = Math.max(
            due - Date.now(),
            Number.isFinite(proxy.bytesPerS) ? (bytes.length / proxy.bytesPerS) * 1000 : 0,
          );
          if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
          while (pair.frozen && !from.destroyed) await new Promise((resolve) => setTimeout(resolve, 10));
          if (!to.destroyed) to.write(bytes);
          if (!pair.frozen) from.resume();
        });
      });
      from.on('error', () => {});
      from.on('close', () => {
        // a frozen network tells nobody that the other side is gone
        void clear.then(() => {
          if (!pair.frozen) to.destroy();
        });
        if (client.destroyed && far.destroyed) pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const proxy: DelayProxy = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    bytesPerS: Number.POSITIVE_INFINITY,
    freeze() {
      frozen = true;
      for (const pair of pairs) pair.frozen = true;
    },
    freezeOpen() {
      for (const pair of pairs) pair.frozen = true;
    },
    thaw() {
      frozen = false;
      for (const pair of pairs) {
        pair.frozen = false;
        const [client, far] = pair.sockets;
        if (client.destroyed) far.destroy();
        if (far.destroyed) client.destroy();
      }
    },
    cut() {
      for (const pair of pairs) for (const socket of pair.sockets) socket.resetAndDestroy();
    },
    get open() {
      return pairs.size;
    },
    close() {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
