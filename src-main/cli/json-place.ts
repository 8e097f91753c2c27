/**
 * Where a text stops being JSON, as `line 3, column 14`. JSON.parse names the place only sometimes, and sometimes quotes
 * the text around it: in a config file that may be a password (promise 12).
 */
export function jsonFault(text: string): string {
  const at = new Scanner(text).faultAt();
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return `line ${line}, column ${column}`;
}

class Stop extends Error {}

/** A JSON reader that keeps nothing but its place. */
class Scanner {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  faultAt(): number {
    try {
      this.#value(0);
      this.#blanks();
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
    }
    return this.#at;
  }

  #value(depth: number): void {
    this.#blanks();
    if (depth > 500) throw new Stop();
    const char = this.#text[this.#at];
    if (char === '{') this.#list('}', depth, true);
    else if (char === '[') this.#list(']', depth, false);
    else if (char === '"') this.#string();
    else this.#match(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  }

  #list(end: string, depth: number, named: boolean): void {
    this.#at += 1;
    this.#blanks();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#blanks();
      if (named) {
        if (this.#text[this.#at] !== '"') throw new Stop();
        this.#value(depth + 1);
        this.#blanks();
        if (this.#text[this.#at] !== ':') throw new Stop();
        this.#at += 1;
      }
      this.#value(depth + 1);
      this.#blanks();
      const char = this.#text[this.#at];
      if (char !== ',' && char !== end) throw new Stop();
      this.#at += 1;
      if (char === end) return;
    }
  }

  #string(): void {
    this.#at += 1;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || char < ' ') throw new Stop();
      if (char === '\\') this.#match(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y);
      else this.#at += 1;
      if (char === '"') return;
    }
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw new Stop();
    this.#at = pattern.lastIndex;
  }

  #blanks(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
