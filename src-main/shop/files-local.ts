import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { PostroomError } from '../contract/errors.ts';
import { errorCode } from './faults.ts';
import { folderToken, type ShopFiles } from './files.ts';
import {
  checkNames,
  leadsOutside,
  missingFile,
  missingRoot,
  nestedFolder,
  noPlainFile,
} from './files-names.ts';

/** Attachment folders on this machine. @param root folder that holds the token folders; looked at with each call */
export function openLocalFiles(root: string): ShopFiles {
  const realRoot = async () => {
    try {
      return await realpath(root);
    } catch (error) {
      throw missingRoot(root, error);
    }
  };

  return {
    async open(folder, file) {
      checkNames(folder, file);
      const base = join(await realRoot(), folder);
      const path = join(base, file);
      let real: string;
      try {
        real = await realpath(path);
      } catch (error) {
        throw fault(error, folder, file);
      }
      if (!real.startsWith(base + sep)) throw leadsOutside(folder, file);
      try {
        // O_NOFOLLOW: nobody puts a link there between the look and the opening; O_NONBLOCK: a pipe must not hang us
        const handle = await open(
          real,
          constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
        );
        const stat = await handle.stat();
        if (!stat.isFile()) {
          await handle.close();
          throw noPlainFile(folder, file);
        }
        return { stream: handle.createReadStream(), size: stat.size };
      } catch (error) {
        throw fault(error, folder, file);
      }
    },

    async removeFolder(folder) {
      checkNames(folder);
      const base = join(await realRoot(), folder);
      try {
        if (!(await lstat(base)).isDirectory()) throw nestedFolder(folder);
        const entries = await readdir(base, { withFileTypes: true });
        if (entries.some((entry) => entry.isDirectory())) throw nestedFolder(folder);
        for (const entry of entries) await unlink(join(base, entry.name)).catch(unlessGone);
        await rmdir(base);
        return true;
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return true;
        if (errorCode(error) === 'ENOTEMPTY') return false; // the shop wrote into it meanwhile
        if (error instanceof PostroomError) throw error;
        throw new PostroomError('rights', `The folder ${folder} cannot be deleted.`, {
          detail: String(error),
          cause: error,
        });
      }
    },

    async listFolders() {
      const base = await realRoot();
      const entries = await readdir(base, { withFileTypes: true }).catch((error: unknown) => {
        throw missingRoot(root, error);
      });
      const folders: { folder: string; ageS: number }[] = [];
      for (const entry of entries) {
        if (!entry.isDirectory() || !folderToken.test(entry.name)) continue;
        const stat = await lstat(join(base, entry.name)).catch(unlessGone);
        if (stat)
          folders.push({
            folder: entry.name,
            ageS: Math.max(0, Math.floor((Date.now() - stat.mtimeMs) / 1000)),
          });
      }
      return folders;
    },

    async close() {},
  };
}

function unlessGone(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function fault(error: unknown, folder: string, file: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return missingFile(folder, file);
    case 'ELOOP':
      return leadsOutside(folder, file);
    case 'EACCES':
    case 'EPERM':
      return new PostroomError('refused', `The attachment ${folder}/${file} may not be read by this user.`, {
        cause: error,
      });
    case 'EISDIR':
    case 'ENXIO':
      return noPlainFile(folder, file);
    case 'EIO':
    case 'ESTALE':
    case 'EMFILE':
    case 'ETIMEDOUT':
      return new PostroomError('unreachable', `The folder of the attachments cannot be read at the moment.`, {
        detail: String(error),
        cause: error,
      });
    default:
      return error;
  }
}
