import type { Database } from '../shop/database.ts';

/**
 * The few words in which the two SQL dialects differ. Everything else in this room is one text for both.
 */
export interface Dialect {
  /** s since 1970, fixed at statement start */
  nowS: string;
  /** ms since 1970, fixed at statement start: for stamps that may lie a little early, never late */
  nowMs: string;
  /**
   * ms since 1970 at the very moment of evaluation. NOW() and UNIX_TIMESTAMP() are fixed at statement start, before a
   * lock wait, and undercut a 1 s interval to 445 ms (FINDINGS 9a). Not for WHERE: SYSDATE() defeats an index.
   */
  clockMs: string;
  /** suffix that locks the rows of a SELECT; SQLite's one writer needs none */
  forUpdate: string;
  insertIgnore: string;
}

const mysql: Dialect = {
  nowS: 'UNIX_TIMESTAMP()',
  nowMs: 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)',
  clockMs: 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)',
  forUpdate: ' FOR UPDATE',
  insertIgnore: 'INSERT IGNORE INTO',
};

const sqlite: Dialect = {
  nowS: 'unixepoch()',
  nowMs: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
  clockMs: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
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
