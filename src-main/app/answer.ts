import { type Answers, type CallName, calls, type ParsedArgs } from '../contract/channels.ts';
import type { Reply } from '../contract/errors.ts';
import { plainError, type Report } from './plain-error.ts';

/** What the main process does for each call; arguments arrive parsed. */
export type Handlers = {
  [N in CallName]: (...args: ParsedArgs<N>) => Promise<Answers[N]> | Answers[N];
};

/**
 * Answers one call. It never rejects: a PostroomError crosses as its own words, anything else as a plain
 * sentence, with the technical rest going to `report` (never to the window, never an argument's value).
 */
export async function answerCall<N extends CallName>(
  handlers: Handlers,
  name: N,
  args: unknown[],
  { trusted, report }: { trusted: boolean; report: Report },
): Promise<Reply<Answers[N]>> {
  if (!trusted) {
    report(`${name}: refused, the caller is not our window`);
    return {
      ok: false,
      error: { code: 'refused', message: 'This call did not come from the Postroom window.' },
    };
  }
  const parsed = calls[name].safeParse(args);
  if (!parsed.success) {
    // paths and codes only: values may be secrets
    const where = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join('; ');
    report(`${name}: arguments refused (${where})`);
    return {
      ok: false,
      error: { code: 'usage', message: 'Something in this form cannot be used.', detail: where },
    };
  }
  try {
    const handler = handlers[name] as (...parsedArgs: unknown[]) => Promise<Answers[N]> | Answers[N];
    return { ok: true, value: await handler(...(parsed.data as unknown[])) };
  } catch (thrown) {
    return { ok: false, error: plainError(thrown, name, report) };
  }
}
