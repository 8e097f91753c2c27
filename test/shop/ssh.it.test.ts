import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SshLogin } from '../../src-main/contract/profile.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import type { SshOptions } from '../../src-main/shop/ssh.ts';
import { openSsh, type SshAccount } from '../../src-main/shop/ssh.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { type MariadbServer, makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { freePort } from '../support/ports.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';

const asRoot = userInfo().uid === 0;
let sshd: SshServer;
let mariadb: MariadbServer;
beforeAll(async () => {
  [sshd, mariadb] = await Promise.all([startSshd(), sharedMariadb()]);
});
afterAll(async () => {
  await sshd.remove();
});

async function attempt(login: SshAccount, options?: SshOptions): Promise<unknown> {
  const ssh = openSsh(login, options);
  const error = await ssh.connect().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  await ssh.close();
  return error;
}
const failure = (stream: Duplex) => once(stream, 'error').then(([error]: unknown[]) => error);

describe('logging in', () => {
  test('by a key file, a key as text, and encrypted keys of both kinds', async () => {
    expect(await attempt(sshd.login())).toBeNull();
    expect(
      await attempt({
        ...sshd.login({ privateKeyFile: null }),
        privateKey: readFileSync(sshd.keyFile, 'utf8'),
      }),
    ).toBeNull();
    const openssh = sshd.addKey('locked', '-t', 'ed25519', '-N', 'open sesame');
    expect(await attempt(sshd.login({ privateKeyFile: openssh, passphrase: 'open sesame' }))).toBeNull();
    const pem = sshd.addKey('locked_pem', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'open sesame');
    expect(await attempt(sshd.login({ privateKeyFile: pem, passphrase: 'open sesame' }))).toBeNull();
    for (const file of [openssh, pem]) {
      expect(await attempt(sshd.login({ privateKeyFile: file, passphrase: 'wrong' }))).toMatchObject({
        code: 'login',
        message: expect.stringContaining('passphrase'),
      });
      expect(await attempt(sshd.login({ privateKeyFile: file }))).toMatchObject({
        code: 'login',
        message: expect.stringContaining('needs its passphrase'),
      });
    }
  });

  test('keys that cannot be read are named with a command that really converts them', async () => {
    const pkcs8 = sshd.addKey('pkcs8', '-t', 'rsa', '-b', '2048', '-m', 'PKCS8', '-N', '');
    const chacha = sshd.addKey(
      'chacha',
      '-t',
      'ed25519',
      '-Z',
      'chacha20-poly1305@openssh.com',
      '-N',
      'pass',
    );
    for (const [file, passphrase] of [
      [pkcs8, null],
      [chacha, 'pass'],
    ] as const) {
      const login = sshd.login({ privateKeyFile: file, passphrase });
      const error = await attempt(login);
      expect(error).toMatchObject({ code: 'config' });
      const command = /Convert it: (.*)$/.exec((error as Error).message)?.[1] ?? '';
      const [program, ...args] = command.split(' ');
      execFileSync(program ?? '', [...args, '-P', passphrase ?? '', '-N', passphrase ?? '']);
      expect(await attempt(login)).toBeNull();
    }
    expect(await attempt(sshd.login({ privateKeyFile: `${sshd.keyFile}.pub` }))).toMatchObject({
      code: 'config',
      message: expect.stringContaining('public key'),
    });
    expect(await attempt(sshd.login({ privateKeyFile: join(sshd.folder, 'none') }))).toMatchObject({
      code: 'config',
      message: expect.stringContaining('not there'),
    });
    const letter = join(sshd.folder, 'letter');
    writeFileSync(letter, 'Dear key');
    expect(await attempt(sshd.login({ privateKeyFile: letter }))).toMatchObject({ code: 'config' });
  });

  test('by the agent; an empty one and a missing one are told apart', async () => {
    const socket = join(sshd.folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(agent.stdout, 'data');
      const env = { SSH_AUTH_SOCK: socket };
      const login = sshd.login({ privateKeyFile: null, agent: true });
      expect(await attempt(login, { env })).toMatchObject({
        code: 'login',
        message: expect.stringContaining('holds no key'),
      });
      chmodSync(sshd.keyFile, 0o600);
      execFileSync('ssh-add', ['-q', sshd.keyFile], { env: { ...process.env, ...env }, stdio: 'pipe' });
      expect(await attempt(login, { env })).toBeNull();
      expect(await attempt(login, { env: {} })).toMatchObject({
        code: 'login',
        message: expect.stringContaining('No SSH agent'),
      });
    } finally {
      agent.kill();
    }
  });

  test('a key that the server does not know, a password where none is taken, nothing at all', async () => {
    const stranger = join(sshd.folder, 'stranger');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', stranger]);
    expect(await attempt(sshd.login({ privateKeyFile: stranger }))).toMatchObject({
      code: 'login',
      message: expect.stringContaining('authorized_keys'),
    });
    expect(await attempt(sshd.login({ privateKeyFile: null, password: 'x' }))).toMatchObject({
      code: 'login',
      message: expect.stringContaining('takes no passwords'),
    });
    expect(await attempt(sshd.login({ privateKeyFile: null }))).toMatchObject({
      code: 'login',
      message: expect.stringContaining('no way to log in'),
    });
  });

  test('after a refused login it does not hammer the server, unless a person asks', async () => {
    const ssh = openSsh(sshd.login({ user: 'nobody-here' }));
    const tries = () => sshd.log().split('Invalid user nobody-here').length - 1;
    await expect(ssh.connect()).rejects.toMatchObject({ code: 'login' });
    const before = tries();
    expect(before).toBeGreaterThan(0);
    await expect(ssh.connect()).rejects.toMatchObject({ code: 'login' });
    expect(await failure(ssh.forward('127.0.0.1', 1))).toMatchObject({ code: 'login' });
    expect(tries()).toBe(before);
    await expect(ssh.connect({ now: true })).rejects.toMatchObject({ code: 'login' });
    expect(tries()).toBeGreaterThan(before);
    await ssh.close();
  });
});

