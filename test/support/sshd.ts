import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SshLogin } from '../../src-main/contract/profile.ts';
import { endWithUs, freePort, serverPath } from './ports.ts';

/** A private, real OpenSSH server on loopback: own keys, own port, nothing of the machine's own sshd. */
export interface SshServer {
  readonly port: number;
  readonly folder: string;
  /** login that works, by key and with the key pinned; `change` overrides parts of it */
  login(change?: Partial<SshLogin>): SshLogin;
  /** `SHA256:...` of the key it shows now */
  readonly fingerprint: string;
  /** the user's private key file; its public half may log in */
  readonly keyFile: string;
  /** a new key pair, whose public half may log in as well; returns the private key's file */
  addKey(name: string, ...sshKeygen: string[]): string;
  /** another password for `shopuser`, from now on */
  setPassword(password: string): void;
  /** kills the sessions, as a router that forgets; returns how many processes went */
  cutSessions(): number;
  stop(): Promise<void>;
  /** on the same port; with another key when asked */
  start(change?: { newHostKey?: boolean; config?: readonly string[] }): Promise<void>;
  log(): string;
  remove(): Promise<void>;
}

export interface SshdOptions {
  /** lines of sshd_config, which win over ours */
  config?: readonly string[];
  /**
   * lets `shopuser` in by this password. Needs root: the user exists only in a private mount namespace, in which passwd and
   * shadow are replaced; the machine's own stay untouched
   */
  password?: string;
}

const env = { ...process.env, PATH: serverPath };
const asRoot = userInfo().uid === 0;
/** id of `shopuser`; no real user has it */
const shopUserId = 61_234;

function keygen(...args: string[]): string {
  return execFileSync('ssh-keygen', ['-q', ...args], { env }).toString();
}

/** About 0.2 s. */
export async function startSshd(options: SshdOptions = {}): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-sshd-'));
  chmodSync(folder, 0o755);
  const hostKey = join(folder, 'host_key');
  const keyFile = join(folder, 'client_key');
  const authorized = join(folder, 'authorized_keys');
  const user = options.password === undefined ? userInfo().username : 'shopuser';
  const port = await freePort();
  let running: { child: ChildProcess; exited: Promise<void>; callOff: () => void } | null = null;
  let log = '';
  let fingerprint = '';

  writeFileSync(authorized, '');
  chmodSync(authorized, 0o644);
  makeHostKey();
  addKey('client_key', '-t', 'ed25519', '-N', '');
  if (options.password !== undefined) makeUser(options.password);

  function makeHostKey(): void {
    rmSync(hostKey, { force: true });
    keygen('-t', 'ed25519', '-N', '', '-f', hostKey);
    fingerprint = keygen('-l', '-f', `${hostKey}.pub`).split(' ')[1] ?? '';
  }

  function addKey(name: string, ...args: string[]): string {
    const file = join(folder, name);
    keygen(...args, '-C', name, '-f', file);
    writeFileSync(authorized, readFileSync(`${file}.pub`), { flag: 'a' });
    return file;
  }

  function makeUser(password: string): void {
    const home = join(folder, 'home');
    mkdirSync(home);
    execFileSync('chown', [`${shopUserId}:${shopUserId}`, home]);
    copyFileSync('/etc/passwd', join(folder, 'passwd'));
    writeFileSync(join(folder, 'passwd'), `${user}:x:${shopUserId}:${shopUserId}::${home}:/bin/sh\n`, {
      flag: 'a',
    });
    setPassword(password);
  }

  /** Written in place: a file that was mounted over another stays that file. */
  function setPassword(password: string): void {
    const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: password }).toString().trim();
    writeFileSync(
      join(folder, 'shadow'),
      `${readFileSync('/etc/shadow', 'utf8')}${user}:${hash}:19000:0:99999:7:::\n`,
      { mode: 0o600 },
    );
  }

  async function start(change: { newHostKey?: boolean; config?: readonly string[] } = {}): Promise<void> {
    if (running) return;
    if (change.newHostKey) makeHostKey();
    const config = join(folder, 'sshd_config');
    const own = change.config ?? options.config ?? [];
    const lines = [
      // sshd takes the first value of each keyword
      ...own,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `PidFile ${folder}/pid`,
      `AuthorizedKeysFile ${authorized}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      `PasswordAuthentication ${options.password === undefined ? 'no' : 'yes'}`,
      'KbdInteractiveAuthentication no',
      'LogLevel VERBOSE',
      'AllowTcpForwarding yes',
      'X11Forwarding no',
      'UseDNS no',
      'PrintMotd no',
      ...(own.some((line) => line.startsWith('Subsystem')) ? [] : ['Subsystem sftp internal-sftp']),
      'MaxStartups 100',
      'MaxAuthTries 20',
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    const binary = serverPath
      .split(':')
      .map((path) => join(path, 'sshd'))
      .find((path) => existsSync(path));
    if (!binary)
      throw new Error('sshd is not there; on Debian: apt-get install openssh-server openssh-sftp-server');
    if (asRoot) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const args = ['-D', '-e', '-f', config];
    const mounts = `mount --make-rprivate / && mount --bind ${folder}/passwd /etc/passwd && mount --bind ${folder}/shadow /etc/shadow`;
    const child =
      options.password === undefined
        ? spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
        : spawn('unshare', ['-m', 'sh', '-c', `${mounts} && exec ${binary} ${args.join(' ')}`], {
            stdio: ['ignore', 'ignore', 'pipe'],
            env,
          });
    child.stderr.on('data', (bytes: Buffer) => {
      log += bytes.toString();
    });
    let ended = false;
    const exited = new Promise<void>((resolve) => {
      for (const event of ['exit', 'error']) {
        child.once(event, () => {
          ended = true;
          resolve();
        });
      }
    });
    child.unref();
    (child.stderr as unknown as { unref?: () => void }).unref?.();
    running = { child, exited, callOff: child.pid ? endWithUs(child.pid, folder) : () => {} };
    for (const until = Date.now() + 10_000; !(await greets(port)); ) {
      if (ended || Date.now() > until) throw new Error(`sshd does not start:\n${log}`);
      await sleep(10);
    }
  }

  /** Every process below the listener: one privileged monitor per connection, and one child of it for other users. */
  function sessions(): number[] {
    const below = (pid: number): number[] => {
      let children: number[] = [];
      try {
        children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
          .trim()
          .split(/\s+/)
          .filter(Boolean)
          .map(Number);
      } catch {
        // it ended meanwhile
      }
      return children.flatMap((child) => [child, ...below(child)]);
    };
    return running?.child.pid ? below(running.child.pid) : [];
  }

  function cutSessions(): number {
    const pids = sessions();
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended meanwhile
      }
    }
    return pids.length;
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const { child, exited, callOff } = running;
    const pids = sessions();
    child.kill('SIGTERM');
    await exited;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended with the listener
      }
    }
    callOff();
    running = null;
  }

  await start();
  return {
    port,
    folder,
    keyFile,
    get fingerprint() {
      return fingerprint;
    },
    login: (change = {}) => ({
      host: '127.0.0.1',
      port,
      user,
      privateKeyFile: keyFile,
      passphrase: null,
      password: null,
      agent: false,
      hostKey: fingerprint,
      ...change,
    }),
    addKey,
    setPassword,
    cutSessions,
    stop,
    start,
    log: () => log,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
