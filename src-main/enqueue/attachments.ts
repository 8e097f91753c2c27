import { checkKeys, checkText, checkWhole, refuse } from './check.ts';
import type { Attachment } from './types.ts';

/** Checked attachments of one mail. */
export interface Attachments {
  list: Attachment[];
  /** folders of 32 hex digits that they lie in, each once */
  folders: string[];
}

/** Of a path the console only uses `{32 hex}/{file name}`, and nothing that leads out of the attachment folder. */
export function checkAttachments(value: unknown, where: string): Attachments {
  if (!Array.isArray(value)) return refuse(`${where} to be a list`, value);
  const folders = new Set<string>();
  const list = Array.from(value, (each: unknown, at): Attachment => {
    const here = `${where}[${at}]`;
    if (typeof each === 'string') {
      folders.add(folderOf(each, here));
      return each;
    }
    const entry = checkKeys(each, ['name', 'file', 'size', 'sha256'], here);
    const file = checkText(entry['file'], `${here}.file`);
    folders.add(folderOf(file, `${here}.file`));
    const { size, sha256 } = entry;
    if (sha256 !== undefined && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256)))
      refuse(`${here}.sha256 to be 64 hex digits`, sha256);
    return {
      name: checkText(entry['name'], `${here}.name`),
      file,
      ...(size === undefined ? {} : { size: checkWhole(size, `${here}.size`, 0, Number.MAX_SAFE_INTEGER) }),
      ...(typeof sha256 === 'string' ? { sha256 } : {}),
    };
  });
  return { list, folders: [...folders] };
}

function folderOf(path: string, where: string): string {
  const segments = path.split(/[\\/]/);
  const [folder = '', file = ''] = segments.slice(-2);
  const outside = segments.includes('..') || file === '.' || /\p{Cc}/u.test(path);
  if (outside || segments.length < 2 || file === '' || !/^[0-9a-f]{32}$/.test(folder))
    refuse(`${where} to end with {32 hex digits}/{file name}`, path);
  return folder;
}
