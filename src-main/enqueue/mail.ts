import { type Attachments, checkAttachments } from './attachments.ts';
import {
  checkHeaders,
  checkKeys,
  checkLine,
  checkMailbox,
  checkMailboxes,
  checkMoment,
  checkText,
  checkWhole,
  type Mailbox,
  refuse,
} from './check.ts';

/** A mail that was checked. */
export interface CheckedMail {
  to: Mailbox[];
  subject: string;
  text: string | null;
  html: string | null;
  from: Mailbox | null;
  replyTo: Mailbox | null;
  cc: Mailbox[];
  bcc: Mailbox[];
  headers: [name: string, value: string][];
  attachments: Attachments;
  /** s since 1970; null = now, by the database's clock */
  sendAt: number | null;
  context: string | null;
  title: string | null;
  /** digits */
  orderId: string | null;
  priority: number | null;
}

/** Every key of a mail. */
export const mailKeys = [
  'to',
  'subject',
  'text',
  'html',
  'from',
  'replyTo',
  'cc',
  'bcc',
  'headers',
  'attachments',
  'sendAt',
  'context',
  'title',
  'orderId',
  'priority',
] as const;
export type MailKey = (typeof mailKeys)[number];

/** @throws TypeError that names the first wrong key */
export function checkMail(value: unknown, where: string): CheckedMail {
  const mail = checkKeys(value, mailKeys, where);
  const given = <T>(key: MailKey, check: (value: unknown, where: string) => T, otherwise: T): T =>
    mail[key] === undefined ? otherwise : check(mail[key], `${where}.${key}`);
  const text = given<string | null>('text', checkText, null);
  const html = given<string | null>('html', checkText, null);
  if (text === null && html === null) refuse(`${where} to hold text, html or both`, mail);
  return {
    to: checkMailboxes(mail['to'], `${where}.to`),
    subject: checkLine(mail['subject'], `${where}.subject`),
    text,
    html,
    from: given<Mailbox | null>('from', checkMailbox, null),
    replyTo: given<Mailbox | null>('replyTo', checkMailbox, null),
    cc: given('cc', checkMailboxes, []),
    bcc: given('bcc', checkMailboxes, []),
    headers: given('headers', checkHeaders, []),
    attachments: given('attachments', checkAttachments, { list: [], folders: [] }),
    sendAt: checkMoment(mail['sendAt'], `${where}.sendAt`),
    context: given<string | null>('context', (it, at) => checkLine(it, at, 100), null),
    title: given<string | null>('title', (it, at) => checkLine(it, at, 200), null),
    orderId: given<string | null>('orderId', checkOrderId, null),
    priority: given<number | null>('priority', (it, at) => checkWhole(it, at, -32_768, 32_767), null),
  };
}

function checkOrderId(value: unknown, where: string): string {
  const whole = typeof value === 'number' ? Number.isSafeInteger(value) : true;
  const digits = ['number', 'bigint', 'string'].includes(typeof value) && whole ? String(value) : '';
  // BIGINT UNSIGNED
  if (/^\d{1,20}$/.test(digits) && BigInt(digits) < 2n ** 64n) return digits;
  return refuse(`${where} to be a whole number, 0 or more`, value);
}
