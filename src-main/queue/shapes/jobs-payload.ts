/**
 * The payload of a `jobs` row. Its document asks that it be validated strictly before anything is done with it; a jobs table
 * also carries work that is no mail at all, which is not ours to touch. Pure.
 */
import { z } from 'zod';
import type { MailToEnqueue } from '../../contract/desk.ts';
import { PostroomError } from '../../contract/errors.ts';
import type { Payload } from '../../contract/payload.ts';
import type { Queryable } from '../../shop/database.ts';
import type { Reading } from './shape.ts';

/**
 * What makes a payload a mail: two of these keys. One alone is not enough, since a text message to a telephone has a `to`,
 * and a note a `subject`; whatever is in doubt is left to its own worker.
 */
const marksOfMail = ['to', 'subject', 'html'] as const;
/** A framework's envelope around work for its own classes (Laravel). */
const envelope = ['job', 'data'] as const;

/**
 * The same rule in SQL, so that counts, lists and writes leave other work out too. The two could differ in what they call
 * JSON; `due` therefore asks readJob() as well.
 * @param payload the column, quoted
 */
export function isMailSql(payload: string, dialect: Queryable['dialect']): string {
  const has = (...keys: string[]) =>
    dialect === 'mysql'
      ? `JSON_CONTAINS_PATH(${payload}, 'one', ${keys.map((key) => `'$.${key}'`).join(', ')})`
      : `(${keys.map((key) => `json_type(${payload}, '$.${key}') IS NOT NULL`).join(' OR ')})`;
  // Two of three keys are never without the second and the third: asked first, and in one look, since other work that stands
  // before the first mail costs so much at every claim.
  return `CASE WHEN JSON_VALID(${payload})
    THEN ${has('subject', 'html')} AND NOT (${envelope.map((key) => has(key)).join(' AND ')})
      AND ${marksOfMail.map((key) => has(key)).join(' + ')} >= 2
    ELSE ${payload} LIKE '{%' AND ${payload} LIKE '%"to"%' AND ${payload} LIKE '%"subject"%' END`;
}

/** A line break or a NUL in a header would make another header of its rest. */
const line = z
  .string({ error: 'must be text' })
  .regex(/^[^\r\n\0]*$/, 'must not have a line break or a NUL in it');
const mailbox = line.refine((text) => text.trim() !== '', 'is empty');
const mailboxes = z.union([mailbox, z.array(mailbox)]);

/** Headers that have a key of their own: a second one would say something else than the key. */
const ownKeys = new Map([
  ['to', 'to'],
  ['subject', 'subject'],
  ['from', 'from'],
  ['reply-to', 'replyTo'],
  ['cc', 'cc'],
  ['bcc', 'bcc'],
]);
const headerName = line
  // RFC 5322 3.6.8: printable ASCII without the colon
  .regex(/^[!-9;-~]{1,100}$/, 'has a name that is no header name')
  .refine((name) => !ownKeys.has(name.toLowerCase()), 'names a header that has a key of its own');
const headerLine = line.refine(
  (text) => headerName.safeParse(text.slice(0, Math.max(0, text.indexOf(':')))).success,
  'must be "Name: value", of a header that has no key of its own',
);
const file = line.min(1, 'is empty');

const jobSchema = z.strictObject({
  to: z.union([mailbox, z.array(mailbox).min(1, 'names nobody')]),
  subject: line,
  text: z.string({ error: 'must be text' }).optional(),
  html: z.string({ error: 'must be text' }).optional(),
  from: mailbox.optional(),
  replyTo: mailbox.optional(),
  cc: mailboxes.optional(),
  bcc: mailboxes.optional(),
  headers: z.union([z.array(headerLine), z.record(headerName, line)]).optional(),
  attachments: z
    .array(
      z.union([
        file,
        z.strictObject({
          name: file,
          file,
          size: z.number().int().nonnegative().optional(),
          sha256: z
            .string()
            .regex(/^[0-9a-f]{64}$/i)
            .optional(),
        }),
      ]),
    )
    .optional(),
});
type Job = z.infer<typeof jobSchema>;

/** What a value must be, for a key that takes more than one kind: a union's own words name no kind. */
const kinds: Record<string, string> = {
  to: 'must be an address or a list of addresses, each on one line',
  cc: 'must be an address or a list of addresses, each on one line',
  bcc: 'must be an address or a list of addresses, each on one line',
  headers:
    'must be a list of "Name: value" or an object of names and values, each on one line, without To, Subject, From, Reply-To, Cc and Bcc',
  attachments: 'must be paths or objects of name, file, size and sha256',
};

