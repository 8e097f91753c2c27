/**
 * Quoted-printable (RFC 2045 6.7) in one pass over the bytes, with the line breaks of PHP's quoted_printable_encode(): that
 * is what wp_mail() sends. Pure.
 */

const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const SPACE = 0x20;
/** Characters of a line before its soft break, which takes the 76th. */
const maxLine = 75;
const hex = Buffer.from('0123456789ABCDEF', 'latin1');

/** Encodes bytes; every CRLF stays a line end, a lone CR or LF and every tab is encoded. */
export function encodeQuotedPrintable(bytes: Uint8Array): Buffer {
  const length = bytes.length;
  // each byte takes three characters at most; a line holds 63 of them at least, since a character is not parted
  const out = Buffer.allocUnsafe(length * 3 + (Math.ceil((length * 3) / 63) + 1) * 3);
  let to = 0;
  let column = 0;
  const softBreak = () => {
    out[to++] = EQUALS;
    out[to++] = CR;
    out[to++] = LF;
  };
  for (let from = 0; from < length; from++) {
    const byte = bytes[from] as number;
    if (byte === CR && bytes[from + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      from++;
      column = 0;
      continue;
    }
    const plain =
      byte >= SPACE && byte < 0x7f && byte !== EQUALS && !(byte === SPACE && bytes[from + 1] === CR);
    if (plain) {
      if (++column > maxLine) {
        column = 1;
        softBreak();
      }
      out[to++] = byte;
      continue;
    }
    column += 3;
    if (column + following(byte) > maxLine) {
      column = 3;
      softBreak();
    }
    out[to++] = EQUALS;
    out[to++] = hex[byte >> 4] as number;
    out[to++] = hex[byte & 15] as number;
  }
  return out.subarray(0, to);
}

/** Characters that the rest of a UTF-8 sequence takes after its first byte; one more for a byte in its middle. */
function following(byte: number): number {
  if (byte < 0x80) return 0;
  if (byte <= 0xdf) return 3;
  return byte <= 0xef ? 6 : 9;
}
