import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ShopFiles } from '../../src-main/shop/files.ts';
import { openFiles } from '../../src-main/shop/open-files.ts';
import { openSsh, type SshSession } from '../../src-main/shop/ssh.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';

let sshd: SshServer;
let ssh: SshSession;
const base = mkdtempSync(join(tmpdir(), 'postroom-files-'));
beforeAll(async () => {
  sshd = await startSshd();
  ssh = openSsh(sshd.login());
});
afterAll(async () => {
  await ssh.close();
  await sshd.remove();
  rmSync(base, { recursive: true, force: true });
});

const token = (letter: string) => letter.repeat(32);
async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

describe.each(['local', 'sftp'] as const)('attachment folders, %s', (via) => {
  let root: string;
  let files: ShopFiles;
  beforeEach(() => {
    root = mkdtempSync(join(base, `${via}-`));
    mkdirSync(join(root, token('a')));
    writeFileSync(join(root, token('a'), 'invoice Žluťoučký ☂ 7.pdf'), 'PDF');
    files = openFiles({ root, via }, ssh);
    return () => files.close();
  });

  test('a file comes with its size', async () => {
    const { stream, size } = await files.open(token('a'), 'invoice Žluťoučký ☂ 7.pdf');
    expect(size).toBe(3);
    expect((await readAll(stream)).toString()).toBe('PDF');
    writeFileSync(join(root, token('a'), 'empty'), '');
    const empty = await files.open(token('a'), 'empty');
    expect([empty.size, (await readAll(empty.stream)).length]).toEqual([0, 0]);
  });

  test('20 MB are streamed, byte for byte, without being held', async () => {
    const bytes = randomBytes(20_000_001);
    writeFileSync(join(root, token('a'), 'catalogue.pdf'), bytes);
    const { stream, size } = await files.open(token('a'), 'catalogue.pdf');
    expect(size).toBe(bytes.length);
    const hash = createHash('sha256');
    let longest = 0;
    for await (const part of stream as AsyncIterable<Buffer>) {
      hash.update(part);
      longest = Math.max(longest, part.length);
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(longest).toBeLessThanOrEqual(65_536);
  });

  test('a reader that stops early leaves nothing open', async () => {
    writeFileSync(join(root, token('a'), 'long'), randomBytes(2_000_000));
    for (let n = 0; n < 5; n++) {
      const { stream } = await files.open(token('a'), 'long');
      await once(stream, 'readable');
      stream.read();
      stream.destroy();
    }
    expect((await readAll((await files.open(token('a'), 'long')).stream)).length).toBe(2_000_000);
  });

  test('what is missing is the row’s fault; a missing root is not', async () => {
    await expect(files.open(token('a'), 'nothing.pdf')).rejects.toMatchObject({ code: 'not-found' });
    await expect(files.open(token('b'), 'nothing.pdf')).rejects.toMatchObject({ code: 'not-found' });
    renameSync(root, `${root}-away`);
    await expect(files.open(token('a'), 'invoice.pdf')).rejects.toMatchObject({ code: 'unreachable' });
    await expect(files.listFolders()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(files.removeFolder(token('a'))).rejects.toMatchObject({ code: 'unreachable' });
    renameSync(`${root}-away`, root);
    const { stream } = await files.open(token('a'), 'invoice Žluťoučký ☂ 7.pdf');
    expect((await readAll(stream)).length).toBe(3);
  });

  test('names that are no plain names are refused before anything is looked at', async () => {
    for (const folder of [
      '..',
      '.',
      '',
      token('A'),
      `${token('a')}/`,
      `../${token('a')}`,
      `${token('a')}\n`,
    ]) {
      await expect(files.open(folder, 'x'), folder).rejects.toMatchObject({ code: 'refused' });
      await expect(files.removeFolder(folder), folder).rejects.toMatchObject({ code: 'refused' });
    }
    for (const file of ['..', '.', '', '../x', 'a/b', 'a\\b', 'x\0', 'x\n', 'C:x', '/etc/passwd']) {
      await expect(files.open(token('a'), file), file).rejects.toMatchObject({ code: 'refused' });
    }
  });

  test('links are followed inside their folder and nowhere else', async () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    writeFileSync(join(outside, 'secret'), 'secret');
    const inA = (name: string) => join(root, token('a'), name);
    symlinkSync('invoice Žluťoučký ☂ 7.pdf', inA('alias.pdf'));
    symlinkSync(join(outside, 'secret'), inA('absolute'));
    symlinkSync('../../etc/passwd', inA('relative'));
    symlinkSync(outside, inA('way'));
    symlinkSync('nowhere', inA('dangling'));
    symlinkSync('loop', inA('loop'));
    symlinkSync(outside, join(root, token('c')));
    mkdirSync(join(root, token('d')));
    writeFileSync(join(root, token('d'), 'other-customer.pdf'), 'x');
    symlinkSync(`../${token('d')}/other-customer.pdf`, inA('neighbour.pdf'));
    // a sibling whose path begins alike
    mkdirSync(`${root}-twin`);
    writeFileSync(`${root}-twin/x`, 'x');
    symlinkSync(`${root}-twin/x`, inA('twin'));

    expect((await readAll((await files.open(token('a'), 'alias.pdf')).stream)).toString()).toBe('PDF');
    for (const name of ['absolute', 'relative', 'neighbour.pdf', 'twin']) {
      await expect(files.open(token('a'), name), name).rejects.toMatchObject({
        code: expect.stringMatching(/refused|not-found/),
      });
    }
    await expect(files.open(token('a'), 'absolute')).rejects.toMatchObject({ code: 'refused' });
    await expect(files.open(token('c'), 'secret')).rejects.toMatchObject({ code: 'refused' });
    for (const name of ['dangling', 'loop', 'way'])
      await expect(files.open(token('a'), name), name).rejects.toMatchObject({ name: 'PostroomError' });
    await expect(files.removeFolder(token('c'))).rejects.toMatchObject({ code: 'refused' });
    expect(readdirSync(outside)).toEqual(['secret']);
    // removing takes the links and leaves what they point to
    expect(await files.removeFolder(token('a'))).toBe(true);
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(existsSync(join(root, token('d'), 'other-customer.pdf'))).toBe(true);
  });

  test('only plain files are opened: no folder, no pipe', async () => {
    mkdirSync(join(root, token('a'), 'folder'));
    await expect(files.open(token('a'), 'folder')).rejects.toMatchObject({ code: 'refused' });
  });

  test('removing: the whole folder, again, and never one with folders in it', async () => {
    expect(await files.removeFolder(token('a'))).toBe(true);
    expect(existsSync(join(root, token('a')))).toBe(false);
    expect(await files.removeFolder(token('a'))).toBe(true);
    mkdirSync(join(root, token('e'), 'nested'), { recursive: true });
    writeFileSync(join(root, token('e'), 'file'), 'x');
    await expect(files.removeFolder(token('e'))).rejects.toMatchObject({ code: 'refused' });
    expect(readdirSync(join(root, token('e'))).sort()).toEqual(['file', 'nested']);
  });

  test('lists token folders with their age, and nothing else', async () => {
    mkdirSync(join(root, token('f')));
    utimesSync(join(root, token('f')), new Date(), new Date(Date.now() - 3_600_000));
    mkdirSync(join(root, 'cache'));
    writeFileSync(join(root, token('0')), 'a file');
    symlinkSync(base, join(root, token('1')));
    const listed = (await files.listFolders()).sort((a, b) => a.ageS - b.ageS);
    expect(listed.map(({ folder }) => folder)).toEqual([token('a'), token('f')]);
    expect(listed[0]?.ageS).toBeLessThan(60);
    expect(Math.abs((listed[1]?.ageS ?? 0) - 3_600)).toBeLessThan(60);
  });
});

describe('by SFTP', () => {
  test('ages go by the server’s clock where no command may run, too; the clock file is gone again', async () => {
    const narrow = await startSshd({ config: ['ForceCommand internal-sftp'] });
    const own = openSsh(narrow.login());
    const root = mkdtempSync(join(base, 'narrow-'));
    mkdirSync(join(root, token('a')));
    utimesSync(join(root, token('a')), new Date(), new Date(Date.now() - 7_200_000));
    const files = openFiles({ root, via: 'sftp' }, own);
    const [first] = await files.listFolders();
    expect(Math.abs((first?.ageS ?? 0) - 7_200)).toBeLessThan(60);
    expect(readdirSync(root)).toEqual([token('a')]);
    await files.close();
    await own.close();
    await narrow.remove();
  });

  test('a login without SFTP is told so', async () => {
    const none = await startSshd({ config: ['Subsystem other /bin/true'] });
    const own = openSsh(none.login());
    const files = openFiles({ root: base, via: 'sftp' }, own);
    await expect(files.listFolders()).rejects.toMatchObject({
      code: 'rights',
      message: expect.stringContaining('SFTP'),
    });
    await files.close();
    await own.close();
    await none.remove();
  });

  test('a session lost in the middle of a file is the way’s fault; the next call works', async () => {
    const root = mkdtempSync(join(base, 'lost-'));
    mkdirSync(join(root, token('a')));
    writeFileSync(join(root, token('a'), 'big'), randomBytes(3_000_000));
    const proxy = await startDelayProxy(sshd.port);
    const own = openSsh(sshd.login({ port: proxy.port }));
    const files = openFiles({ root, via: 'sftp' }, own);
    const { stream } = await files.open(token('a'), 'big');
    const reading = readAll(stream);
    own.drop('Wi-Fi is gone.');
    await expect(reading).rejects.toMatchObject({ code: 'unreachable', message: 'Wi-Fi is gone.' });
    expect((await readAll((await files.open(token('a'), 'big')).stream)).length).toBe(3_000_000);
    await files.close();
    await own.close();
    await proxy.close();
  });

  test('a frozen network costs one deadline', async () => {
    const root = mkdtempSync(join(base, 'frozen-'));
    mkdirSync(join(root, token('a')));
    writeFileSync(join(root, token('a'), 'x'), 'x');
    const proxy = await startDelayProxy(sshd.port);
    const own = openSsh(sshd.login({ port: proxy.port }), { openMs: 2_000, keepaliveMs: 60_000 });
    const files = openFiles({ root, via: 'sftp' }, own);
    await files.open(token('a'), 'x');
    proxy.freeze();
    await expect(files.open(token('a'), 'x')).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('2 s'),
    });
    await files.close();
    await own.close();
    await proxy.close();
  });

  test('without an SSH login there is no SFTP', () => {
    expect(() => openFiles({ root: '/x', via: 'sftp' }, null)).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
  });
});
