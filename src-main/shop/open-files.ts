import { PostroomError } from '../contract/errors.ts';
import type { FilesPlace } from '../contract/profile.ts';
import type { ShopFiles } from './files.ts';
import { openLocalFiles } from './files-local.ts';
import { openSftpFiles } from './files-sftp.ts';
import { expandHome } from './ssh-keys.ts';
import type { SshSession } from './ssh-types.ts';

/**
 * The attachment folders of a profile; nothing is looked at before the first call.
 * @throws PostroomError `config` when they are to come by SFTP and the profile has no SSH login
 */
export function openFiles(place: FilesPlace, ssh: SshSession | null): ShopFiles {
  if (place.via === 'local') return openLocalFiles(expandHome(place.root));
  if (!ssh)
    throw new PostroomError(
      'config',
      'files.via is sftp, but the profile has no ssh login. Give one, or set files.via to local.',
    );
  return openSftpFiles(place.root, ssh);
}
