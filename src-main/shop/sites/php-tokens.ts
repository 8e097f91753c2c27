/**
 * PHP's own lexical rules, as far as a config file needs them: what is a comment, what is a string and what it says. Nothing is
 * run. Hostile text ends in tokens, never in a hang: each character is looked at a bounded number of times.
 */

export type PhpToken =
  /** a literal whose text is known */
  | { kind: 'text'; text: string }
  /** a string with variables in it: what it says is known to PHP alone */
  | { kind: 'template' }
  | { kind: 'variable'; name: string }
  | { kind: 'word'; word: string }
  | { kind: 'number'; text: string }
  /** one character, or `::`, `->`, `=>`, `??`, `==`, `===`, `!=`, `!==`, `&&`, `||` */
  | { kind: 'sign'; sign: string };

const wordStart = /[A-Za-z_\x80-\uffff\\]/;
const wordRest = /[A-Za-z0-9_\x80-\uffff\\]*/y;
const numberRest = /[0-9][0-9A-Fa-fxXoO_.]*/y;
const signs = /===|!==|::|->|=>|\?\?|==|!=|&&|\|\|/y;
const heredoc = /<<<[ \t]*(?:(['"])([A-Za-z_]\w*)\1|([A-Za-z_]\w*))\r?\n/y;

export function phpTokens(source: string): PhpToken[] {
  const tokens: PhpToken[] = [];
  let at = 0;
  let code = false;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < source.length) {
    if (!code) {
      const open = source.indexOf('<?', at);
      if (open < 0) break;
      at = open + 2;
      if (source.startsWith('php', at)) at += 3;
      else if (source[at] === '=') at += 1;
      else if (source.startsWith('xml', at)) continue;
      code = true;
      continue;
    }
    const char = source[at] ?? '';
    if (/\s/.test(char)) at += 1;
    else if (source.startsWith('?>', at)) {
      at += 2;
      code = false;
      tokens.push({ kind: 'sign', sign: ';' });
    } else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at + 2);
      at = end < 0 ? source.length : end + 2;
    } else if (source.startsWith('//', at) || (char === '#' && source[at + 1] !== '[')) {
      // a line comment ends at the line's end or where PHP ends, whichever comes first
      const line = /\r\n|\r|\n|\?>/g;
      line.lastIndex = at;
      const end = line.exec(source);
      at = end ? end.index : source.length;
    } else if (char === "'") {
      const end = quoteEnd(source, at + 1, "'");
      tokens.push({ kind: 'text', text: singleQuoted(source.slice(at + 1, end)) });
      at = end + 1;
    } else if (char === '"') {
      const end = quoteEnd(source, at + 1, '"');
      tokens.push(doubleQuoted(source.slice(at + 1, end), '"'));
      at = end + 1;
    } else if (char === '`') {
      at = quoteEnd(source, at + 1, '`') + 1;
      tokens.push({ kind: 'template' });
    } else if (char === '<' && source.startsWith('<<<', at)) {
      const open = match(heredoc);
      if (open) {
        const { token, end } = heredocAt(source, at, open[2] ?? open[3] ?? '', open[1] === "'");
        tokens.push(token);
        at = end;
      } else {
        tokens.push({ kind: 'sign', sign: '<' });
        at += 1;
      }
    } else if (char === '$' && wordStart.test(source[at + 1] ?? '')) {
      at += 1;
      tokens.push({ kind: 'variable', name: match(wordRest)?.[0] ?? '' });
    } else if (wordStart.test(char)) tokens.push({ kind: 'word', word: match(wordRest)?.[0] ?? char });
    else if (/[0-9]/.test(char)) tokens.push({ kind: 'number', text: match(numberRest)?.[0] ?? char });
    else {
      const sign = match(signs)?.[0];
      if (sign === undefined) at += 1;
      tokens.push({ kind: 'sign', sign: sign ?? char });
    }
  }
  return tokens;
}

/** Where a quoted string ends; the text's end where its quote never closes. */
function quoteEnd(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at;
  }
  return source.length;
}

/** Only `\\` and `\'` mean something between single quotes. */
const singleQuoted = (text: string): string => text.replace(/\\([\\'])/g, '$1');

const escapes: Record<string, string> = {
  ...{ n: '\n', t: '\t', r: '\r', v: '\v', e: '\u001b', f: '\f' },
  ...{ '\\': '\\', $: '$' },
};

/** @param quote what a backslash also escapes; a heredoc has none */
function doubleQuoted(text: string, quote: '"' | ''): PhpToken {
  if (/(?<!\\)(?:\\\\)*(?:\$[A-Za-z_{\x80-\uffff]|\{\$)/.test(text)) return { kind: 'template' };
  const said = text.replace(
    /\\(?:u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|([\s\S]))/g,
    (whole, unicode?: string, hex?: string, octal?: string, char?: string) => {
      if (unicode !== undefined) {
        const point = Number.parseInt(unicode, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
      }
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (char === undefined) return whole;
      return char === quote && quote !== '' ? quote : (escapes[char] ?? whole);
    },
  );
  return { kind: 'text', text: asUtf8(said) };
}

/** Escapes of PHP name bytes, and a file is UTF-8: `"\xc5\xbe"` is one letter. What is no UTF-8 stays as it is. */
function asUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  const read = bytes.toString('utf8');
  return Buffer.from(read, 'utf8').equals(bytes) ? read : text;
}

/** The body of a heredoc or nowdoc; the closing word's indentation is taken off each line (PHP 7.3). */
function heredocAt(
  source: string,
  from: number,
  word: string,
  asItIs: boolean,
): { token: PhpToken; end: number } {
  const close = new RegExp(`^([ \\t]*)${word}\\b`, 'gm');
  close.lastIndex = from;
  const found = close.exec(source);
  if (!found) return { token: { kind: 'template' }, end: source.length };
  const indent = found[1] ?? '';
  const body = source.slice(from, found.index).replace(/\r?\n$/, '');
  const lines = body
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
  const token: PhpToken = asItIs ? { kind: 'text', text: lines } : doubleQuoted(lines, '');
  return { token, end: found.index + found[0].length };
}
