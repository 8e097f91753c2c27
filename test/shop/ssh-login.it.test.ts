import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SshLogin } from '../../src-main/contract/profile.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import type { SshOptions } from '../../src-main/shop/ssh.ts';
import { openSsh, type SshAccount } from '../../src-main/shop/ssh.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { type MariadbServer, sharedMariadb } from '../support/mariadb.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';

const asRoot = userInfo().uid === 0;
let sshd: SshServer;
let _mariadb: MariadbServer;
beforeAll(async () => {
  [sshd, _mariadb] = await Promise.all([startSshd(), sharedMariadb()]);
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

test('a command whose whole life arrives in one packet is heard to its end', async () => {
  const server = await libraryServer(['rosebud']);
  const login = server.login({ privateKeyFile: null, password: 'rosebud' });
  const proxy = await startDelayProxy(login.port);
  // what was held for 30 ms is passed on together
  proxy.delayMs = 30;
  const ssh = openSsh({ ...login, port: proxy.port });
  for (let n = 0; n < 10; n++)
    expect(await ssh.exec('anything')).toEqual({ code: 3, stdout: 'done', stderr: '' });
  await ssh.close();
  await proxy.close();
  await server.remove();
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
    client.on('session', (accept) =>
      accept().on('exec', (acceptExec) => {
        // the words of one turn leave as one packet
        const channel = acceptExec();
        channel.write('done');
        channel.exit(3);
        channel.end();
      }),
    );
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
