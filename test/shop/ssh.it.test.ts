import { once } from 'node:events';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import type { Duplex } from 'node:stream';
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

const _asRoot = userInfo().uid === 0;
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
