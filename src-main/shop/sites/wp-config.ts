/** What wp-config.php says, read and never run: constants, the table prefix, and what only PHP itself could tell. */
import path from 'node:path';
import { type PhpToken, phpTokens } from './php-tokens.ts';

/** bytes: the usual file has 4 KB; a generated one with hundreds of constants stays far below */
export const largestConfig = 256 * 1024;
/** config files that one may bring in, and how deep */
const mostIncludes = 6;
const deepest = 3;

/** A value as far as it is known. `how` says in words where it really comes from. */
export type ConfigValue = { text: string; how?: string } | { text: null; how: string };

export interface WpConfig {
  /**
   * Every definition of each constant in the file's order. PHP takes the first that it comes to; which one that is where a
   * condition decides, nobody here knows.
   */
  constants: Map<string, ConfigValue[]>;
  tablePrefix: ConfigValue | null;
  /** what could not be read for certain, in words */
  notes: string[];
}

export interface ConfigSources {
  /** folder of the file, as the server has it */
  folder: string;
  /** reads another file of the site; null = not there, too large, or outside */
  read(file: string): Promise<string | null>;
  /** what a .env file beside says */
  env: ReadonlyMap<string, string>;
}

export async function readWpConfig(text: string, sources: ConfigSources): Promise<WpConfig> {
  const config: WpConfig = { constants: new Map(), tablePrefix: null, notes: [] };
  const reader = new Reader(config, sources);
  await reader.file(text, sources.folder, 0);
  return config;
}

/** The first known value of a constant. */
export function constant(config: WpConfig, name: string, which = 0): string | null {
  const all = config.constants.get(name) ?? [];
  return (all[Math.min(which, all.length - 1)] ?? null)?.text ?? null;
}

class Reader {
  private readonly included = new Set<string>();
  /** plain variables, as the last assignment had them */
  private readonly variables = new Map<string, ConfigValue>();
  private readonly config: WpConfig;
  private readonly sources: ConfigSources;

  constructor(config: WpConfig, sources: ConfigSources) {
    this.config = config;
    this.sources = sources;
  }

  async file(text: string, folder: string, depth: number): Promise<void> {
    const tokens = new Tokens(phpTokens(text.slice(0, largestConfig)));
    while (!tokens.done) {
      const token = tokens.next();
      if (token?.kind === 'word')
        await this.word(token.word.replace(/^\\/, '').toLowerCase(), tokens, folder, depth);
      else if (token?.kind === 'variable') this.assignment(token.name, tokens, folder);
    }
  }

  private async word(word: string, tokens: Tokens, folder: string, depth: number): Promise<void> {
    // what a function or a class holds is not done by reading the file
    if (/^(function|fn|class|trait|interface|enum)$/.test(word)) tokens.skipBlock();
    else if (word === 'define' && tokens.takes('(')) {
      const name = this.expression(tokens, folder);
      if (name.text === null || !tokens.takes(',')) return;
      this.define(name.text, this.expression(tokens, folder));
    } else if (word === 'const') {
      const name = tokens.next();
      if (name?.kind === 'word' && tokens.takes('=')) this.define(name.word, this.expression(tokens, folder));
    } else if (/^(require|include)(_once)?$/.test(word)) {
      const file = this.expression(tokens, folder).text;
      if (file?.endsWith('.php')) await this.include(file, folder, depth);
    }
  }

  /** `$x = ...` and `$x .= ...`; the last one counts, as it does in PHP. */
  private assignment(name: string, tokens: Tokens, folder: string): void {
    const grows = tokens.takes('.');
    if (!tokens.takes('=')) return;
    const value = this.expression(tokens, folder);
    const before = grows ? this.variables.get(name) : { text: '' };
    const known = before && before.text !== null && value.text !== null;
    if (known || !grows) this.assign(name, known ? { ...value, text: `${before.text}${value.text}` } : value);
    else this.assign(name, { text: null, how: 'it is put together by PHP' });
  }