describe('passwords', () => {
  test('right, wrong, and asked for in a dialogue', async () => {
    // a user with a known password is something that only root can arrange for a real sshd
    const server = asRoot ? await startSshd({ password: 'rosebud' }) : await libraryServer(['rosebud']);
    const login = (password: string) => server.login({ privateKeyFile: null, password });
    expect(await attempt(login('rosebud'))).toBeNull();
    const error = await attempt(login('wrong-secret'));
    expect(error).toMatchObject({ code: 'login', message: expect.stringContaining('the password') });
    expect(JSON.stringify([error, String(error)])).not.toContain('wrong-secret');
    await server.stop();
    await server.start({
      config: [
        'UsePAM yes',
        'KbdInteractiveAuthentication yes',
        'AuthenticationMethods keyboard-interactive',
      ],
    });
    expect(await attempt(login('rosebud'))).toBeNull();
    expect(await attempt(login('wrong'))).toMatchObject({ code: 'login' });
    await server.remove();
  });

  test('a server that asks for more than a password is named with its question', async () => {
    const server = await libraryServer(['rosebud', '123456']);
    await server.start({ config: ['KbdInteractiveAuthentication yes'] });
    expect(await attempt(server.login({ privateKeyFile: null, password: 'rosebud' }))).toMatchObject({
      code: 'login',
      message: expect.stringContaining('Verification code:'),
    });
    await server.remove();
  });
});

