import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSsh } from '../../src-main/shop/ssh.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { startSshd } from '../support/sshd.ts';

// in a file of its own, so that its 12 s pass beside the others
test('the default keepalive finds a dead peer within the promised 15 s', async () => {
  const sshd = await startSshd();
  const proxy = await startDelayProxy(sshd.port);
  const ssh = openSsh(sshd.login({ port: proxy.port }));
  await ssh.connect();
  proxy.freeze();
  const since = Date.now();
  await once(ssh as never, 'down');
  expect(Date.now() - since).toBeLessThan(15_000);
  await ssh.close();
  await proxy.close();
  await sshd.remove();
});

test('an attempt that nobody answers at all is given up after 6 s, so that the next one finds the network back', async () => {
  // a process that stands still: its queue of two connections fills up, and then the kernel drops every SYN
  const program = `require('net').createServer((from) => {
    const to = require('net').connect(Number(process.argv[1]), '127.0.0.1');
    from.pipe(to).pipe(from);
    for (const one of [from, to]) one.on('error', () => {});
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port); })`;
  const sshd = await startSshd();
  const child = spawn(process.execPath, ['-e', program, String(sshd.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await sleep(300);
  const ssh = openSsh(sshd.login({ port }));
  const since = Date.now();
  await expect(ssh.connect()).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('did not answer in time'),
  });
  expect(Date.now() - since).toBeLessThan(8_000);
  child.kill('SIGCONT');
  for (const socket of fillers) socket.destroy();
  const back = Date.now();
  for (;;)
    if (
      await ssh.connect().then(
        () => true,
        () => sleep(50, false),
      )
    )
      break;
  expect(Date.now() - back).toBeLessThan(5_000);
  await ssh.close();
  child.kill('SIGKILL');
  await sshd.remove();
});
