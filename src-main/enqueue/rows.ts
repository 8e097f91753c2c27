/** How each shape spells a mail. Column names here are the shapes' own; `columns` may rename them. */
import { type Mailbox, refuse } from './check.ts';
import type { CheckedMail, MailKey } from './mail.ts';
import type { Shape } from './types.ts';

/** A column of a new row: a value, or an expression with at most one placeholder. */
export interface Cell {
  column: string;
  sql: string;
  values: (string | number)[];
}

/** What is special about a shape. */
export interface Spelling {
  /** its table, after the prefix where it has one */
  table: string;
  prefixed: boolean;
  /** columns that are written */
  columns: readonly string[];
  /** keys of a mail that it has no column for */
  without: readonly MailKey[];
  /** the row of one job of a mail: `to` are the recipients of this job. `where` names the mail in errors. */
  row(mail: CheckedMail, to: readonly Mailbox[], queue: string, where: string): Cell[];
}

const cell = (column: string, value: string | number): Cell => ({ column, sql: '?', values: [value] });
const now = (column: string, sql: string): Cell => ({ column, sql, values: [] });

/** BIGINT of s since 1970. */
const stamp = (column: string, at: number | null): Cell =>
  at === null ? now(column, 'UNIX_TIMESTAMP()') : cell(column, at);
/** DATETIME or TIMESTAMP in the zone of the caller's session, as NOW() is. */
const moment = (column: string, at: number | null): Cell =>
  at === null ? now(column, 'NOW()') : { column, sql: 'FROM_UNIXTIME(?)', values: [at] };

/** JSON that a column of any character set can hold. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const texts = (boxes: readonly Mailbox[]): string[] => boxes.map(({ text }) => text);
const cut = (text: string, most: number): string => [...text].slice(0, most).join('');

/** Headers as wp_mail() takes them, one line each; the body's type first. */
function headerLines(mail: CheckedMail): string[] {
  const line = (name: string, boxes: readonly (Mailbox | null)[]): string[] => {
    const some = boxes.filter((box) => box !== null);
    return some.length === 0 ? [] : [`${name}: ${texts(some).join(', ')}`];
  };
  return [
    ...(mail.html === null ? [] : ['Content-Type: text/html; charset=UTF-8']),
    ...line('From', [mail.from]),
    ...line('Reply-To', [mail.replyTo]),
    ...line('Cc', mail.cc),
    ...line('Bcc', mail.bcc),
    ...mail.headers.map(([name, value]) => `${name}: ${value}`),
  ];
}

/** A VARCHAR: a server that is not strict would cut it, and send to another address. */
function fitting(text: string, most: number, where: string, advice: string): string {
  const length = [...text].length;
  return length <= most ? text : refuse(`${where} to fit into ${most} characters (${advice})`, text);
}

const studiou: Spelling = {
  table: 'studiou_wcmq_queue',
  prefixed: true,
  columns: [
    'context',
    'title',
    'order_id',
    'recipient',
    'subject',
    'payload',
    'attachment_dir',
    'priority',
    'state',
    'scheduled_at',
    'created_at',
  ],
  without: [],
  row(mail, to, _queue, where) {
    const { list, folders } = mail.attachments;
    if (folders.length > 1) refuse(`${where}.attachments to lie in one folder`, folders);
    const payload = {
      to: texts(to),
      subject: mail.subject,
      message: mail.html ?? mail.text,
      headers: headerLines(mail),
      attachments: list,
      ...(mail.html !== null && mail.text !== null ? { alt: mail.text } : {}),
    };
    return [
      cell('context', mail.context ?? ''),
      // not in every table of this shape
      ...(mail.title === null ? [] : [cell('title', mail.title)]),
      cell('order_id', mail.orderId ?? '0'),
      // these two are for the eyes of people, the payload is what is sent
      cell('recipient', cut(texts(to).join(', '), 320)),
      cell('subject', cut(mail.subject, 1000)),
      cell('payload', asciiJson(payload)),
      ...(folders[0] === undefined ? [] : [cell('attachment_dir', folders[0])]),
      cell('priority', mail.priority ?? 10),
      cell('state', 'pending'),
      stamp('scheduled_at', mail.sendAt),
      now('created_at', 'UNIX_TIMESTAMP()'),
    ];
  },
};

const onlyStudiou = ['context', 'title', 'orderId', 'priority'] as const;

const wpEmailQueue: Spelling = {
  table: 'email_queue',
  prefixed: true,
  columns: ['destinatario', 'assunto', 'corpo', 'cabecalhos', 'status', 'proxima_tentativa'],
  without: [...onlyStudiou, 'attachments'],
  row(mail, to, _queue, where) {
    if (mail.html !== null && mail.text !== null)
      refuse(`${where} to hold text or html, as wp-email-queue has one body`, 'both');
    return [
      cell('destinatario', fitting(texts(to).join(', '), 255, `${where}.to`, 'chunk makes several jobs')),
      cell('assunto', fitting(mail.subject, 255, `${where}.subject`, 'shorten it')),
      cell('corpo', mail.html ?? mail.text ?? ''),
      cell('cabecalhos', asciiJson(headerLines(mail))),
      cell('status', 'pendente'),
      moment('proxima_tentativa', mail.sendAt),
    ];
  },
};

const jobs: Spelling = {
  table: 'jobs',
  prefixed: false,
  columns: ['queue', 'payload', 'attempts', 'available_at', 'created_at', 'updated_at'],
  without: onlyStudiou,
  row(mail, to, queue) {
    const payload = {
      to: texts(to),
      subject: mail.subject,
      ...(mail.text === null ? {} : { text: mail.text }),
      ...(mail.html === null ? {} : { html: mail.html }),
      ...(mail.from === null ? {} : { from: mail.from.text }),
      ...(mail.replyTo === null ? {} : { replyTo: mail.replyTo.text }),
      ...(mail.cc.length === 0 ? {} : { cc: texts(mail.cc) }),
      ...(mail.bcc.length === 0 ? {} : { bcc: texts(mail.bcc) }),
      ...(mail.headers.length === 0 ? {} : { headers: Object.fromEntries(mail.headers) }),
      ...(mail.attachments.list.length === 0 ? {} : { attachments: mail.attachments.list }),
    };
    return [
      cell('queue', queue),
      cell('payload', asciiJson(payload)),
      cell('attempts', 0),
      moment('available_at', mail.sendAt),
      now('created_at', 'NOW()'),
      now('updated_at', 'NOW()'),
    ];
  },
};

const emailJobs: Spelling = {
  table: 'email_jobs',
  prefixed: false,
  columns: ['recipient', 'subject', 'body', 'available_at'],
  // `html` too: no column says what the body is, and a worker of this shape sends it as plain text
  without: [...onlyStudiou, 'html', 'from', 'replyTo', 'cc', 'bcc', 'headers', 'attachments'],
  row(mail, to) {
    return [
      cell('recipient', to.length === 1 ? (to[0]?.text ?? '') : asciiJson(texts(to))),
      cell('subject', mail.subject),
      cell('body', mail.text ?? ''),
      moment('available_at', mail.sendAt),
    ];
  },
};

/** The shapes by their names. */
export const spellings: Readonly<Record<Shape, Spelling>> = {
  'studiou-wcmq': studiou,
  'wp-email-queue': wpEmailQueue,
  jobs,
  'email-jobs': emailJobs,
};
