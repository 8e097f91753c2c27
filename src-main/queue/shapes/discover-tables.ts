/** The tables of a database as discovery looks at them: columns, about how many rows, a few values. */
import { identifier } from '../../contract/profile.ts';
import type { Queryable } from '../../shop/database.ts';
import { quoted } from './shape.ts';

/** rows in which states and queue names are looked for */
const sample = 10_000;

export interface Table {
  name: string;
  /** lower case name -> name and type */
  columns: Map<string, { name: string; type: string }>;
  /** null = not counted yet */
  rows: number | null;
}

/** The different values of a text column, as far as a look at some rows tells. */
export async function values(on: Queryable, table: Table, column: string): Promise<string[]> {
  const rows = await on.query<{ v: unknown }>(
    `SELECT DISTINCT v FROM (SELECT ${quoted(column)} AS v FROM ${quoted(table.name)} LIMIT ${sample}) s ORDER BY v LIMIT 100`,
  );
  return rows.flatMap(({ v }) => (v == null ? [] : [String(v)]));
}

export async function count(on: Queryable, table: Table): Promise<number> {
  if (table.rows === null) {
    const [row] = await on.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${quoted(table.name)}`);
    table.rows = Number(row?.n ?? 0);
  }
  return table.rows;
}

export async function readTables(on: Queryable): Promise<Table[]> {
  const lines =
    on.dialect === 'mysql'
      ? await on.query<{ t: string; c: string; type: string; n: number | null }>(
          `SELECT t.TABLE_NAME AS t, c.COLUMN_NAME AS c, c.COLUMN_TYPE AS type, t.TABLE_ROWS AS n
           FROM information_schema.TABLES t JOIN information_schema.COLUMNS c
             ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
           WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE' ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION`,
        )
      : await on.query<{ t: string; c: string; type: string; n: null }>(
          `SELECT m.name AS t, c.name AS c, c.type AS type, NULL AS n FROM sqlite_master m, pragma_table_info(m.name) c
           WHERE m.type = 'table' ORDER BY m.name, c.cid`,
        );
  const tables = new Map<string, Table>();
  for (const { t, c, type, n } of lines) {
    // other names could not be put into a profile
    if (!identifier.safeParse(t).success || !identifier.safeParse(c).success) continue;
    const table = tables.get(t) ?? { name: t, columns: new Map(), rows: n === null ? null : Number(n) };
    table.columns.set(c.toLowerCase(), { name: c, type: String(type) });
    tables.set(t, table);
  }
  return [...tables.values()];
}
