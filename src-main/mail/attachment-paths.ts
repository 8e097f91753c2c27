/** Which files a payload may attach (DESIGN section 4: of a path only `{32 hex}/{file name}` counts). Pure. */
import { folderToken } from '../shop/files.ts';
import type { AttachmentRef, PayloadAttachment } from './conversation.ts';
import { oneLine, quoteForPerson } from './text.ts';

export type CheckedAttachment = { ok: true; ref: AttachmentRef } | { ok: false; reason: string };

/**
 * An attachment or embed of the payload, confined to its row's own folder.
 * @param rowFolder the row's attachment_dir column; when set, no other folder is allowed
 */
export function checkAttachment(entry: PayloadAttachment, rowFolder: string | null): CheckedAttachment {
  const path = typeof entry === 'string' ? entry : entry.file;
  const segments = path.split(/[\\/]/);
  const file = segments.at(-1) ?? '';
  const folder = segments.at(-2) ?? '';
  const label = typeof entry === 'string' ? file || path : entry.name;
  const outside = {
    ok: false,
    reason: `attachment outside the attachment folder: ${quoteForPerson(label)}`,
  } as const;
  // every segment counts: `/../` before the last two would be harmless, but nobody honest writes it
  if (segments.includes('..') || !folderToken.test(folder)) return outside;
  if (file === '' || file === '.' || /\p{Cc}/u.test(path) || Buffer.byteLength(file) > 255) return outside;
  const own = rowFolder === null ? '' : (rowFolder.split(/[\\/]/).findLast((part) => part !== '') ?? '');
  if (own !== '' && own !== folder) return outside;
  const name = shownName(label) || shownName(file) || 'attachment';
  if (typeof entry === 'string')
    return { ok: true, ref: { name, folder, file, size: null, sha256: null, cid: null } };
  const sha256 = entry.sha256?.toLowerCase() ?? null;
  return { ok: true, ref: { name, folder, file, size: entry.size ?? null, sha256, cid: entry.cid ?? null } };
}

/** The file name that the recipient sees: no path, no control characters. */
function shownName(text: string): string {
  return oneLine(text.split(/[\\/]/).at(-1) ?? '').slice(0, 200);
}
