import { randomBytes } from 'node:crypto';
import { PostroomError } from '../contract/errors.ts';
import { folderToken, type ShopFiles } from './files.ts';
import {
  checkNames,
  leadsOutside,
  missingFile,
  missingRoot,
  nestedFolder,
  noPlainFile,
} from './files-names.ts';
import { type Sftp, SftpRefusal } from './ssh-sftp.ts';
import type { SshSession } from './ssh-types.ts';

/** ms for which the server's clock is believed before it is read again */
const clockMs = 600_000;

/** Attachment folders on the shop's server. @param root as the SFTP login sees it; relative to its home when not absolute */
export function openSftpFiles(root: string, ssh: SshSession): ShopFiles {
  return new SftpFiles(root, ssh);
}

class SftpFiles implements ShopFiles {
  readonly #root: string;
  readonly #ssh: SshSession;
  /** one channel for all calls, opened when needed and again after a loss */
  #channel: Promise<Sftp> | null = null;
  #clock: { offsetS: number; readMs: number } | null = null;
  #closed = false;

  constructor(root: string, ssh: SshSession) {
    this.#root = root.length > 1 ? root.replace(/\/+$/, '') : root;
    this.#ssh = ssh;
  }

  async open(folder: string, file: string) {
    checkNames(folder, file);
    const { sftp, root } = await this.#get();
    const base = join(root, folder);
    try {
      const real = await sftp.realpath(join(base, file));
      // OpenSSH resolves a path whose last part is missing, so being missing shows only at the lstat
      if (!real.startsWith(`${base}/`)) throw leadsOutside(folder, file);
      const stat = await sftp.lstat(real);
      if (stat.kind !== 'file') throw noPlainFile(folder, file);
      return { stream: await sftp.read(real), size: stat.size };
    } catch (error) {
      if (!(error instanceof SftpRefusal)) throw error;
      if (error.kind === 'missing') throw missingFile(folder, file);
      throw new PostroomError('refused', `The attachment ${folder}/${file} may not be read by this login.`, {
        detail: error.message,
        cause: error,
      });
    }
  }

  async removeFolder(folder: string): Promise<boolean> {
    checkNames(folder);
    const { sftp, root } = await this.#get();
    const base = join(root, folder);
    try {
      if ((await sftp.lstat(base)).kind !== 'folder') throw nestedFolder(folder);
      const entries = (await sftp.list(base)).filter(({ name }) => name !== '.' && name !== '..');
      if (entries.some(({ stat }) => stat.kind === 'folder')) throw nestedFolder(folder);
      for (const { name } of entries) {
        await sftp.unlink(join(base, name)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }
    } catch (error) {
      if (isMissing(error)) return true;
      if (error instanceof SftpRefusal) throw cannotDelete(folder, error);
      throw error;
    }
    try {
      await sftp.rmdir(base);
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      // SFTP has no word for "not empty": the shop wrote into it meanwhile
      if (error instanceof SftpRefusal && error.kind === 'failure') return false;
      if (error instanceof SftpRefusal) throw cannotDelete(folder, error);
      throw error;
    }
  }

  async listFolders(): Promise<{ folder: string; ageS: number }[]> {
    const { sftp, root } = await this.#get();
    const entries = await sftp.list(root).catch((error: unknown) => {
      throw error instanceof SftpRefusal ? missingRoot(this.#root, error) : error;
    });
    const folders = entries.filter(({ name, stat }) => stat.kind === 'folder' && folderToken.test(name));
    if (folders.length === 0) return [];
    const now = Date.now() / 1000 + (await this.#offsetS(sftp, root));
    return folders.map(({ name, stat }) => ({
      folder: name,
      ageS: Math.max(0, Math.floor(now - stat.mtime)),
    }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const channel = this.#channel;
    this.#channel = null;
    await channel?.then(
      (sftp) => sftp.close(),
      () => {},
    );
  }

  async #get(): Promise<{ sftp: Sftp; root: string }> {
    if (this.#closed) throw new PostroomError('stopped', 'The shop’s files were closed.');
    let sftp = await this.#channel?.catch(() => null);
    if (!sftp || sftp.closed) {
      const opening = this.#ssh.sftp();
      this.#channel = opening;
      opening.catch(() => {
        if (this.#channel === opening) this.#channel = null;
      });
      sftp = await opening;
    }
    try {
      const root = await sftp.realpath(this.#root);
      if ((await sftp.lstat(root)).kind !== 'folder') throw new SftpRefusal('missing', 'no folder');
      return { sftp, root };
    } catch (error) {
      throw error instanceof SftpRefusal ? missingRoot(this.#root, error) : error;
    }
  }

  /**
   * s by which the server's clock is ahead of ours: asked by `date`, or, where no command may run, read off a file that is
   * written for it. Ages decide what is deleted as forgotten, and this machine's clock is trusted for nothing (promise 9).
   */
  async #offsetS(sftp: Sftp, root: string): Promise<number> {
    if (this.#clock && Math.abs(Date.now() - this.#clock.readMs) < clockMs) return this.#clock.offsetS;
    const readMs = Date.now();
    const now = (await this.#dateByCommand()) ?? (await dateByFile(sftp, root));
    this.#clock = { offsetS: now - readMs / 1000, readMs };
    return this.#clock.offsetS;
  }

  async #dateByCommand(): Promise<number | null> {
    try {
      const { stdout } = await this.#ssh.exec('date +%s', 5_000);
      return /^\d{9,12}\s*$/.test(stdout) ? Number(stdout) : null;
    } catch {
      return null;
    }
  }
}

async function dateByFile(sftp: Sftp, root: string): Promise<number> {
  const path = join(root, `.postroom-clock-${randomBytes(8).toString('hex')}`);
  await sftp.write(path, new Uint8Array());
  try {
    return (await sftp.lstat(path)).mtime;
  } finally {
    await sftp.unlink(path);
  }
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof SftpRefusal && error.kind === 'missing';
}

function cannotDelete(folder: string, error: SftpRefusal): PostroomError {
  return new PostroomError('rights', `The folder ${folder} cannot be deleted by this login.`, {
    detail: error.message,
    cause: error,
  });
}
