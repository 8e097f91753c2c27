/** Every text in the source that a person may get to read, found by parsing it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

const root = path.resolve(import.meta.dirname, '..', '..', 'src-main');

export interface Said {
  file: string;
  /** what differs stands as {{1}}, {{2}}, ... */
  text: string;
}

interface Node {
  type: string;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Texts and templates of some rooms; types, imports and tests of them are no texts. */
export function textsOf(rooms: readonly string[]): Said[] {
  const found: Said[] = [];
  for (const room of rooms)
    for (const file of filesOf(path.join(root, room))) {
      const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
      if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
      walk(program, (text) => found.push({ file: path.relative(root, file), text }));
    }
  return found;
}

function filesOf(place: string): string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(place, name));
}

const typeWrappers = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'];

function walk(node: unknown, tell: (text: string) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, tell);
    return;
  }
  if (!isNode(node)) return;
  const { type } = node;
  if (type.startsWith('TS') && !typeWrappers.includes(type)) return;
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return;
  const whole = constant(node);
  if (whole !== null) tell(whole);
  if (whole === null || type === 'TemplateLiteral')
    for (const [key, inner] of Object.entries(node)) if (key !== 'quasis') walk(inner, tell);
}

/** A text, a template, or several put together by +; null for anything else. */
function constant(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type === 'TemplateLiteral') {
    const parts = node['quasis'] as { value: { cooked: string } }[];
    return parts.map(({ value }, i) => (i === 0 ? '' : `{{${i}}}`) + value.cooked).join('');
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [constant(node['left']), constant(node['right'])];
    return left === null || right === null ? null : left + right;
  }
  return null;
}

/** Words of SQL and of the other languages that computers speak with each other. */
const sql =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|ALTER|DROP|CREATE|JOIN|SET|SESSION|ORDER|GROUP|VALUES|NULL|SHOW|COLLATE|LIMIT|AND|OR|UNION|CASE|WHEN|CAST|LIKE|NOT|FORCE INDEX|SKIP|PRAGMA|BEGIN|START TRANSACTION|INTERVAL|SIGNED|ENGINE|CONVERT|SUM|COUNT)\b|^[a-z_, ]+ (?:=|<|>|<=|>=|IN) [?({]|\b[a-z_]+\([^)]*\{\{|datetime\(|instr\(|^[a-z_]+(?:, [a-z_]+){3,}|UNIX|TIMESTAMP|JSON_|json_|SUBSTRING|_utf8mb4|\{\{\d\}\} AS |'unknown status|\('pending'|^CONCAT|^ALTER|payload_bytes|finished_ms -|^in_doubt = 1/;

/** Whether a text is made of words that a person reads: two at least, with a space between them. */
export function isWords(text: string): boolean {
  const bare = text.replaceAll(/\{\{\d+\}\}/g, ' ');
  if ((bare.match(/\p{L}{2,}/gu) ?? []).length < 2 || !bare.trim().includes(' ')) return false;
  if (/\(\?[:!]|\\b|\.\{0,/.test(text)) return false; // a pattern
  if (!/\p{Ll}{2}/u.test(bare) || /[=<>] \?|\(\?\)/.test(text)) return false;
  // a sentence may speak of SQL; what neither begins nor ends like one is it
  const sentence = /^["(]?\p{Lu}\p{Ll}|\.$/u.test(
    text.replace(/^(?:\{\{1\}\} (?=\p{Ll})|[Aa]n? |[Tt]he )/u, 'Xx'),
  );
  return sentence || !sql.test(text);
}
