import { PostroomError } from '../contract/errors.ts';
import { folderToken } from './files.ts';

/**
 * Whether folder and file name may be joined to the root at all: a token, and one plain name. Names come from rows, which
 * are hostile input (promise 10).
 * @throws PostroomError `refused`
 */
export function checkNames(folder: string, file?: string): void {
  if (!folderToken.test(folder))
    throw new PostroomError('refused', `${show(folder)} is no attachment folder (32 hex digits).`);
  if (file === undefined) return;
  // control characters (NUL among them) and both kinds of slash; Windows would take C:name for a drive
  const plain =
    file !== '' && file !== '.' && file !== '..' && !/[/\\\p{Cc}]/u.test(file) && !/^[A-Za-z]:/.test(file);
  if (!plain) throw new PostroomError('refused', `${show(file)} is no plain file name.`);
}

/** `name` missing in its folder: the row's fault. */
export function missingFile(folder: string, file: string): PostroomError {
  return new PostroomError('not-found', `The attachment ${show(`${folder}/${file}`)} is not there.`);
}

export function leadsOutside(folder: string, file: string): PostroomError {
  return new PostroomError(
    'refused',
    `The attachment ${show(`${folder}/${file}`)} is a link that leads out of its folder.`,
  );
}

export function noPlainFile(folder: string, file: string): PostroomError {
  return new PostroomError('refused', `The attachment ${show(`${folder}/${file}`)} is no plain file.`);
}

export function nestedFolder(folder: string): PostroomError {
  return new PostroomError('refused', `The folder ${folder} holds more than plain files: it is left alone.`);
}

export class MissingRoot extends PostroomError {}

/** The whole place missing is never a row's fault: a network drive that is away must not fail the mail (promise 7). */
export function missingRoot(root: string, cause: unknown): MissingRoot {
  return new MissingRoot(
    'unreachable',
    `The folder of the attachments, ${root}, is not there or cannot be read.`,
    {
      detail: cause instanceof Error ? cause.message : String(cause),
      cause,
    },
  );
}

/** A name from a row as it may stand in a message: no control characters, and not endless. */
function show(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