/** A server made of the SSH library's own other half, for what the real one asks only after PAM was set up for it. */
async function libraryServer(answers: string[]) {
  const key = join(sshd.folder, 'host_key');
  let dialogue = false;
  const server = new ssh2.Server({ hostKeys: [readFileSync(key)] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => {
      if (!dialogue && context.method === 'password' && context.password === answers[0])
        return context.accept();
      if (!dialogue || context.method !== 'keyboard-interactive')
        return context.reject([dialogue ? 'keyboard-interactive' : 'password']);
      context.prompt([{ prompt: 'Password: ', echo: false }], ([first]) => {
        if (first !== answers[0]) return context.reject();
        if (answers.length === 1) return context.accept();
        context.prompt([{ prompt: 'Verification code:', echo: true }], ([second]) =>
          second === answers[1] ? context.accept() : context.reject(),
        );
      });
    });
    client.on('ready', () => client.on('session', (_accept, reject) => reject()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    login: (change: Partial<SshLogin>) => sshd.login({ ...change, port }),
    async stop() {},
    async start(_change: { config: string[] }) {
      dialogue = true;
    },
    remove: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('the server’s key', () => {
  test('not pinned: nothing is sent, the key is named', async () => {
    const error = await attempt(sshd.login({ hostKey: null }));
    expect(error).toMatchObject({ code: 'host-key', seen: sshd.fingerprint, pinned: null });
    expect((error as Error).message).toContain(sshd.fingerprint);
  });

  test('a pinned key that is not the first one the server shows is found', async () => {
    const rsa = join(sshd.folder, 'host_rsa');
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', rsa]);
    const hostKey = execFileSync('ssh-keygen', ['-l', '-f', rsa]).toString().split(' ')[1] ?? null;
    const server = await startSshd({ config: [`HostKey ${rsa}`] });
    expect(await attempt(server.login({ hostKey }))).toBeNull();
    expect(await attempt(server.login())).toBeNull();
    await server.remove();
  });

  test('changed: both fingerprints, and no more attempts by itself', async () => {
    const server = await startSshd();
    const ssh = openSsh(server.login());
    await ssh.connect();
    const old = server.fingerprint;
    const down = once(ssh as never, 'down');
    await server.stop();
    await down;
    await server.start({ newHostKey: true });
    expect(server.fingerprint).not.toBe(old);
    const error = await ssh.connect().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'host-key', seen: server.fingerprint, pinned: old });
    for (const print of [old, server.fingerprint]) expect((error as Error).message).toContain(print);
    expect(isConnectionLoss(error)).toBe(false);
    const connections = () => server.log().split('Connection from').length;
    const before = connections();
    await ssh.nudge();
    expect(await failure(ssh.forward('127.0.0.1', 1))).toMatchObject({ code: 'host-key' });
    expect(connections()).toBe(before);
    await ssh.close();
    await server.remove();
  });
});

describe('what cannot be reached, in different words', () => {
  test('no listener, no name, something else, silence', async () => {
    expect(await attempt(sshd.login({ port: 1 }))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('refused'),
    });
    expect(await attempt(sshd.login({ host: 'shop.invalid' }))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('name'),
    });
    expect(await attempt(sshd.login({ port: mariadb.port }))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no SSH'),
    });
    const silent = createServer(() => {});
    const port = await freePort();
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    expect(await attempt(sshd.login({ port }), { connectMs: 200 })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('in time'),
    });
    silent.close();
  });

  test('behind the login: nobody listens, forbidden, no such unix socket', async () => {
    const ssh = openSsh(sshd.login());
    const refused = await failure(ssh.forward('127.0.0.1', 1));
    expect(refused).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('The SSH login works'),
    });
    expect(isConnectionLoss(refused)).toBe(true);
    expect(await failure(ssh.forwardSocket('/nowhere/mysqld.sock'))).toMatchObject({
      message: expect.stringContaining('/nowhere/mysqld.sock'),
    });
    expect(ssh.isUp).toBe(true);
    await ssh.close();
    const closed = await startSshd({ config: ['AllowTcpForwarding no', 'AllowStreamLocalForwarding no'] });
    const other = openSsh(closed.login());
    expect(await failure(other.forward('127.0.0.1', mariadb.port))).toMatchObject({
      code: 'rights',
      message: expect.stringContaining('does not allow forwarding'),
    });
    expect(await failure(other.forwardSocket(mariadb.socket))).toMatchObject({
      message: expect.stringContaining('AllowStreamLocalForwarding'),
    });
    await other.close();
    await closed.remove();
  });
});

