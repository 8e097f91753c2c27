import type { Database } from '../shop/database.ts';

/**
 * The few words in which the two SQL dialects differ. Everything else in this room is one text for both.
 */
export interface Dialect {
  /** s since 1970, fixed at statement start */
  nowS: string;
  /**
   * ms since 1970 at the statement's start. It is fixed before a lock wait, and a gate that read it in the statement that waits
   * would undercut a 1 s interval to 445 ms (FINDINGS 9a): whoever waits for a lock reads it in a later statement.
   */
  nowMs: string;
  /** suffix that locks the rows of a SELECT; SQLite's one writer needs none */
  forUpdate: string;
  insertIgnore: string;
}

const mysql: Dialect = {
  nowS: 'UNIX_TIMESTAMP()',
  // From UTC and not by UNIX_TIMESTAMP(NOW(3)): sessions of other shapes run in their producer's zone, and in the night that has
  // one hour twice that reads the second one as the first. The gate would have stood still for an hour.
  nowMs: "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS SIGNED)",
  forUpdate: ' FOR UPDATE',
  insertIgnore: 'INSERT IGNORE INTO',
};

const sqlite: Dialect = {
  nowS: 'unixepoch()',
  nowMs: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
  forUpdate: '',
  insertIgnore: 'INSERT OR IGNORE INTO',
};

export function dialectOf(db: Pick<Database, 'dialect'>): Dialect {
  return db.dialect === 'mysql' ? mysql : sqlite;
}

/** `?, ?, ?` for a list of n values; n must be at least 1. */
export function marks(n: number): string {
  return Array.from({ length: n }, () => '?').join(', ');
}
