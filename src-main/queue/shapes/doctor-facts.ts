/** What the doctor reads of one table before it says anything: columns, keys, about how many rows. */
import { type Layout, profileSchema } from '../../contract/profile.ts';
import type { Queryable } from '../../shop/database.ts';
import type { Shape, ShapeTable } from './shape.ts';

export interface TableFacts {
  /** lower case name -> column */
  columns: Map<string, { name: string; type: string; charset: string | null }>;
  /** columns of each key in their order, lower case */
  keys: string[][];
  primary: string[];
  /** an estimate on MySQL, 0 where there is none */
  rows: number;
}

/** null = there is no such table */
export async function readTable(on: Queryable, table: string): Promise<TableFacts | null> {
  const mysql = on.dialect === 'mysql';
  const columns = await on.query<{ name: string; type: string; charset: string | null; pk: number }>(
    mysql
      ? `SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type, CHARACTER_SET_NAME AS charset, 0 AS pk
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`
      : 'SELECT name, type, NULL AS charset, pk FROM pragma_table_info(?) ORDER BY pk, cid',
    [table],
  );
  if (columns.length === 0) return null;
  const parts = await on.query<{ k: string; name: string | null }>(
    mysql
      ? `SELECT INDEX_NAME AS k, COLUMN_NAME AS name FROM information_schema.STATISTICS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY INDEX_NAME, SEQ_IN_INDEX`
      : `SELECT l.name AS k, i.name AS name FROM pragma_index_list(?) l, pragma_index_info(l.name) i ORDER BY l.name, i.seqno`,
    [table],
  );
  const keys = new Map<string, string[]>();
  for (const { k, name } of parts) keys.set(k, [...(keys.get(k) ?? []), (name ?? '').toLowerCase()]);
  const [count] = mysql
    ? await on.query<{ n: number | null }>(
        'SELECT TABLE_ROWS AS n FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
        [table],
      )
    : [];
  return {
    columns: new Map(
      columns.map(({ name, type, charset }) => [name.toLowerCase(), { name, type: String(type), charset }]),
    ),
    keys: [...keys.values()],
    primary: mysql
      ? (keys.get('PRIMARY') ?? [])
      : columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => name.toLowerCase()),
    rows: Number(count?.n ?? 0),
  };
}

/** A table of the shape, with each column by the shape's name and by this table's. */
export interface NamedTable extends ShapeTable {
  /** the shape's name -> this table's; the optional ones too */
  names: Map<string, string>;
}

export function tablesOf(
  shape: Shape,
  prefix: string,
  layout: Layout,
  dialect: Queryable['dialect'],
): NamedTable[] {
  const usual = shape.open(prefix, profileSchema.shape.layout.parse(undefined), dialect).tables;
  return shape.open(prefix, layout, dialect).tables.map((table) => {
    const own = usual.find(({ role }) => role === table.role);
    const ownNames = [...(own?.columns ?? []), ...(own?.optional ?? [])];
    const here = [...table.columns, ...table.optional];
    return { ...table, names: new Map(ownNames.map((name, at) => [name, here[at] ?? name])) };
  });
}

/** `a, b, c and 4 more` */
export function some(words: readonly string[], most = 6): string {
  const more = words.length - most;
  return `${words.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `1 row`, `12 rows` */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
