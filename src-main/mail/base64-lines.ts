/** Base64 in lines of 76 characters (RFC 2045 6.8), for whole texts and for streams. Pure. */

/** Input bytes of one line of 76 characters. */
const lineBytes = 57;

/** Length in bytes of `size` bytes as base64 lines, without a line end after the last one. */
export function base64Length(size: number): number {
  const characters = Math.ceil(size / 3) * 4;
  return characters === 0 ? 0 : characters + (Math.ceil(characters / 76) - 1) * 2;
}

/** Base64 of bytes as CRLF-parted lines. */
export function encodeBase64Lines(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = Buffer.allocUnsafe(base64Length(source.length));
  // a slice of whole lines at a time: one native call each for 4 KB, not one for each line
  const sliceBytes = lineBytes * 54;
  let to = 0;
  for (let from = 0; from < source.length; from += sliceBytes) {
    const text = source.toString('base64', from, from + sliceBytes);
    for (let at = 0; at < text.length; at += 76) {
      if (to > 0) {
        out[to++] = 0x0d;
        out[to++] = 0x0a;
      }
      to += out.write(text.slice(at, at + 76), to, 'latin1');
    }
  }
  return out;
}

/** Encodes a content that arrives in pieces: each `push` gives what is complete, `end` the rest. */
export class Base64Lines {
  private rest: Uint8Array = new Uint8Array(0);
  private begun = false;

  push(piece: Uint8Array): Buffer {
    const all = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const whole = all.length - (all.length % lineBytes);
    this.rest = Uint8Array.prototype.slice.call(all, whole);
    return this.emit(all.subarray(0, whole));
  }

  end(): Buffer {
    const last = this.rest;
    this.rest = new Uint8Array(0);
    return this.emit(last);
  }

  private emit(bytes: Uint8Array): Buffer {
    if (bytes.length === 0) return Buffer.alloc(0);
    const lines = encodeBase64Lines(bytes);
    const whole = this.begun ? Buffer.concat([Buffer.from('\r\n'), lines]) : lines;
    this.begun = true;
    return whole;
  }
}
