import { PostroomError } from '../contract/errors.ts';
import { CommitUnknown } from './database.ts';

/** Codes of Node's sockets and resolver that mean "the way there is gone", not "the request was wrong". */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'PROTOCOL_CONNECTION_LOST',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_SOCKET_CLOSED',
]);

/** The code that Node or a driver put on an error, `''` without one. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether an error is a socket's or the resolver's. */
export function isSocketFault(error: unknown): boolean {
  return socketCodes.has(errorCode(error));
}

/**
 * Whether an error says that the way to the shop is gone, so that the same thing may work when it is back:
 * wait, reconnect, try again. Everything else is a fact about the request, the rights or our code.
 * `CommitUnknown` counts too (its connection is gone), but what was in it may have happened: look for it first.
 */
export function isConnectionLoss(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof CommitUnknown || isSocketFault(at)) return true;
    if (at instanceof PostroomError) return at.code === 'unreachable';
  }
  return false;
}

/** Words of a socket's error for a person; `place` is as `the database at 10.0.0.5:3306`. */
export function socketWords(error: unknown, place: string): string {
  switch (errorCode(error)) {
    case 'ECONNREFUSED':
      return `Nothing answers at ${place}: the connection was refused. Is the server running, and is the port right?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return `The name of ${place} could not be resolved. Is it spelled right, and is this machine online?`;
    case 'ETIMEDOUT':
      return `${capital(place)} did not answer in time. Is it the right address, and does no firewall stand between?`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EHOSTDOWN':
    case 'EADDRNOTAVAIL':
      return `There is no way from here to ${place}. Is this machine online?`;
    default:
      return `The connection to ${place} was lost.`;
  }
}

/** First letter in upper case, to begin a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