describe('a session', () => {
  test('runs commands, within a deadline', async () => {
    const ssh = openSsh(sshd.login());
    expect(await ssh.exec('echo out; echo err >&2; exit 3')).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    await expect(ssh.exec('sleep 5', 100)).rejects.toMatchObject({ code: 'unreachable' });
    expect(ssh.isUp).toBe(true);
    await ssh.close();
    await expect(ssh.connect()).rejects.toMatchObject({ code: 'stopped' });
  });

  test('forwards where no command and no SFTP may be used', async () => {
    const narrow = await startSshd({
      config: ['Subsystem sftp /bin/false', 'ForceCommand /bin/false', 'MaxSessions 1'],
    });
    const ssh = openSsh(narrow.login());
    const db = openMysql(await makeDatabase(mariadb), {
      stream: () => ssh.forward('127.0.0.1', mariadb.port),
    });
    await db.ping();
    await db.close();
    await ssh.close();
    await narrow.remove();
  });

  test('carries a database; small statements do not wait for Nagle', async () => {
    const config = await makeDatabase(mariadb);
    const ssh = openSsh(sshd.login());
    const db = openMysql(config, { stream: () => ssh.forward(config.host, config.port) });
    await db.run('CREATE TABLE t (id INT PRIMARY KEY, body LONGTEXT)');
    await db.run('INSERT INTO t VALUES (1, ?)', ['x'.repeat(3_000_000)]);
    expect(await db.query('SELECT LENGTH(body) AS n FROM t')).toEqual([{ n: 3_000_000 }]);
    const [row] = await db.query<{ body: string }>('SELECT body FROM t');
    expect(row?.body.length).toBe(3_000_000);
    const since = performance.now();
    for (let n = 0; n < 50; n++) await db.query('SELECT ? AS n', [n]);
    // 41 ms each without both cures
    expect((performance.now() - since) / 50).toBeLessThan(15);
    await db.close();
    await ssh.close();
  });

  test('reaches a database by its unix socket', async () => {
    const config = await makeDatabase(mariadb);
    // over a unix socket the user comes from localhost
    await mariadb.admin(`CREATE USER '${config.user}'@'localhost' IDENTIFIED BY 'here'`);
    await mariadb.admin(`GRANT SELECT ON ${config.database}.* TO '${config.user}'@'localhost'`);
    const ssh = openSsh(sshd.login());
    const db = openMysql(
      { ...config, password: 'here' },
      { stream: () => ssh.forwardSocket(mariadb.socket) },
    );
    expect(await db.query('SELECT CURRENT_USER() AS u')).toEqual([{ u: `${config.user}@localhost` }]);
    await db.close();
    await ssh.close();
  });

  test('cut sessions and a restarted server: told with the cause, and the next use works', async () => {
    const server = await startSshd();
    const config = await makeDatabase(mariadb);
    const ssh = openSsh(server.login());
    const db = openMysql(config, { stream: () => ssh.forward(config.host, config.port) });
    const causes: string[] = [];
    let ups = 0;
    ssh.on('down', (cause) => causes.push(cause));
    ssh.on('up', () => ups++);
    await db.ping();
    const down = once(ssh as never, 'down');
    expect(server.cutSessions()).toBeGreaterThan(0);
    await down;
    await db.ping();
    const error = db.query('SELECT SLEEP(5)');
    await Promise.all([expect(error).rejects.toMatchObject({ code: 'unreachable' }), server.stop()]);
    await expect(db.ping()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('refused'),
    });
    await server.start();
    await expect
      .poll(
        () =>
          db.ping().then(
            () => 'back',
            () => 'away',
          ),
        { timeout: 8_000, interval: 50 },
      )
      .toBe('back');
    expect(ups).toBe(3);
    expect(causes.length).toBe(2);
    expect(causes.join()).toContain('SSH server');
    await db.close();
    await ssh.close();
    await server.remove();
  });

  test('a frozen network is noticed by the keepalive, and a nudge notices it sooner', async () => {
    const proxy = await startDelayProxy(sshd.port);
    const ssh = openSsh(sshd.login({ port: proxy.port }), { keepaliveMs: 150, openMs: 5_000 });
    await ssh.connect();
    const stream = ssh.forward('127.0.0.1', mariadb.port);
    await once(stream, 'connect');
    const lost = failure(stream);
    proxy.freezeOpen();
    const since = Date.now();
    expect(await lost).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no longer answers'),
    });
    expect(Date.now() - since).toBeLessThan(1_500); // 4 x 150 ms
    await ssh.connect(); // new connections pass
    await ssh.nudge();
    expect(ssh.isUp).toBe(true);
    await ssh.close();
    const slow = openSsh(sshd.login({ port: proxy.port }), { keepaliveMs: 60_000, openMs: 200 });
    await slow.connect();
    proxy.freeze();
    expect(await failure(slow.forward('127.0.0.1', mariadb.port))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('0.2 s'),
    });
    await slow.nudge();
    expect(slow.isUp).toBe(false);
    await slow.close();
    await proxy.close();
  });

  test('a failed attempt is followed by a pause in which calls fail at once', async () => {
    const login: SshLogin = sshd.login({ port: await freePort() });
    const ssh = openSsh(login);
    await expect(ssh.connect()).rejects.toMatchObject({ code: 'unreachable' });
    const first = await ssh.connect().catch((thrown: unknown) => thrown);
    expect(await ssh.connect().catch((thrown: unknown) => thrown)).toBe(first);
    await ssh.nudge();
    expect(await ssh.connect().catch((thrown: unknown) => thrown)).not.toBe(first);
    await ssh.close();
  });

  test('fifteen flaps leave no connection and no listener behind', async () => {
    const proxy = await startDelayProxy(sshd.port);
    const ssh = openSsh(sshd.login({ port: proxy.port }));
    const sockets = () =>
      (process as unknown as { getActiveResourcesInfo(): string[] })
        .getActiveResourcesInfo()
        .filter((kind) => kind === 'TCPSocketWrap').length;
    await ssh.connect();
    const before = sockets();
    for (let flap = 0; flap < 15; flap++) {
      const stream = ssh.forward('127.0.0.1', mariadb.port);
      await once(stream, 'data');
      const lost = failure(stream);
      ssh.drop();
      await lost;
    }
    await ssh.connect();
    await expect.poll(() => proxy.open, { timeout: 2_000 }).toBe(1);
    expect(sockets()).toBeLessThanOrEqual(before + 2);
    await ssh.close();
    await proxy.close();
  });
});