  private assign(name: string, value: ConfigValue): void {
    if (this.variables.size < 200) this.variables.set(name, value);
    if (name === 'table_prefix') this.config.tablePrefix = value;
  }

  private define(name: string, value: ConfigValue): void {
    const known = this.config.constants.get(name) ?? [];
    if (known.length < 8) this.config.constants.set(name, [...known, value]);
  }

  private async include(file: string, folder: string, depth: number): Promise<void> {
    const full = path.posix.normalize(file.startsWith('/') ? file : path.posix.join(folder, file));
    // WordPress itself and package loaders define nothing that is looked for, and are large
    if (/\/(wp-settings|autoload)\.php$/.test(full) || depth >= deepest || this.included.size >= mostIncludes)
      return;
    if (this.included.has(full)) return;
    this.included.add(full);
    const text = await this.sources.read(full);
    if (text === null)
      this.note(`${path.posix.basename(full)}, which wp-config.php brings in, cannot be read.`);
    else await this.file(text, path.posix.dirname(full), depth + 1);
  }

  private note(words: string): void {
    if (!this.config.notes.includes(words) && this.config.notes.length < 12) this.config.notes.push(words);
  }

  /** `a . b`, `x ?: y`, `x ?? y`; anything else is unknown from there on. */
  private expression(tokens: Tokens, folder: string, depth = 0): ConfigValue {
    let value = this.term(tokens, folder, depth);
    for (;;) {
      if (tokens.takes('.')) {
        const right = this.term(tokens, folder, depth);
        value =
          value.text === null || right.text === null
            ? {
                text: null,
                how: (value.text === null ? value.how : right.how) ?? 'it is put together by PHP',
              }
            : { text: value.text + right.text };
      } else if (tokens.takes('??')) value = orElse(value, this.expression(tokens, folder, depth));
      else if (tokens.takes('?')) {
        if (tokens.takes(':')) value = orElse(value, this.expression(tokens, folder, depth));
        else {
          const yes = this.expression(tokens, folder, depth);
          const no = tokens.takes(':') ? this.expression(tokens, folder, depth) : yes;
          if (value.text === '') value = no;
          else value = yes.text !== null ? { ...yes, how: 'a condition decides' } : no;
        }
      } else return value;
    }
  }

  private term(tokens: Tokens, folder: string, depth: number): ConfigValue {
    // parentheses within parentheses: a hostile file has thousands
    if (depth > 20) return { text: null, how: 'it is put together by PHP' };
    const token = tokens.next();
    switch (token?.kind) {
      case 'text':
        return { text: token.text };
      case 'number':
        return { text: token.text };
      case 'template':
        return { text: null, how: 'it has PHP variables in it' };
      case 'variable':
        return this.variable(token.name, tokens, folder, depth);
      case 'word':
        return this.called(token.word.replace(/^\\/, ''), tokens, folder, depth);
      case 'sign':
        if (token.sign === '(') {
          const inner = this.expression(tokens, folder, depth + 1);
          tokens.skipTo(')');
          return inner;
        }
        if (token.sign === '@' || token.sign === '!') return this.term(tokens, folder, depth + 1);
        tokens.back(); // a sign that ends something
    }
    return { text: null, how: 'it is put together by PHP' };
  }

  /** `$_ENV['X']`, `$_SERVER['X']`, a variable that was assigned to; any other one is PHP's alone. */
  private variable(name: string, tokens: Tokens, folder: string, depth: number): ConfigValue {
    if (!tokens.takes('[')) return this.variables.get(name) ?? { text: null, how: `it comes from $${name}` };
    const key = this.expression(tokens, folder, depth + 1).text;
    tokens.skipTo(']');
    return key !== null && /^_(ENV|SERVER)$/.test(name)
      ? this.environment(key)
      : { text: null, how: `it comes from $${name}` };
  }

