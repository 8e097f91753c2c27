/** Installing and inspecting the tables. The only DDL of the whole program, run only when the operator says so (promise 13). */
import type { SchemaReport } from '../contract/desk.ts';
import type { Queryable } from '../shop/database.ts';
import type { Place } from './place.ts';
import { bareName, type Column, definitionsOf, type Key, type TableDefinition } from './tables.ts';

interface Found {
  columns: Set<string>;
  /** key name -> its columns in order */
  keys: Map<string, string[]>;
}

/** What is there, what lacks, and the statements that would complete it. Read-only. */
export async function inspectSchema(place: Place): Promise<SchemaReport> {
  const report: SchemaReport = { tables: [], complete: true, statements: [] };
  for (const definition of definitionsOf(place.books)) {
    const name = bareName(place.prefix, definition.name, place.books);
    const found = await find(place.db, name);
    if (!found) {
      report.tables.push({ name, exists: false, missingColumns: [], missingKeys: [] });
      report.statements.push(...createTable(place, definition));
      continue;
    }
    const missingColumns = definition.columns.filter(
      (column) => !found.columns.has(column.name.toLowerCase()),
    );
    const missingKeys = definition.keys.filter((key) => !hasKey(found, key));
    report.tables.push({
      name,
      exists: true,
      missingColumns: missingColumns.map((column) => column.name),
      missingKeys: missingKeys.map((key) => key.name),
    });
    report.statements.push(...missingColumns.map((column) => addColumn(place, definition, column)));
    report.statements.push(...missingKeys.map((key) => addKey(place, definition, key, found)));
  }
  report.complete = report.statements.length === 0;
  return report;
}

/** Creates what lacks; what is there stays as it is. Returns the report from before, with the statements that ran. */
export async function applySchema(place: Place): Promise<SchemaReport> {
  const report = await inspectSchema(place);
  for (const statement of report.statements) await place.db.run(statement);
  await place.db.run(`${place.d.insertIgnore} ${place.t.pace} (id, last_start_ms) VALUES (1, 0)`);
  place.claimKey = await findClaimKey(place);
  return report;
}

/** The name under which the claim's key exists: the shop's plugin may have made it under another one. */
export async function findClaimKey(place: Place): Promise<string | null> {
  const found = await find(place.db, bareName(place.prefix, 'queue', place.books));
  if (!found) return null;
  const wanted = { name: 'claim_order', columns: ['state', 'priority', 'scheduled_at', 'id'] };
  for (const [name, columns] of found.keys) {
    if (serves(columns, wanted) && /^[A-Za-z0-9_$]+$/.test(name)) return name;
  }
  return null;
}

function hasKey(found: Found, key: Key): boolean {
  return [...found.keys.values()].some((columns) => serves(columns, key));
}

/** A longer key that begins with the wanted columns serves as well. */
function serves(columns: readonly string[], key: Key): boolean {
  return key.columns.every((column, at) => columns[at] === column);
}

/** Which of these columns a table lacks; null = there is no such table. */
export async function lackingColumns(
  db: Queryable,
  table: string,
  columns: readonly string[],
): Promise<string[] | null> {
  const found = await find(db, table);
  return found && columns.filter((column) => !found.columns.has(column.toLowerCase()));
}

async function find(db: Queryable, table: string): Promise<Found | null> {
  return db.dialect === 'mysql' ? findMysql(db, table) : findSqlite(db, table);
}

async function findMysql(db: Queryable, table: string): Promise<Found | null> {
  const columns = await db.query<{ name: string }>(
    'SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
    [table],
  );
  if (columns.length === 0) return null;
  const parts = await db.query<{ name: string; part: string }>(
    `SELECT INDEX_NAME AS name, COLUMN_NAME AS part FROM information_schema.STATISTICS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY INDEX_NAME, SEQ_IN_INDEX`,
    [table],
  );
  return { columns: new Set(columns.map((column) => column.name.toLowerCase())), keys: group(parts) };
}

async function findSqlite(db: Queryable, table: string): Promise<Found | null> {
  const columns = await db.query<{ name: string }>('SELECT name FROM pragma_table_info(?)', [table]);
  if (columns.length === 0) return null;
  const parts = await db.query<{ name: string; part: string }>(
    `SELECT l.name AS name, i.name AS part FROM pragma_index_list(?) l, pragma_index_info(l.name) i
     ORDER BY l.name, i.seqno`,
    [table],
  );
  return { columns: new Set(columns.map((column) => column.name.toLowerCase())), keys: group(parts) };
}

function group(parts: { name: string; part: string | null }[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const { name, part } of parts) keys.set(name, [...(keys.get(name) ?? []), (part ?? '').toLowerCase()]);
  return keys;
}

function createTable(place: Place, definition: TableDefinition): string[] {
  const table = place.t[definition.name];
  const mysql = place.db.dialect === 'mysql';
  const lines = definition.columns.map((column) => `${column.name} ${mysql ? column.mysql : column.sqlite}`);
  if (mysql || !definition.primary.auto) lines.push(`PRIMARY KEY (${definition.primary.column})`);
  if (mysql) {
    for (const key of definition.keys) lines.push(`KEY ${key.name} (${key.columns.join(', ')})`);
    // The shop's recipients and subjects hold emoji: utf8mb4, whatever the server's default is (FINDINGS 13).
    return [
      `CREATE TABLE IF NOT EXISTS ${table} (\n  ${lines.join(',\n  ')}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    ];
  }
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n  ${lines.join(',\n  ')}\n)`,
    ...definition.keys.map((key) => sqliteKey(place, definition, key)),
  ];
}

function sqliteKey(place: Place, definition: TableDefinition, key: Key): string {
  // SQLite's key names are global in the file
  const name = `${bareName(place.prefix, definition.name, place.books)}_${key.name}`;
  return `CREATE INDEX IF NOT EXISTS \`${name}\` ON ${place.t[definition.name]} (${key.columns.join(', ')})`;
}

function addColumn(place: Place, definition: TableDefinition, column: Column): string {
  const type = place.db.dialect === 'mysql' ? column.mysql : column.sqlite;
  return `ALTER TABLE ${place.t[definition.name]} ADD COLUMN ${column.name} ${type}`;
}

function addKey(place: Place, definition: TableDefinition, key: Key, found: Found): string {
  if (place.db.dialect === 'sqlite') return sqliteKey(place, definition, key);
  const name = found.keys.has(key.name) ? `postroom_${key.name}` : key.name;
  return `ALTER TABLE ${place.t[definition.name]} ADD KEY ${name} (${key.columns.join(', ')})`;
}
