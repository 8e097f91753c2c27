/** The few things that putting a plugin into a shop does with files, by SFTP alone, which every login that counts has. */
import type { Readable } from 'node:stream';
import { PostroomError } from '../../contract/errors.ts';
import { type Sftp, SftpRefusal, type SftpStat } from '../ssh-sftp.ts';

/** bytes: the largest file of the connector has 10 KB; of what is larger only that it is another one need be known */
const largestFile = 1024 * 1024;
/** files read or written at a time: one round trip after the other takes 10 s for thirty files at 80 ms */
const atATime = 4;
/** files and folders of what calls itself the connector */
const mostEntries = 500;

/** null = not there. @throws PostroomError */
export async function statOf(sftp: Sftp, path: string): Promise<SftpStat | null> {
  try {
    return await sftp.lstat(path);
  } catch (error) {
    if (error instanceof SftpRefusal && error.kind === 'missing') return null;
    throw serverSaid(error, `${path} cannot be looked at`);
  }
}

/** null = not there. Follows links. @throws PostroomError */
export async function readFileOf(sftp: Sftp, path: string, most = largestFile): Promise<Buffer | null> {
  try {
    return await collect(await sftp.read(path), most);
  } catch (error) {
    if (error instanceof SftpRefusal && error.kind === 'missing') return null;
    throw serverSaid(error, `${path} cannot be read`);
  }
}

async function collect(stream: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > most) break;
  }
  return Buffer.concat(chunks);
}

/** What lies below a folder, links not followed, as `a/b.php`; empty folders are named with a slash. @throws PostroomError */
export async function walk(sftp: Sftp, folder: string): Promise<Map<string, SftpStat['kind']>> {
  const found = new Map<string, SftpStat['kind']>();
  const into = async (below: string): Promise<void> => {
    const entries = await sftp.list(below === '' ? folder : `${folder}/${below}`).catch((error: unknown) => {
      throw serverSaid(error, `${folder} cannot be looked into`);
    });
    const real = entries.filter(({ name }) => name !== '.' && name !== '..');
    if (real.length === 0 && below !== '') found.set(`${below}/`, 'folder');
    for (const { name, stat } of real) {
      const path = below === '' ? name : `${below}/${name}`;
      if (found.size >= mostEntries)
        throw new PostroomError(
          'refused',
          `${folder} has more than ${mostEntries} files: that is not the connector. Look at it by hand.`,
        );
      if (stat.kind === 'folder') await into(path);
      else found.set(path, stat.kind);
    }
  };
  await into('');
  return found;
}

/** A folder that all may read, whatever the login's umask is. @throws PostroomError */
export async function makeFolder(sftp: Sftp, path: string): Promise<void> {
  try {
    await sftp.mkdir(path);
    await sftp.chmod(path, 0o755);
  } catch (error) {
    throw serverSaid(error, `The folder ${path} cannot be made`);
  }
}

/** A new file that all may read. @throws PostroomError */
export async function writeFileOf(sftp: Sftp, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await sftp.write(path, bytes);
    await sftp.chmod(path, 0o644);
  } catch (error) {
    throw serverSaid(error, `${path} cannot be written`);
  }
}

export async function move(sftp: Sftp, from: string, to: string): Promise<void> {
  try {
    await sftp.rename(from, to);
  } catch (error) {
    throw serverSaid(error, `${from} cannot be moved to ${to}`);
  }
}

/** Deletes a file, a link (not what it leads to) or a whole folder; fine when it is gone. @throws PostroomError */
export async function removeAll(sftp: Sftp, path: string): Promise<void> {
  const stat = await statOf(sftp, path);
  if (!stat) return;
  try {
    if (stat.kind !== 'folder') return await sftp.unlink(path);
    for (const { name } of await sftp.list(path))
      if (name !== '.' && name !== '..') await removeAll(sftp, `${path}/${name}`);
    await sftp.rmdir(path);
  } catch (error) {
    if (error instanceof SftpRefusal && error.kind === 'missing') return;
    throw serverSaid(error, `${path} cannot be deleted`);
  }
}

/** Runs `work` on each, some at a time; the first error ends it once those under way have ended. */
export async function forEach<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const failed: unknown[] = [];
  const run = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      await work(one).catch((error: unknown) => {
        failed.push(error);
        waiting.length = 0;
      });
  };
  await Promise.all(Array.from({ length: atATime }, run));
  if (failed.length > 0) throw failed[0];
}

/** The server's no in words; a lost connection keeps its own. @param what as `/srv/x cannot be written` */
export function serverSaid(error: unknown, what: string): unknown {
  if (!(error instanceof SftpRefusal)) return error;
  const why =
    error.kind === 'denied'
      ? 'this login lacks the right. Log in as the user whom the shop’s files belong to'
      : error.kind === 'missing'
        ? 'the folder around it is not there'
        : 'the server refused. Is its disk or its quota full?';
  return new PostroomError('rights', `${what}: ${why}.`.replace('?.', '?'), {
    detail: error.message,
    cause: error,
  });
}
