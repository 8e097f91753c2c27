import type { Answers, Bridge, CallArgs, CallName } from '../../src-main/contract/channels.ts';
import type { ErrorCode, WireError } from '../../src-main/contract/errors.ts';

declare global {
  interface Window {
    /** put there by the preload */
    postroom: Bridge;
  }
}

/** An error that crossed the bridge: words for a person, technical details apart. */
export class CallError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor({ code, message, detail }: WireError) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** Calls the main process. Rejects with a CallError. */
export async function call<N extends CallName>(name: N, ...args: CallArgs<N>): Promise<Answers[N]> {
  const reply = await window.postroom.call(name, ...args);
  if (reply.ok) return reply.value;
  throw new CallError(reply.error);
}

/** Anything caught, as an error that can be shown. */
export function asCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError({ code: 'bug', message: thrown instanceof Error ? thrown.message : String(thrown) });
}
