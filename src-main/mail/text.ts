/** Hostile text made harmless. Pure. */

/**
 * `text` as one line of well-formed Unicode: control characters and line separators become one space, lone surrogates
 * U+FFFD. The result can stand in a header or a log line.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
}

/** `text` quoted, cut to about 100 characters, with its control characters made visible: for reasons and logs. */
export function quoteForPerson(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}...` : text;
  const visible = short
    .replace(/[\p{Cc}\u2028\u2029]/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/\p{Cs}/gu, '\ufffd');
  return `"${visible}"`;
}