/** Reads and checks a payload. Never throws, whatever it holds. */
export function readJob(raw: string): Reading {
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch {
    // a mail that was cut off still shows what it was; anything else may be another program's way to write its work
    if (raw.startsWith('{') && raw.includes('"to"') && raw.includes('"subject"'))
      return { ok: false, reason: 'corrupt payload: not JSON' };
    return { ok: false, foreign: `not JSON: ${short(raw) || 'nothing'}` };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { ok: false, foreign: `no object: ${short(raw)}` };
  const has = (key: string) => Object.hasOwn(json, key);
  if (envelope.every(has) || marksOfMail.filter(has).length < 2)
    return { ok: false, foreign: nameOf(json as Record<string, unknown>) };

  // PHP writes null where it has nothing: the same as a missing key
  const present = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  const checked = jobSchema.safeParse(present);
  if (!checked.success) return { ok: false, reason: wordsOf(checked.error.issues, present) };
  const { text, html } = checked.data;
  if (text === undefined && html === undefined)
    return { ok: false, reason: 'payload refused: neither text nor html is there' };
  return { ok: true, payload: JSON.stringify(forMailRoom(checked.data)) };
}

function forMailRoom(job: Job): Payload | Omit<Payload, 'embeds'> {
  const { to, subject, text, html, from, headers = [] } = job;
  const lines = (name: string, value: string | string[] | undefined) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`);
  return {
    to,
    subject,
    message: html ?? text ?? '',
    // outranks a Content-Type among the headers
    content_type: html === undefined ? 'text/plain' : 'text/html',
    ...(html !== undefined && text !== undefined ? { alt: text } : {}),
    ...(from === undefined ? {} : { from }),
    headers: [
      ...lines('Reply-To', job.replyTo),
      ...lines('Cc', job.cc),
      ...lines('Bcc', job.bcc),
      ...(Array.isArray(headers) ? headers : Object.entries(headers).map((pair) => pair.join(': '))),
    ],
    attachments: (job.attachments ?? []) as Payload['attachments'],
  };
}

/** The first three faults in words. */
function wordsOf(issues: readonly z.core.$ZodIssue[], present: object): string {
  const words = issues.slice(0, 3).map((issue) => {
    const key = String(issue.path[0] ?? '');
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.map((name) => `"${short(name)}"`).join(', ');
      return `${names} is not known (known are ${Object.keys(jobSchema.shape).join(', ')})`;
    }
    if (!Object.hasOwn(present, key)) return `${key} is missing`;
    return `${key} ${(issue.code === 'invalid_union' && kinds[key]) || issue.message}`;
  });
  return `payload refused: ${words.join('; ')}`;
}

/** What other work calls itself: Laravel's displayName, else its keys. */
function nameOf(json: Record<string, unknown>): string {
  for (const key of ['displayName', 'job', 'class', 'type'])
    if (typeof json[key] === 'string' && json[key] !== '') return short(json[key]);
  return `an object of ${short(Object.keys(json).join(', ')) || 'nothing'}`;
}

const short = (text: string): string => oneLine(text.slice(0, 100));
const oneLine = (text: string): string => text.replace(/\p{Cc}+\s*/gu, ' ').trim();

/**
 * A mail as this shape's payload: what is put into the queue from this side.
 * @throws PostroomError `usage` for a body that is neither text nor HTML: the payload has no key for it
 */
export function writeJob(mail: MailToEnqueue): string {
  const headers: Record<string, string> = {};
  const named: { from?: string; replyTo?: string; cc?: string[]; bcc?: string[] } = {};
  let type = '';
  // a list's elements may be folded too
  for (const header of [mail.headers ?? []].flat().flatMap((one) => one.split(/\r?\n(?![ \t])/))) {
    const colon = header.indexOf(':');
    const name = header.slice(0, Math.max(0, colon)).trim();
    const value = oneLine(header.slice(colon + 1));
    const key = name.toLowerCase();
    if (colon < 1 || value === '') continue;
    if (key === 'from') named.from = value;
    else if (key === 'reply-to') named.replyTo = value;
    else if (key === 'cc' || key === 'bcc') named[key] = [...(named[key] ?? []), value];
    else if (key === 'content-type') type = value.split(';')[0]?.trim().toLowerCase() ?? '';
    else if (headerName.safeParse(name).success) headers[name] = value;
  }
  const html = type === 'text/html' || type === 'multipart/alternative';
  if (!html && type !== '' && type !== 'text/plain')
    throw new PostroomError('usage', `This queue carries text and HTML mails, not ${short(type)}.`);
  const job: Job = {
    to: Array.isArray(mail.to) ? mail.to.map(oneLine) : oneLine(mail.to),
    subject: oneLine(mail.subject),
    ...(html ? { html: mail.message } : { text: mail.message }),
    ...(html && mail.alt !== undefined ? { text: mail.alt } : {}),
    ...named,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(mail.attachments?.length ? { attachments: mail.attachments.map(attachmentOf) } : {}),
  };
  return JSON.stringify(job);
}

function attachmentOf(one: NonNullable<MailToEnqueue['attachments']>[number]) {
  if (typeof one === 'string') return one;
  const { name, file: path, size, sha256 } = one;
  return {
    name,
    file: path,
    ...(typeof size === 'number' ? { size } : {}),
    ...(typeof sha256 === 'string' ? { sha256 } : {}),
  };
}
