import { once } from 'node:events';
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
