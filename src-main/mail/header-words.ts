/**
 * Header values spelled as PHPMailer 6.9 spells them over SMTP, so that a mail out of the queue is the mail that wp_mail()
 * had sent. RFC 2047 has two encodings; PHPMailer takes the shorter. Pure.
 */

/** Octets of a line without its CRLF (RFC 5322 2.1.1). */
const maxLine = 998;
/** Octets of one encoded word of base64 (RFC 2047 2). Of quoted words PHPMailer fills the whole line. */
const maxWord = 75;

/** What stands in a phrase without quotes: RFC 5322 atoms and spaces. */
const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/;

/** A display name, as it stands before `<address>`. */
export function encodePhrase(text: string, charset: string): string {
  const bytes = Buffer.from(text);
  if (isAscii(bytes)) return atoms.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
  const special = count(bytes, (byte) => byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c);
  return encodeWords(text, bytes, special, charset, phraseLiteral);
}

/** Any other value. */
export function encodeText(text: string, charset: string): string {
  const bytes = Buffer.from(text);
  const ascii = isAscii(bytes);
  const name = ascii ? 'us-ascii' : charset;
  const special = count(bytes, (byte) => byte < 0x20 || byte >= 0x7f);
  if (special === 0 && bytes.length <= maxLine - 8 - name.length) return text;
  return encodeWords(text, bytes, special, name, textLiteral);
}

function encodeWords(
  text: string,
  bytes: Buffer,
  special: number,
  charset: string,
  literal: (byte: number) => boolean,
): string {
  const base64 = special > bytes.length / 3;
  const words = base64 ? base64Words(text, bytes.length, charset) : quotedWords(bytes, charset, literal);
  return words.map((word) => `=?${charset}?${base64 ? 'B' : 'Q'}?${word}?=`).join('\r\n ');
}

/** Pieces of whole characters; how many fit is guessed from the text's average and then counted down. */
function base64Words(text: string, octets: number, charset: string): string[] {
  const characters = [...text];
  const room = maxWord - `=?${charset}?B??=`.length;
  const usual = Math.floor(room * (characters.length / octets) * 0.75);
  const words: string[] = [];
  for (let at = 0; at < characters.length; ) {
    let taken = Math.max(1, usual);
    let word = '';
    for (; ; taken--) {
      word = Buffer.from(characters.slice(at, at + taken).join('')).toString('base64');
      if (word.length <= room || taken === 1) break;
    }
    words.push(word);
    at += taken;
  }
  return words;
}

function quotedWords(bytes: Buffer, charset: string, literal: (byte: number) => boolean): string[] {
  const room = maxLine - 8 - charset.length;
  const words: string[] = [];
  let word = '';
  let character = '';
  const close = () => {
    if (word.length + character.length > room) {
      words.push(word);
      word = '';
    }
    word += character;
    character = '';
  };
  for (const byte of bytes) {
    // a character's bytes stay together
    if ((byte & 0xc0) !== 0x80) close();
    if (byte === 0x20) character += '_';
    else if (literal(byte)) character += String.fromCharCode(byte);
    else character += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  close();
  words.push(word);
  return words;
}

/** RFC 2047 5 (3): within a phrase. */
function phraseLiteral(byte: number): boolean {
  return /[A-Za-z0-9!*+/-]/.test(String.fromCharCode(byte));
}

/** RFC 2047 5 (1): in unstructured text. */
function textLiteral(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== 0x3d && byte !== 0x3f && byte !== 0x5f;
}

/** A header's line, parted where it is longer than a line may be: at its last space, which a tab then stands for. */
export function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= maxLine) return line;
  // the encoded form is ASCII, but a name or an address of the caller need not be
  let rest = Buffer.from(line).toString('latin1');
  const lines: string[] = [];
  while (rest.length > maxLine) {
    const space = rest.slice(0, maxLine).lastIndexOf(' ');
    const at = space > 0 ? space : maxLine - 1;
    lines.push(rest.slice(0, at));
    rest = `\t${rest.slice(space > 0 ? at + 1 : at)}`;
  }
  return Buffer.from([...lines, rest].join('\r\n'), 'latin1').toString();
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function count(bytes: Uint8Array, which: (byte: number) => boolean): number {
  let found = 0;
  for (const byte of bytes) if (which(byte)) found++;
  return found;
}
