/** The few looks at a server's files that finding shops takes: SFTP where it is, a shell where it is not. Reads only. */
import { PostroomError } from '../../contract/errors.ts';
import { type Sftp, SftpRefusal } from '../ssh-sftp.ts';
import type { SshSession } from '../ssh-types.ts';

export interface RemoteEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/** What cannot be looked at (not there, not allowed) is null: a search goes on elsewhere. */
export interface RemoteFiles {
  /** the login's own folder */
  home(): Promise<string>;
  real(path: string): Promise<string | null>;
  list(path: string): Promise<RemoteEntry[] | null>;
  /** the text of a small file; null also when it is larger than `most` bytes */
  read(path: string, most: number): Promise<string | null>;
  close(): void;
}

/** @throws PostroomError `rights` when the login may use neither SFTP nor a shell */
export async function openRemoteFiles(ssh: SshSession): Promise<RemoteFiles> {
  try {
    return bySftp(await ssh.sftp());
  } catch (error) {
    if (!(error instanceof PostroomError) || error.code !== 'rights') throw error;
  }
  const shell = byShell(ssh);
  await shell.home();
  return shell;
}

function bySftp(sftp: Sftp): RemoteFiles {
  const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof SftpRefusal) return null;
      throw error;
    }
  };
  return {
    home: () => sftp.realpath('.'),
    real: (path) => orNull(sftp.realpath(path)),
    list: async (path) => {
      const entries = await orNull(sftp.list(path));
      return entries?.map(({ name, stat }) => ({ name, kind: stat.kind })) ?? null;
    },
    read: (path, most) =>
      orNull(
        (async () => {
          // links are followed by read, and lstat would tell the size of the link
          const chunks: Buffer[] = [];
          let size = 0;
          for await (const chunk of await sftp.read(path)) {
            chunks.push(chunk as Buffer);
            size += (chunk as Buffer).length;
            if (size > most) throw new SftpRefusal('failure', 'too large');
          }
          return Buffer.concat(chunks).toString('utf8');
        })(),
      ),
    close: () => sftp.close(),
  };
}

/** For servers without SFTP. Every path is one quoted word; the commands are those of any POSIX system. */
function byShell(ssh: SshSession): RemoteFiles {
  const word = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
  const run = async (command: string): Promise<string | null> => {
    const { code, stdout } = await ssh.exec(command);
    return code === 0 ? stdout : null;
  };
  return {
    home: async () => (await run('pwd'))?.trim() || '/',
    real: async (path) => (await run(`cd ${word(path)} && pwd -P`))?.trim() || null,
    list: async (path) => {
      // -p marks folders with a slash; what is a link shows by `test`
      const names = await run(`cd ${word(path)} && LC_ALL=C ls -1Ap`);
      if (names === null) return null;
      return names
        .split('\n')
        .filter((line) => line !== '')
        .map((line) =>
          line.endsWith('/') ? { name: line.slice(0, -1), kind: 'folder' } : { name: line, kind: 'file' },
        );
    },
    read: async (path, most) => {
      const text = await run(`head -c ${Math.trunc(most) + 1} ${word(path)}`);
      return text === null || Buffer.byteLength(text) > most ? null : text;
    },
    close: () => {},
  };
}
