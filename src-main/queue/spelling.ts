/**
 * Old shops have tables in utf8mb3 or latin1. Strict mode refuses a character that such a column cannot hold (error 1366,
 * FINDINGS 13), and a row whose reason cannot be written would stop the claim for all others: the words are bent instead.
 */
import type { Queryable } from '../shop/database.ts';
import { type Books, bareName } from './tables.ts';

export type Spelling = (text: string) => string;

const asItIs: Spelling = (text) => text;
const withoutAstral: Spelling = (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd');
const asciiOnly: Spelling = (text) => text.replace(/[^\p{ASCII}]/gu, '?');

/** What the narrowest of the columns that we write words into can hold. */
export async function spellingOf(db: Queryable, prefix: string, books: Books = 'queue'): Promise<Spelling> {
  if (db.dialect === 'sqlite') return asItIs;
  const names = (['queue', 'log', 'attempts', 'pace', 'consoles'] as const).map((name) =>
    bareName(prefix, name, books),
  );
  const rows = await db.query<{ charset: string }>(
    `SELECT DISTINCT CHARACTER_SET_NAME AS charset FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${names.map(() => '?').join(', ')})
       AND COLUMN_NAME IN ('last_error', 'message', 'response', 'server_id', 'pause_reason', 'name')`,
    names,
  );
  const charsets = rows.map((row) => row.charset).filter((charset) => charset !== 'utf8mb4');
  if (charsets.length === 0) return asItIs;
  return charsets.every((charset) => /^utf8(mb3)?$/.test(charset)) ? withoutAstral : asciiOnly;
}

/** JSON that every column can hold. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