  private called(word: string, tokens: Tokens, folder: string, depth: number): ConfigValue {
    if (!tokens.takes('(')) return this.named(word, tokens, folder);
    const args: ConfigValue[] = [];
    while (!tokens.done && !tokens.takes(')')) {
      args.push(this.expression(tokens, folder, depth + 1));
      if (!tokens.takes(',')) {
        tokens.skipTo(')');
        break;
      }
    }
    const [first, second] = args;
    const known = word.toLowerCase();
    if (first && first.text !== null) {
      if (known === 'dirname') return { text: up(first.text, Number(second?.text ?? 1)) };
      if (known === 'trim') return { text: first.text.trim() };
      // WordPress's Docker image and others wrap getenv() in functions of such names
      if (/^(getenv|env|getenv_docker|wp_env|get_env)$/.test(known))
        return orElse(this.environment(first.text), second);
    }
    return { text: null, how: `it comes from ${word}()` };
  }

  private named(word: string, tokens: Tokens, folder: string): ConfigValue {
    const upper = word.toUpperCase();
    if (upper === '__DIR__') return { text: folder };
    if (upper === '__FILE__') return { text: `${folder}/wp-config.php` };
    if (upper === 'DIRECTORY_SEPARATOR') return { text: '/' };
    if (['TRUE', 'FALSE', 'NULL'].includes(upper)) return { text: upper === 'TRUE' ? '1' : '' };
    // a class's constant or method: Env::get('X')
    if (tokens.takes('::') || tokens.takes('->')) {
      const member = tokens.next();
      return member?.kind === 'word'
        ? this.called(member.word, tokens, folder, 0)
        : { text: null, how: `it comes from ${word}` };
    }
    const [defined] = this.config.constants.get(word) ?? [];
    if (defined) return defined;
    return word === 'ABSPATH' ? { text: `${folder}/` } : { text: null, how: `it comes from ${word}` };
  }

  /** What the web server's environment says is not known here; a .env file beside is. */
  private environment(name: string): ConfigValue {
    const text = this.sources.env.get(name);
    return text === undefined
      ? { text: null, how: `it comes from the environment variable ${name}` }
      : { text, how: `from .env` };
  }
}

/** `a`, or what stands in its place: with words where the first is what counts and could not be read. */
function orElse(value: ConfigValue, other: ConfigValue | undefined): ConfigValue {
  if (value.text !== null && value.text !== '') return value;
  if (!other || other.text === null) return value;
  return {
    text: other.text,
    how: value.text === null ? `${value.how}; what stands in its place was taken` : (other.how ?? ''),
  };
}

function up(folder: string, levels: number): string {
  let at = folder;
  for (let n = 0; n < Math.min(Number.isFinite(levels) ? levels : 1, 20); n += 1) at = path.posix.dirname(at);
  return at;
}

class Tokens {
  private at = 0;
  private readonly all: readonly PhpToken[];

  constructor(all: readonly PhpToken[]) {
    this.all = all;
  }

  get done(): boolean {
    return this.at >= this.all.length;
  }

  next(): PhpToken | undefined {
    const token = this.all[this.at];
    this.at += 1;
    return token;
  }

  back(): void {
    this.at -= 1;
  }

  /** Goes past this sign if it comes next. */
  takes(sign: string): boolean {
    const token = this.all[this.at];
    if (token?.kind !== 'sign' || token.sign !== sign) return false;
    this.at += 1;
    return true;
  }

  /** Goes past the body in braces that comes next, if one does before the statement ends. */
  skipBlock(): void {
    for (let open = 0; !this.done; ) {
      const token = this.next();
      if (token?.kind !== 'sign') continue;
      if (token.sign === '{') open += 1;
      else if (token.sign === '}') {
        open -= 1;
        if (open <= 0) return;
      } else if (token.sign === ';' && open === 0) return;
    }
  }

  /** Goes past the sign that closes what was opened; never past the statement's end. */
  skipTo(sign: string): void {
    for (let open = 0; !this.done; ) {
      const token = this.next();
      if (token?.kind !== 'sign') continue;
      if (open === 0 && token.sign === sign) return;
      if (token.sign === ';') {
        this.back();
        return;
      }
      if ('([{'.includes(token.sign)) open += 1;
      else if (')]}'.includes(token.sign)) open = Math.max(0, open - 1);
    }
  }
}
