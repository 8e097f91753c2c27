import { PostroomError } from '../contract/errors.ts';
import { capital, isSocketFault, socketWords } from './faults.ts';

/** What a MySQL or MariaDB error carries, as drivers hand it over. */
interface ServerFault extends Error {
  errno?: number;
  code?: string;
  sqlState?: string;
  fatal?: boolean;
  /** the statement with its values, put there by the driver: never shown, it holds whole mails */
  sql?: string | undefined;
}

/** Too many connections: of the server, of the account, of the account per hour (worth waiting for). */
const crowded = new Set([1040, 1203, 1226]);
/**
 * The server or a proxy before it ended the connection: shutdown (1053), network read and write (1158 to 1161), killed
 * (1927), idle (4031), the client library's own 2006 and 2013 as proxies pass them on, ProxySQL without a backend
 * (9001, 9002), Galera node not ready (1047).
 */
const gone = new Set([1047, 1053, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 4031, 9001, 9002]);
/** Read-only: a replica after a failover. A new connection may reach the new primary. */
const readOnly = new Set([1290, 1792, 1836]);
const login = new Set([1045, 1130, 1251, 1275, 1698, 1862, 3118]);
const rights = new Set([1142, 1143, 1227, 1370, 1410]);
const missing = new Set([1146, 1054, 1305]);

/** A transaction that lost against another (FINDINGS 11, 13a): it was rolled back, running it again is safe. */
export function isContention(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const fault = error as ServerFault;
  return fault.errno === 1213 || fault.errno === 1205 || fault.sqlState === '40001';
}

/** Whether the connection that gave this error must not be used again. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const fault = error as ServerFault;
  if (fault.fatal === true || isSocketFault(fault)) return true;
  // 1153: after a packet above max_allowed_packet the server hangs up in the middle of what follows
  return fault.errno !== undefined && (gone.has(fault.errno) || isReadOnly(fault) || fault.errno === 1153);
}

/** Too many connections: one that is in use already may come free sooner than the server takes another. */
export function isCrowded(error: unknown): boolean {
  return crowded.has(faultOf(error)?.errno ?? 0);
}

/** The server takes no writes, and what else is connected to it will not get any through either. */
export function saysReadOnly(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== null && isReadOnly(fault);
}

/** The driver's error under our words. */
function faultOf(error: unknown): ServerFault | null {
  const fault = error instanceof PostroomError ? error.cause : error;
  return fault instanceof Error ? fault : null;
}

/** A statement that was not sent: the server would hang up in the middle of it, which looks like a lost way. */
export function tooLarge(bytes: number, limit: number): PostroomError {
  const mb = (size: number) => `${(size / 1024 / 1024).toFixed(1)} MB`;
  return new PostroomError(
    'refused',
    `The statement is larger than the server's max_allowed_packet (${mb(bytes)}, allowed are ${mb(limit)}). Have that limit raised.`,
  );
}

/** 1290 is any "--option prevents this": only the read-only ones mean a replica. */
function isReadOnly(fault: ServerFault): boolean {
  if (fault.errno === 1290) return /read.only/i.test(fault.message);
  return fault.errno !== undefined && readOnly.has(fault.errno);
}

/**
 * A driver's error as words for a person, or the error itself where it speaks of the statement (a duplicate key, a
 * value that does not fit), then without the values that the driver had put into it (promise 12).
 * @param place as `the database at 10.0.0.5:3306`
 * @param sql the statement with its placeholders
 */
export function mapMysqlError(error: unknown, place: string, sql?: string): unknown {
  if (error instanceof PostroomError || !(error instanceof Error)) return error;
  const fault = error as ServerFault;
  if (fault.sql !== undefined) fault.sql = sql;
  const errno = fault.errno ?? 0;
  const options = {
    detail: `${fault.code ?? 'error'}${errno ? ` (${errno})` : ''}: ${fault.message}`,
    cause: fault,
  };
  const make = (code: ConstructorParameters<typeof PostroomError>[0], words: string) =>
    new PostroomError(code, words, options);

  if (crowded.has(errno))
    return make(
      'unreachable',
      `${capital(place)} takes no more connections at the moment. It will be tried again; the host can raise the limit.`,
    );
  if (errno === 1129)
    return make(
      'unreachable',
      `${capital(place)} has blocked this machine after too many broken connections. The host must run "FLUSH HOSTS".`,
    );
  if (isReadOnly(fault))
    return make(
      'unreachable',
      `${capital(place)} is read-only at the moment (a replica, or a server in maintenance). It will be tried again.`,
    );
  if (login.has(errno))
    return make(
      'login',
      `${capital(place)} refused the login. Check user and password, and whether this user may come from here.`,
    );
  if (errno === 1044)
    return make(
      'login',
      `The user may not use this database at ${place}. Check the database's name, or have the user granted rights on it.`,
    );
  if (errno === 1049)
    return make('login', `There is no database of this name at ${place}. Check the database's name.`);
  if (rights.has(errno))
    return make('rights', `The database user lacks a right: ${fault.message}. Have it granted by the host.`);
  if (missing.has(errno))
    return make(
      'schema',
      `The database lacks a table or column: ${fault.message}. Install or update the queue tables.`,
    );
  if (errno === 1153)
    return make(
      'refused',
      `The statement is larger than the server's max_allowed_packet. Have that limit raised.`,
    );
  if (fault.code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return make(
      'unreachable',
      `${capital(place)} offers no TLS. Turn TLS off for it, or have it set up on the server.`,
    );
  if (fault.code === 'HANDSHAKE_SSL_ERROR' || isCertificateFault(fault)) {
    return make(
      'unreachable',
      `The TLS certificate of ${place} could not be trusted: ${fault.message}. Give its CA file, or check the host's name.`,
    );
  }
  if (gone.has(errno) || (fault.fatal === true && errno === 0 && !isSocketFault(fault)))
    return make('unreachable', `The connection to ${place} was lost.`);
  if (isSocketFault(fault)) return make('unreachable', socketWords(fault, place));
  return fault;
}

function isCertificateFault(fault: ServerFault): boolean {
  return /^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS|ERR_SSL)/.test(fault.code ?? '');
}
