/** Base64 in lines of 76 characters (RFC 2045 6.8), for whole texts and for streams. Pure. */

/** Input bytes of one line of 76 characters. */
const lineBytes = 57;

/** Length in bytes of `size` bytes as base64 lines, without a line end after the last one. */
export function base64Length(size: number): number {
  const characters = Math.ceil(size / 3) * 4;
  return characters === 0 ? 0 : characters + (Math.ceil(characters / 76) - 1) * 2;
}

/** Base64 of bytes as CRLF-parted lines. */
export function encodeBase64Lines(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return text.length <= 76 ? text : text.replace(/.{76}(?=.)/g, '$&\r\n');
}

/** Encodes a content that arrives in pieces: each `push` gives what is complete, `end` the rest. */
export class Base64Lines {
  private rest: Uint8Array = new Uint8Array(0);
  private begun = false;

  push(piece: Uint8Array): string {
    const all = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const whole = all.length - (all.length % lineBytes);
    this.rest = Uint8Array.prototype.slice.call(all, whole);
    return this.emit(all.subarray(0, whole));
  }

  end(): string {
    const last = this.rest;
    this.rest = new Uint8Array(0);
    return this.emit(last);
  }

  private emit(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    const text = encodeBase64Lines(bytes);
    const lead = this.begun ? '\r\n' : '';
    this.begun = true;
    return lead + text;
  }
}
