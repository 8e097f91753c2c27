/** NDJSON of `enqueue`: every line is checked before anything is written. Pure. */
import type { z } from 'zod';
import { type MailToEnqueue, mailToEnqueue } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import { jsonFault } from './json-place.ts';
import { plain } from './text.ts';

/**
 * The mails of a text, one JSON object a line; empty lines are skipped.
 * @throws PostroomError `usage` that names the first wrong line, and how many are wrong
 */
export function readMailLines(text: string): MailToEnqueue[] {
  const mails: MailToEnqueue[] = [];
  const faults: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const read = readMailLine(line);
    if (typeof read === 'string') faults.push(`line ${index + 1}: ${read}`);
    else mails.push(read);
  }
  if (faults.length > 0) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more such lines)` : '';
    throw new PostroomError('usage', `Nothing was queued. ${faults[0]}${more}`);
  }
  return mails;
}

/** The mail in a line, or what is wrong with it. */
function readMailLine(line: string): MailToEnqueue | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return `no valid JSON, look at ${jsonFault(line).replace('line 1, ', '')}`;
  }
  const checked = mailToEnqueue.safeParse(json);
  if (!checked.success) return issueWords(checked.error.issues[0], json);
  const { send_at: sendAt } = checked.data;
  if (typeof sendAt === 'string' && Number.isNaN(Date.parse(sendAt)))
    return 'send_at is no date (2026-03-01T08:00:00Z, or seconds since 1970)';
  return checked.data;
}

const expected: Record<string, string> = {
  to: 'must be an address or a list of addresses',
  headers: 'must be a text or a list of texts',
  order_id: 'must be a whole number',
  send_at: 'must be a date or seconds since 1970',
  attachments: 'must be a list of paths or of {name, file}',
};

function issueWords(issue: z.core.$ZodIssue | undefined, json: unknown): string {
  if (!issue) return 'wrong';
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return 'must be a JSON object: {"to": ...}';
  if (issue.code === 'unrecognized_keys') {
    return `${issue.keys.map((key) => plain(key)).join(', ')}: no such field (${Object.keys(mailToEnqueue.shape).join(', ')})`;
  }
  const field = String(issue.path[0] ?? '');
  if (!Object.hasOwn(json, field)) return `${field} is missing`;
  if (expected[field]) return `${field} ${expected[field]}`;
  const what = issue.code === 'invalid_type' ? `must be a ${issue.expected}` : issue.message;
  return `${field} ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}
