/** RFC 2047 encoded words, decoded: shops hand over names that were encoded already. Pure. */

const word = /=\?([A-Za-z0-9_-]+)(?:\*[A-Za-z-]+)?\?([BbQq])\?([^?\s]*)\?=/g;

/** `text` with its encoded words decoded; a word in an unknown charset stays as it is. May yield any character. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  // white space between two encoded words is not part of the text (RFC 2047 6.2)
  return text
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(word, (whole, charset: string, encoding: string, body: string) => {
      const bytes = encoding.toUpperCase() === 'B' ? Buffer.from(body, 'base64') : unquoteBytes(body);
      try {
        return new TextDecoder(charset).decode(bytes);
      } catch {
        return whole;
      }
    });
}

function unquoteBytes(body: string): Buffer {
  const latin = body
    .replace(/_/g, ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin, 'latin1');
}
