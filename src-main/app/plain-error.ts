import { PostroomError, toWireError, type WireError } from '../contract/errors.ts';
import { redact } from '../contract/redact.ts';

/** Where technical words go that a person should not have to read. */
export type Report = (text: string) => void;

/**
 * Anything thrown, as words for a person. What is no PostroomError is our own bug: it becomes one plain sentence,
 * its redacted message is folded away, and its stack goes to `report`.
 */
export function plainError(thrown: unknown, where: string, report: Report): WireError {
  if (thrown instanceof PostroomError) return toWireError(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  report(`${where}: ${thrown instanceof Error ? (thrown.stack ?? message) : message}`);
  return {
    code: 'bug',
    message: 'Something went wrong inside Postroom. Trying again may help; if it does not, please report it.',
    detail: redact(message),
  };
}
