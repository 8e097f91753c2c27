/**
 * A message on its way: bytes, attachments read when their turn comes, and at the end the point of no return. nodemailer
 * reads it only after 354 and sends the final dot only when it has ended (FINDINGS 1, 1a), so a guard that must pass
 * before the end holds the dot back.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import { Base64Lines } from './base64-lines.ts';
import type { AttachmentRef, MessagePart } from './conversation.ts';

/** Bytes that are handed over at once: a body of megabytes does not hold up the event loop. */
const sliceBytes = 128 * 1024;

/** An attachment that was opened before the conversation began. */
export interface OpenedAttachment {
  ref: AttachmentRef;
  stream: Readable;
  /** bytes, as the file's keeper says */
  size: number;
}

/** Why a message could not be brought to its end; `lost`: the way to the file is gone, not the file. */
export class AttachmentError extends Error {
  readonly kind: 'missing' | 'changed' | 'lost';
  constructor(kind: 'missing' | 'changed' | 'lost', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The guard said no (or did not answer): the claim is not ours any more. */
export class GuardRefused extends Error {}

export interface MessageStreamHooks {
  /** the first byte was asked for: 354 has come */
  onBody: () => void;
  guard: () => Promise<void>;
  /** the guard passed: from here on the dot may be on the wire */
  onDot: () => void;
}

export class MessageStream extends Readable {
  /** why it broke off by itself */
  failure: AttachmentError | GuardRefused | null = null;
  private readonly parts: readonly MessagePart[];
  private readonly opened: readonly OpenedAttachment[];
  private readonly hooks: MessageStreamHooks;
  private part = 0;
  private offset = 0;
  private attachment = 0;
  private reading: AsyncGenerator<Buffer> | null = null;
  private begun = false;
  private stopped = false;

  constructor(parts: readonly MessagePart[], opened: readonly OpenedAttachment[], hooks: MessageStreamHooks) {
    // with a mark of 1 the end is asked for only after everything before it was taken
    super({ highWaterMark: 1 });
    this.parts = parts;
    this.opened = opened;
    this.hooks = hooks;
  }

  /** The server answered before the dot: whatever the guard says, no dot follows. */
  stop(): void {
    this.stopped = true;
  }

  override _read(): void {
    if (!this.begun) {
      this.begun = true;
      this.hooks.onBody();
    }
    const part = this.parts[this.part];
    if (part === undefined) void this.end();
    else if (part instanceof Uint8Array) this.pushBytes(part);
    else void this.pushAttachment();
  }

  private pushBytes(bytes: Uint8Array): void {
    const slice = bytes.subarray(this.offset, this.offset + sliceBytes);
    this.offset += slice.length;
    if (this.offset >= bytes.length) {
      this.part++;
      this.offset = 0;
    }
    this.push(slice);
  }

  private async pushAttachment(): Promise<void> {
    try {
      this.reading ??= encodedContent(this.opened[this.attachment] as OpenedAttachment);
      const step = await this.reading.next();
      if (this.destroyed) return;
      if (!step.done) this.push(step.value);
      else {
        this.reading = null;
        this.attachment++;
        this.part++;
        this._read();
      }
    } catch (error) {
      this.fail(error instanceof AttachmentError ? error : new AttachmentError('lost', String(error)));
    }
  }

  private async end(): Promise<void> {
    try {
      await this.hooks.guard();
    } catch (error) {
      this.fail(new GuardRefused(error instanceof Error ? error.message : String(error)));
      return;
    }
    // the connection may have ended, or the server answered, while the guard was asked
    if (this.destroyed || this.stopped) return;
    this.hooks.onDot();
    this.push(null);
  }

  private fail(failure: AttachmentError | GuardRefused): void {
    if (this.destroyed) return;
    this.failure = failure;
    this.destroy(failure);
  }
}

/** Base64 lines of an attachment; throws AttachmentError at its end when it is not what the row says. */
async function* encodedContent(opened: OpenedAttachment): AsyncGenerator<Buffer> {
  const { ref, stream, size } = opened;
  const lines = new Base64Lines();
  const hash = ref.sha256 === null ? null : createHash('sha256');
  const changed = () => new AttachmentError('changed', `attachment changed: ${ref.name}`);
  let read = 0;
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      read += piece.length;
      if (read > size) throw changed();
      hash?.update(piece);
      const encoded = lines.push(piece);
      if (encoded.length > 0) yield encoded;
    }
  } catch (error) {
    throw asAttachmentError(error, ref);
  }
  if (read !== size || (hash !== null && hash.digest('hex') !== ref.sha256)) throw changed();
  const rest = lines.end();
  if (rest.length > 0) yield rest;
}

/** What an attachment's keeper threw, as words for the row or for the lane. */
export function asAttachmentError(error: unknown, ref: AttachmentRef): AttachmentError {
  if (error instanceof AttachmentError) return error;
  if (error instanceof PostroomError && error.code === 'not-found')
    return new AttachmentError('missing', `attachment missing: ${ref.name}`);
  if (error instanceof PostroomError && error.code === 'refused')
    return new AttachmentError('missing', `attachment refused: ${ref.name} (${error.message})`);
  const words = error instanceof Error ? error.message : String(error);
  return new AttachmentError('lost', `attachment ${ref.name} cannot be read: ${words}`);
}
