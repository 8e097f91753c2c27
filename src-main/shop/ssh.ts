import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import ssh2, { type Algorithms, type ParsedKey } from 'ssh2';
import type { SshLogin } from '../contract/profile.ts';
import { errorCode } from './faults.ts';
import { findAgent, Login } from './ssh-auth.ts';
import { HostKeyError, sessionFault } from './ssh-faults.ts';
import { parsePrivateKey, readKeyFile } from './ssh-keys.ts';
import { type Live, Session, type SessionMaker, type ShellClient } from './ssh-session.ts';
import type { SshOptions, SshSession } from './ssh-types.ts';

export type { SshEvents, SshOptions, SshSession } from './ssh-types.ts';

/** A login with its private key as text, for one that is kept in the vault and not in a file. */
export type SshAccount = SshLogin & { privateKey?: string };

/** A session that connects when it is first used. Throws nothing: keys and agent are looked at when it connects. */
export function openSsh(login: SshAccount, options: SshOptions = {}): SshSession {
  return new Session(new Dialer(login, options));
}

/** Kinds of host key to ask for one after the other, when the first that the server shows is not the pinned one. */
const otherHostKeys = [
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
] as const;

/**
 * ms until TCP must stand. A lost SYN is sent again after 1, 3, 7 and 15 s: an attempt from before the network's return
 * would sleep through it, a new one asks at once.
 */
const tcpMs = 6_000;

class Dialer implements SessionMaker {
  readonly place: string;
  readonly openMs: number;
  readonly #login: SshAccount;
  readonly #connectMs: number;
  readonly #keepaliveMs: number;
  readonly #env: NodeJS.ProcessEnv;
  /** parsed once: it takes about a second (FINDINGS 19a) */
  #key: ParsedKey | null = null;

  constructor(login: SshAccount, options: SshOptions) {
    this.#login = login;
    this.place = `the SSH server at ${login.host}:${login.port}`;
    this.openMs = options.openMs ?? 10_000;
    this.#connectMs = options.connectMs ?? 15_000;
    this.#keepaliveMs = options.keepaliveMs ?? 3_000;
    this.#env = options.env ?? process.env;
  }

  /** Logs in where the server proves the pinned key, which need not be the first of its keys that it shows. */
  async dial(): Promise<Live> {
    let first: unknown;
    for (const kinds of [undefined, ...otherHostKeys]) {
      try {
        return await this.#dial(kinds ? { serverHostKey: [...kinds] } : undefined);
      } catch (error) {
        first ??= error;
        if (!(first instanceof HostKeyError) || first.pinned === null) throw error;
      }
    }
    throw first;
  }

  #dial(algorithms: Algorithms | undefined): Promise<Live> {
    const key = this.#readKey();
    const agent = this.#login.agent ? findAgent(this.#env, process.platform) : null;
    const login = new Login<ParsedKey>(this.#login, key, agent);
    const pinned = this.#login.hostKey?.replace(/=+$/, '') ?? null;
    return new Promise<Live>((resolve, reject) => {
      const socket = connect(this.#login.port, this.#login.host);
      socket.setNoDelay(true); // one of the two Nagle cures: without it each step costs 41 ms (FINDINGS 17)
      writeTogether(socket);
      const client = new ssh2.Client();
      let settled = false;
      let shaken = false;
      const fail = (error: unknown) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        clearTimeout(reached);
        socket.destroy();
        reject(sessionFault(error, this.place));
      };
      const timer = setTimeout(
        () => fail(new Error('Timed out while waiting for handshake')),
        this.#connectMs,
      );
      const reached = setTimeout(
        () => fail(Object.assign(new Error('no answer to a SYN'), { code: 'ETIMEDOUT' })),
        Math.min(tcpMs, this.#connectMs),
      );
      socket.once('connect', () => clearTimeout(reached));
      client.on('handshake', () => {
        shaken = true;
      });
      client.on('ready', () => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        resolve({ client: client as unknown as ShellClient, socket });
      });
      client.on('error', (error: Error & { level?: string }) => {
        if (error.level === 'agent' || settled) return; // an agent that fails is one attempt of several
        // who hangs up on our greeting speaks no SSH, or has shut us out; whether it does so politely says nothing
        if (!shaken && /^(ECONNRESET|EPIPE)$/.test(errorCode(error)))
          return fail(new Error('Connection lost before handshake'));
        if (error.level !== 'client-authentication') return fail(error);
        countKeys(agent).then((keys) => fail(login.refused(this.place, keys)), fail);
      });
      client.on('close', () => setImmediate(() => fail(new Error('Connection lost before handshake'))));
      client.connect({
        sock: socket,
        username: this.#login.user,
        ...(algorithms ? { algorithms } : {}),
        readyTimeout: 0, // ours covers resolving and TCP too
        keepaliveInterval: this.#keepaliveMs,
        keepaliveCountMax: 3,
        hostVerifier: (shown: Buffer) => {
          const seen = `SHA256:${createHash('sha256').update(shown).digest('base64').replace(/=+$/, '')}`;
          if (seen === pinned) return true;
          fail(new HostKeyError(this.place, seen, pinned));
          return false;
        },
        authHandler: (offered, partial, next) => {
          const step = login.next(offered, partial);
          // the library takes `false` for "none left", which its types leave out
          (next as (step: unknown) => void)(step);
        },
      });
    });
  }

  #readKey(): ParsedKey | null {
    const { privateKey, privateKeyFile, passphrase } = this.#login;
    if (this.#key || (privateKey === undefined && privateKeyFile === null)) return this.#key;
    const text = privateKey ?? readKeyFile(privateKeyFile ?? '');
    this.#key = parsePrivateKey<ParsedKey>(
      text,
      passphrase,
      privateKeyFile ?? 'the private key',
      (data, pass) => ssh2.utils.parseKey(data, pass),
    );
    return this.#key;
  }
}

/**
 * What is written in one turn of the event loop leaves in one system call: every packet of every channel is a write of its
 * own to the library, and the answers to several mails come together.
 */
function writeTogether(socket: Socket): void {
  let corked = false;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = ((...args: unknown[]) => {
    if (!corked) {
      corked = true;
      socket.cork();
      setImmediate(() => {
        corked = false;
        socket.uncork();
      });
    }
    return write(...args);
  }) as Socket['write'];
}

/** How many keys the agent holds; null when there is none, or it does not answer within 2 s. */
function countKeys(agent: string | null): Promise<number | null> {
  if (agent === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), 2_000);
    ssh2.createAgent(agent).getIdentities((error, keys) => {
      clearTimeout(timer);
      resolve(error ? null : (keys?.length ?? 0));
    });
  });
}
