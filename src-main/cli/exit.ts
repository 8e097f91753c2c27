import type { ErrorCode } from '../contract/errors.ts';
import type { ActionResult } from '../contract/rows.ts';

/** What the program answers to the shell (DESIGN section 6). */
export const exits = {
  done: 0,
  /** done, but some mail failed or is in doubt */
  mailFailed: 1,
  /** wrong usage or config */
  usage: 2,
  /** could not reach something */
  unreachable: 3,
  /** interrupted, after settling what was in flight */
  interrupted: 130,
} as const;
export type Exit = (typeof exits)[keyof typeof exits];

/** The words that the caller can put right in the command line or the config file; all others are about the world. */
const callersFault: readonly ErrorCode[] = ['usage', 'config', 'not-found', 'refused'];

export function exitOfError(code: ErrorCode): Exit {
  if (code === 'stopped') return exits.interrupted;
  return callersFault.includes(code) ? exits.usage : exits.unreachable;
}

/** `retry` and `delete`: rows that a guard refused beside others are told, not punished; nothing done at all is. */
export function exitOfAction({ done, refused }: ActionResult): Exit {
  return done === 0 && refused.length > 0 ? exits.usage : exits.done;
}
