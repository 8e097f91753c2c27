import type { Session } from './mysql-session.ts';

/** Strict, and without NO_BACKSLASH_ESCAPES, which the client-side escaping of values relies on. */
const sqlMode =
  'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION';

/** s; DESIGN promise 13: a console that fell asleep holds nothing for longer */
const idleTimeoutS = 20;
const idleTransactionTimeoutS = 5;
const lockWaitS = 10;
/** What the set-up of a session depends on. Read with SHOW, which leaves out what a server does not know. */
export interface ServerFacts {
  version: string;
  /** bytes that the server takes in one statement (max_allowed_packet) */
  maxPacket: number;
  idleTransactionTimeout: boolean;
  /** a statement binlog refuses writes under READ COMMITTED with error 1665 (DESIGN section 4) */
  isolation: 'READ-COMMITTED' | 'REPEATABLE-READ';
  /** MariaDB up to 11.0 knows only the first name, MySQL 8 only the second */
  isolationVariable: 'tx_isolation' | 'transaction_isolation';
}

/** @throws what the statement throws: PostroomError or the driver's error */
export async function readFacts(session: Session): Promise<ServerFacts> {
  const answer = await session.statement(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'binlog_format', 'log_bin', 'idle_transaction_timeout', 'transaction_isolation', 'max_allowed_packet')",
  );
  const pairs = Array.isArray(answer)
    ? answer.map((row) => [String(row.Variable_name).toLowerCase(), String(row.Value)] as const)
    : [];
  const found = new Map(pairs);
  const statementBinlog =
    found.get('log_bin')?.toUpperCase() !== 'OFF' &&
    found.get('binlog_format')?.toUpperCase() === 'STATEMENT';
  return {
    version: found.get('version') ?? '',
    maxPacket: Number(found.get('max_allowed_packet')) || Number.POSITIVE_INFINITY,
    idleTransactionTimeout: found.has('idle_transaction_timeout'),
    isolation: statementBinlog ? 'REPEATABLE-READ' : 'READ-COMMITTED',
    isolationVariable: found.has('transaction_isolation') ? 'transaction_isolation' : 'tx_isolation',
  };
}

/** All settings in one statement: one round trip. Statement time limits are left alone, the deadline on this side rules. */
export function setup(facts: ServerFacts): string {
  return [
    `SET NAMES utf8mb4, SESSION time_zone = '+00:00', SESSION sql_mode = '${sqlMode}', SESSION autocommit = 1`,
    `SESSION wait_timeout = ${idleTimeoutS}, SESSION innodb_lock_wait_timeout = ${lockWaitS}, SESSION lock_wait_timeout = ${lockWaitS}`,
    // as a variable in the same SET, since SET TRANSACTION would cost another round trip
    `SESSION ${facts.isolationVariable} = '${facts.isolation}'`,
    ...(facts.idleTransactionTimeout
      ? [`SESSION idle_transaction_timeout = ${idleTransactionTimeoutS}`]
      : []),
  ].join(', ');
}

/** Needs no table and no right: a server that does not know the words answers with a syntax error (1064). */
export async function hasSkipLocked(session: Session): Promise<boolean> {
  try {
    await session.statement('SELECT 1 FOR UPDATE SKIP LOCKED');
    return true;
  } catch (error) {
    if ((error as { errno?: number }).errno === 1064) return false;
    throw error;
  }
}
