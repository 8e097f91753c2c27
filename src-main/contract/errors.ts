import { z } from 'zod';

/**
 * What went wrong, as one word that programs can branch on. The CLI maps a code to its exit code
 * (DESIGN section 6: 2 wrong usage or config, 3 could not reach something).
 */
export const errorCodes = [
  'usage', // wrong words on the command line
  'config', // a config file or profile that cannot be used
  'not-found', // a row, profile or file that is not there
  'refused', // a guard said no (live claim, sent row, ...)
  'unreachable', // a server that cannot be reached
  'login', // a server that was reached and refused the login
  'schema', // tables or columns missing
  'rights', // the account may not do it
  'host-key', // the server's key is not the pinned one
  'disk', // the state folder cannot be written
  'secret', // the vault cannot be read
  'busy', // someone else holds it
  'stopped', // a person or a signal stopped it
  'bug', // ours
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** An error on its way to a person: `message` in plain words (what happened, what to do), `detail` folded. */
export const wireError = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  detail: z.string().optional(),
});
export type WireError = z.infer<typeof wireError>;

/** What every call over the bridge answers. */
export type Reply<T> = { ok: true; value: T } | { ok: false; error: WireError };

/** An error that a person will read. Everything else that reaches a surface is shown as `bug`. */
export class PostroomError extends Error {
  override readonly name = 'PostroomError';
  readonly code: ErrorCode;
  /** The technical words behind the message (a driver's error, a server's reply), without secrets. */
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, options: { detail?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
  }
}

/** Any thrown value as the words that cross the bridge or go to stderr. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof PostroomError) {
    return {
      code: thrown.code,
      message: thrown.message,
      ...(thrown.detail ? { detail: thrown.detail } : {}),
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'bug', message: `Something unexpected went wrong: ${message}` };
}
