import { PostroomError } from '../contract/errors.ts';
import { capital, isSocketFault, socketWords } from './faults.ts';

/** What the SSH library puts on its errors. */
interface SshFault extends Error {
  level?: string;
  /** of a refused channel: RFC 4254 section 5.1 */
  reason?: number;
  code?: string | number;
}

/** The server showed a key that is not the pinned one, or none is pinned yet: nothing was sent to it. */
export class HostKeyError extends PostroomError {
  /** `SHA256:...` as the server showed it */
  readonly seen: string;
  /** null: not pinned yet, so a person must compare and confirm `seen` */
  readonly pinned: string | null;

  constructor(place: string, seen: string, pinned: string | null) {
    super(
      'host-key',
      pinned === null
        ? `${capital(place)} is not known yet. It shows the key ${seen}: compare it with what the host states (ssh-keygen -lf), then put it into the profile as hostKey.`
        : `${capital(place)} shows another key than the one in the profile: ${seen} now, ${pinned} before. Either the host has replaced it (ask them), or someone stands between. Nothing was sent.`,
      { detail: `seen ${seen}, pinned ${pinned ?? 'none'}` },
    );
    this.seen = seen;
    this.pinned = pinned;
  }
}

/** The session went while this was under way: whoever is at the other end of it has nothing to do with that. */
export class WayLost extends PostroomError {
  constructor(cause: string) {
    super('unreachable', cause);
  }
}

/** Words for a session that could not be made or was lost. `place` is as `the SSH server at shop.example:22`. */
export function sessionFault(error: unknown, place: string): PostroomError {
  if (error instanceof PostroomError) return error;
  const fault = (error instanceof Error ? error : new Error(String(error))) as SshFault;
  const make = (words: string) =>
    new PostroomError('unreachable', words, {
      detail: `${fault.level ?? fault.code ?? 'error'}: ${fault.message}`,
      cause: fault,
    });
  if (/Keepalive timeout/.test(fault.message))
    return make(`${capital(place)} no longer answers: the network is gone, or the server stands still.`);
  if (/before handshake|Invalid identification|Header line|greeting lines/i.test(fault.message)) {
    return make(
      `Something answers at ${place}, but it hung up or speaks no SSH. Is the port right, and is this machine not shut out after failed logins?`,
    );
  }
  if (/Timed out while waiting for handshake/.test(fault.message))
    return make(`${capital(place)} took the connection, but did not answer in time.`);
  if (fault.level === 'handshake' || /no matching/.test(fault.message))
    return make(`${capital(place)} and Postroom have no encryption in common: ${fault.message}`);
  if (isSocketFault(fault)) return make(socketWords(fault, place));
  return make(`The connection to ${place} was lost.`);
}

/** Words for a channel that the server would not open. `target` is as `127.0.0.1:3306`. */
export function channelFault(error: unknown, target: string, place: string): PostroomError {
  if (error instanceof PostroomError) return error;
  const fault = (error instanceof Error ? error : new Error(String(error))) as SshFault;
  const options = { detail: fault.message, cause: fault };
  switch (fault.reason) {
    case 1: // administratively prohibited
      return new PostroomError(
        'rights',
        `${capital(place)} does not allow forwarding to ${target}. The host must allow it (AllowTcpForwarding, PermitOpen).`,
        options,
      );
    case 2: // connect failed
      if (target.startsWith('/')) {
        // OpenSSH answers a forbidden unix socket and a missing one alike
        return new PostroomError(
          'unreachable',
          `The SSH login works, but the way to the unix socket ${target} did not open: it is not there, or the server forbids it (AllowStreamLocalForwarding).`,
          options,
        );
      }
      return new PostroomError(
        'unreachable',
        `The SSH login works, but from the shop's server nothing answers at ${target}. Are host and port those that the shop itself uses?`,
        options,
      );
    case 3: // unknown channel type
      return new PostroomError(
        'rights',
        `${capital(place)} knows no forwarding of this kind (${target}).`,
        options,
      );
    case 4: // resource shortage
      return new PostroomError(
        'unreachable',
        `${capital(place)} opens no more channels at the moment.`,
        options,
      );
    default:
      return new PostroomError('unreachable', `The connection to ${place} was lost.`, options);
  }
}
