/** Quoted-printable (RFC 2045 6.7) of text with CRLF line ends, in one pass over its bytes. Pure. */

const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
/** Characters of a line without its CRLF (RFC 2045 6.7 rule 5); a soft break takes one of them. */
const maxLine = 76;
const hex = Buffer.from('0123456789ABCDEF', 'latin1');

/** Whether a byte may stand for itself; space and tab only where no line end follows. */
const literal = new Uint8Array(256);
for (let byte = 0x20; byte <= 0x7e; byte++) literal[byte] = byte === EQUALS ? 0 : 1;
literal[0x09] = 1;

/** Encodes bytes; every CRLF stays a line end, a lone CR or LF is encoded. */
export function encodeQuotedPrintable(bytes: Uint8Array): Buffer {
  const length = bytes.length;
  // each byte takes three characters at most, each line of them a soft break of three
  const out = Buffer.allocUnsafe(length * 3 + (Math.ceil((length * 3) / (maxLine - 3)) + 1) * 3);
  let to = 0;
  let column = 0;
  for (let from = 0; from < length; from++) {
    const byte = bytes[from] as number;
    const next = bytes[from + 1];
    if (byte === CR && next === LF) {
      out[to++] = CR;
      out[to++] = LF;
      from++;
      column = 0;
      continue;
    }
    const endsLine = next === undefined || (next === CR && bytes[from + 2] === LF);
    const plain = literal[byte] === 1 && !(endsLine && (byte === 0x20 || byte === 0x09));
    const width = plain ? 1 : 3;
    // the last character of a line may use the column that a soft break would need
    if (column + width > (endsLine ? maxLine : maxLine - 1)) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
    }
    if (plain) out[to++] = byte;
    else {
      out[to++] = EQUALS;
      out[to++] = hex[byte >> 4] as number;
      out[to++] = hex[byte & 15] as number;
    }
    column += width;
  }
  return out.subarray(0, to);
}
