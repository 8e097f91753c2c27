/** The files of one mail as they lie in the shop: asked for when a person looks at them, never kept. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import type { RowFile } from '../contract/orders.ts';
import type { RowDetail } from '../contract/rows.ts';
import type { AttachmentRef, Mailbox } from '../mail/conversation.ts';
import { readMail } from '../mail/read-mail.ts';
import type { ShopFiles } from '../shop/files.ts';

/** Bytes of an embedded image that the preview shows; larger ones are named instead. */
const mostImageBytes = 512 * 1024;

interface Found {
  kind: RowFile['kind'];
  ref: AttachmentRef;
}

/** The files that a row names; empty where its payload is none, or names one that may not be read. */
function filesOf(row: RowDetail, sender: Mailbox): Found[] {
  if (!row.payload.ok) return [];
  const payload = JSON.stringify(row.payload.value);
  const reading = readMail({ payload, sender, attachmentDir: row.attachment_dir, deliveredTo: [] });
  if (!reading.ok) return [];
  const { attachments, embeds } = reading.mail;
  return [
    ...attachments.map((ref) => ({ kind: 'attachment' as const, ref })),
    ...embeds.map((ref) => ({ kind: 'embed' as const, ref })),
  ];
}

/** @param checksum reads each file to its end, where the row has a checksum of it */
export async function lookAtFiles(
  row: RowDetail,
  sender: Mailbox,
  files: ShopFiles | null,
  checksum: boolean,
): Promise<RowFile[]> {
  const looked: RowFile[] = [];
  for (const { kind, ref } of filesOf(row, sender)) {
    const told = { kind, name: ref.name, cid: ref.cid, told: ref.size };
    const sums = ref.sha256 === null ? ('untold' as const) : ('unchecked' as const);
    if (!files) {
      const reason = 'the profile names no folder for attachments';
      looked.push({ ...told, size: null, present: 'unknown', reason, checksum: sums });
      continue;
    }
    try {
      const { stream, size } = await files.open(ref.folder, ref.file);
      const sum = checksum && ref.sha256 !== null ? await sha256(stream) : null;
      stream.destroy();
      const found = sum === null ? sums : sum === ref.sha256 ? 'matches' : 'differs';
      looked.push({ ...told, size, present: 'yes', reason: null, checksum: found });
    } catch (error) {
      const missing = error instanceof PostroomError && ['not-found', 'refused'].includes(error.code);
      const reason = error instanceof PostroomError ? error.message : 'it could not be read';
      looked.push({ ...told, size: null, present: missing ? 'no' : 'unknown', reason, checksum: sums });
    }
  }
  return looked;
}

async function sha256(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of stream) hash.update(part as Buffer);
  return hash.digest('hex');
}

/** Small embedded images of a mail by their Content-ID, as data: addresses. What is no image by its first bytes is left out. */
export async function embeddedImages(
  row: RowDetail,
  sender: Mailbox,
  files: ShopFiles | null,
): Promise<Record<string, string>> {
  const images: Record<string, string> = {};
  if (!files) return images;
  for (const { kind, ref } of filesOf(row, sender)) {
    if (kind !== 'embed' || ref.cid === null) continue;
    try {
      const { stream, size } = await files.open(ref.folder, ref.file);
      const bytes = size <= mostImageBytes ? await readAll(stream) : null;
      stream.destroy();
      const type = bytes && imageType(bytes);
      if (type) images[ref.cid] = `data:${type};base64,${bytes.toString('base64')}`;
    } catch {
      // the list of files says why
    }
  }
  return images;
}

async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** By the first bytes alone: a name or a row may say anything. SVG is no such image: it is a document. */
function imageType(bytes: Buffer): string | null {
  const starts = (hex: string) => bytes.subarray(0, hex.length / 2).toString('hex') === hex;
  if (starts('89504e470d0a1a0a')) return 'image/png';
  if (starts('ffd8ff')) return 'image/jpeg';
  if (starts('474946383761') || starts('474946383961')) return 'image/gif';
  if (starts('52494646') && bytes.subarray(8, 12).toString('latin1') === 'WEBP') return 'image/webp';
  return null;
}
