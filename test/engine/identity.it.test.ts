import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeDeadIdentities, takeIdentity } from '../../src-main/engine/identity.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(path.join(tmpdir(), 'postroom-identity-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

/** Another process that holds an abstract socket or socket file by the same name, until it is killed. */
async function holder(folder: string): Promise<() => Promise<void>> {
  const program = `
    const { createHash } = require('node:crypto');
    const key = createHash('sha256').update(require('node:path').resolve(process.argv[1])).digest('hex').slice(0, 32);
    const name = process.platform === 'linux' ? '\\0postroom-' + key : require('node:path').join(require('node:os').tmpdir(), 'postroom-' + key + '.sock');
    require('node:net').createServer(() => {}).listen(name, () => console.log('held'));`;
  const child = spawn(process.execPath, ['-e', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

describe('an identity', () => {
  it('is kept from one start to the next, and two processes have two', async () => {
    const first = await takeIdentity(stateDir);
    const second = await takeIdentity(stateDir);
    expect(second.id).not.toBe(first.id);
    await first.release();
    const third = await takeIdentity(stateDir);
    expect(third.id).toBe(first.id);
    await second.release();
    await third.release();
  });

  it('of a live process is never taken over; of a dead one at once', async () => {
    const other = await takeIdentity(stateDir);
    await other.release();
    const kill = await holder(other.folder);
    const self = await takeIdentity(stateDir);
    expect(self.id).not.toBe(other.id);
    expect(await takeDeadIdentities(stateDir, self.id)).toEqual([]);
    await kill();
    const [dead, ...more] = await takeDeadIdentities(stateDir, self.id);
    expect(more).toEqual([]);
    expect(dead?.id).toBe(other.id);
    // while we settle what it left, nobody else may do the same
    expect(await takeDeadIdentities(stateDir, self.id)).toEqual([]);
    await dead?.forget();
    expect(existsSync(other.folder)).toBe(false);
    await self.release();
  });

  it('says so when the state folder cannot be used', async () => {
    await expect(takeIdentity('/dev/null/nowhere')).rejects.toMatchObject({ code: 'disk' });
  });
});
