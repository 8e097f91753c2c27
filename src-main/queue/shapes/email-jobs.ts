/** email_jobs: claimed by `pending` -> `processing`, dead letters moved to failed_email_jobs with their reason. */
import { PostroomError } from '../../contract/errors.ts';
import type { Layout } from '../../contract/profile.ts';
import { type Queryable, type SqlValue, within } from '../../shop/database.ts';
import { marks } from '../dialect.ts';
import { columnsOf, quoted, type Shape, type ShopTable } from './shape.ts';
import {
  keys,
  lockingSelect,
  type StatusColumns,
  stateOf,
  statusQueue,
  strangeStatus,
  whereState,
} from './status-queue.ts';
import { clockOf } from './wall-clock.ts';

const words = { pending: 'pending', sending: 'processing', sent: 'done', failed: null };
const jobColumns = ['id', 'recipient', 'subject', 'body', 'status', 'attempts', 'available_at'] as const;
const failedColumns = ['job_id', 'recipient', 'subject', 'reason', 'failed_at', 'body'] as const;

export const emailJobs: Shape = {
  name: 'email-jobs',
  words: { ...words, failed: 'failed' },
  // The document leaves the limit open. Five tries last 5 + 20 + 45 + 60 minutes: long enough for greylisting and for a mail
  // server's restart, short enough that somebody hears of it the same day. Retention is Postroom's own.
  settings: { max_attempts: 5, retention_sent_days: 7, retention_failed_days: 30 },
  // its worker claims one job at a time
  most: 1,
  // also open in the document: 5, 20, 45 minutes, at most an hour
  backoffS: (attempts) => Math.min(3600, 300 * attempts ** 2),
  sqlite: true,
  open,
};

function open(_prefix: string, layout: Layout, dialect: Queryable['dialect']): ShopTable {
  const name = layout.table ?? 'email_jobs';
  const failedName = layout.failedTable ?? 'failed_email_jobs';
  const jobs = quoted(name);
  const dead = quoted(failedName);
  const c = columnsOf(jobColumns, layout);
  const f = columnsOf(failedColumns, layout);
  const bare = (column: string) => column.slice(1, -1);
  const clock = clockOf(dialect);
  const q: StatusColumns = {
    table: jobs,
    id: c.id,
    status: c.status,
    attempts: c.attempts,
    due: c.available_at,
    words,
    countsAtClaim: true,
  };
  const lockedJobs = lockingSelect(q, dialect);
  const unfinished = `${c.status} IN ('${words.pending}', '${words.sending}')`;
  const ended = `CASE WHEN ${c.status} = '${words.sending}' AND ${c.attempts} > 0 THEN ${c.attempts} - 1 ELSE ${c.attempts} END`;
  // The document's failed table has no body. In the subquery the name is that column where it is there, else the NULL of
  // the query around it: one text for both.
  const offeredBody = `(SELECT ${f.body} FROM ${dead} it WHERE it.${c.id} = d.${c.id})`;

  /** Takes dead letters back as jobs under their old ids. One without its body cannot wait again, but it can be done. */
  async function revive(tx: Queryable, ids: readonly string[], status: string): Promise<void> {
    const { body } = await failedTable(tx);
    const done = status === words.sent;
    if (!body && !done) return;
    const text = body ? `it.${f.body}` : 'NULL';
    for (const id of keys(ids)) {
      const { matched } = await tx.run(
        `INSERT INTO ${jobs} (${c.id}, ${c.recipient}, ${c.subject}, ${c.body}, ${c.status}, ${c.attempts}, ${c.available_at})
         SELECT it.${f.job_id}, it.${f.recipient}, it.${f.subject}, ${done ? `COALESCE(${text}, '')` : text}, '${status}', 0, ${clock.now}
         FROM ${dead} it WHERE it.${c.id} = (SELECT MAX(d.${c.id}) FROM ${dead} d WHERE d.${f.job_id} = ?)
           ${done ? '' : `AND ${text} IS NOT NULL`} AND NOT EXISTS (SELECT 1 FROM ${jobs} j WHERE j.${c.id} = it.${f.job_id})`,
        [id],
      );
      if (matched === 1) await tx.run(`DELETE FROM ${dead} WHERE ${f.job_id} = ?`, [id]);
    }
  }

  /** Whether the failed table keeps bodies, and a reason as its column can hold it: an error would keep the mail where it is. */
  async function failedTable(on: Queryable): Promise<{ body: boolean; cut(reason: string): string }> {
    const found = await on.query<{ name: string; length: number | null; charset: string | null }>(
      dialect === 'mysql'
        ? `SELECT COLUMN_NAME AS name, CHARACTER_MAXIMUM_LENGTH AS length, CHARACTER_SET_NAME AS charset
           FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`
        : 'SELECT name, NULL AS length, NULL AS charset FROM pragma_table_info(?)',
      [failedName],
    );
    const columns = new Map(found.map((row) => [row.name.toLowerCase(), row]));
    const { length, charset } = columns.get(bare(f.reason).toLowerCase()) ?? {};
    const strange = /^utf8(mb3)?$/.test(charset ?? '') ? /[\u{10000}-\u{10ffff}]/gu : /[^\p{ASCII}]/gu;
    return {
      body: columns.has(bare(f.body).toLowerCase()),
      cut: (reason) =>
        [...(charset == null || charset === 'utf8mb4' ? reason : reason.replace(strange, '?'))]
          .slice(0, Math.min(2000, length ?? 2000))
          .join(''),
    };
  }

  return {
    tables: [
      {
        role: 'queue',
        name,
        columns: jobColumns.map((column) => bare(c[column])),
        optional: [],
        key: [bare(c.status), bare(c.available_at)],
      },
      {
        role: 'failed',
        name: failedName,
        columns: [bare(c.id), ...failedColumns.slice(0, 5).map((column) => bare(f[column]))],
        optional: [bare(f.body)],
        key: null,
      },
    ],
    sources: [
      {
        select: `SELECT ${c.id} AS id, ${stateOf(q)} AS state, ${c.recipient} AS recipient, ${c.subject} AS subject,
          ${payload(dialect, c.recipient, c.subject, c.body)} AS payload, ${ended} AS attempts,
          ${clock.epoch(c.available_at)} AS scheduled_at, 0 AS created_at, ${strangeStatus(q, dialect)} AS last_error FROM ${jobs}`,
        id: c.id,
        where: (state) => whereState(q, state),
      },
      {
        // named by job_id: a mail keeps its id when it moves
        select: `SELECT ${f.job_id} AS id, 'failed' AS state, ${f.recipient} AS recipient, ${f.subject} AS subject,
          ${payload(dialect, f.recipient, f.subject, offeredBody)} AS payload, 0 AS attempts,
          ${clock.epoch(f.failed_at)} AS scheduled_at, 0 AS created_at, ${f.reason} AS last_error
          FROM (SELECT NULL AS ${f.body}) none, ${dead} d`,
        id: f.job_id,
        where: (state) => (state === 'failed' ? '1 = 1' : null),
      },
    ],
    ...statusQueue(q, dialect),

    // available_at is the only time there is: of a finished row it says when it was finished
    sent: (on, ids) =>
      within(on, async (tx) => {
        if (ids.length === 0) return;
        const { matched } = await tx.run(
          `UPDATE ${jobs} SET ${c.status} = '${words.sent}', ${c.available_at} = ${clock.now}
           WHERE ${c.id} IN (${marks(ids.length)}) AND ${unfinished}`,
          keys(ids),
        );
        if (matched < ids.length) await revive(tx, ids, words.sent);
      }),

    failed: (on, move) =>
      within(on, async (tx) => {
        const [id] = await lockedJobs(tx, [move.id], unfinished, { skip: false });
        if (id === undefined) return;
        const { body, cut } = await failedTable(tx);
        await tx.run(
          `INSERT INTO ${dead} (${f.job_id}, ${f.recipient}, ${f.subject}, ${f.reason}, ${f.failed_at}${body ? `, ${f.body}` : ''})
           SELECT ${c.id}, ${c.recipient}, ${c.subject}, ?, ${clock.now}${body ? `, ${c.body}` : ''} FROM ${jobs} WHERE ${c.id} = ?`,
          [cut(move.reason), ...keys([id])],
        );
        await tx.run(`DELETE FROM ${jobs} WHERE ${c.id} = ? AND ${unfinished}`, keys([id]));
      }),

    requeue: (on, ids) =>
      within(on, async (tx) => {
        if (ids.length === 0) return;
        const { matched } = await tx.run(
          `UPDATE ${jobs} SET ${c.status} = '${words.pending}', ${c.attempts} = 0, ${c.available_at} = ${clock.now}
           WHERE ${c.id} IN (${marks(ids.length)}) AND ${unfinished}`,
          keys(ids),
        );
        if (matched < ids.length) await revive(tx, ids, words.pending);
      }),

    // what a worker holds may be on its way
    remove: (on, ids) =>
      within(on, async (tx) => {
        if (ids.length === 0) return;
        const among = marks(ids.length);
        await tx.run(
          `DELETE FROM ${jobs} WHERE ${c.id} IN (${among}) AND ${c.status} IN ('${words.pending}', '${words.sent}')`,
          keys(ids),
        );
        await tx.run(`DELETE FROM ${dead} WHERE ${f.job_id} IN (${among})`, keys(ids));
      }),

    async old(on, state, seconds, limit) {
      const rows = await on.query<{ id: SqlValue }>(
        state === 'failed'
          ? `SELECT ${f.job_id} AS id FROM ${dead} WHERE ${clock.isOlder(f.failed_at)} LIMIT ${Math.trunc(limit)}`
          : `SELECT ${c.id} AS id FROM ${jobs} WHERE ${c.status} = '${words.sent}' AND ${clock.isOlder(c.available_at)}
             LIMIT ${Math.trunc(limit)}`,
        [seconds],
      );
      return rows.map((row) => String(row.id));
    },

    async insert(on, mail, notBefore) {
      const extra = mail.attachments?.length ? 'attachments' : mail.headers?.length ? 'headers' : null;
      if (extra) throw new PostroomError('refused', `The table ${name} has no place for ${extra}.`);
      const { insertId } = await on.run(
        `INSERT INTO ${jobs} (${c.recipient}, ${c.subject}, ${c.body}, ${c.status}, ${c.attempts}, ${c.available_at})
         VALUES (?, ?, ?, '${words.pending}', 0, ${clock.at})`,
        [
          typeof mail.to === 'string' ? mail.to : JSON.stringify(mail.to),
          mail.subject,
          mail.message,
          ...clock.atValues(notBefore),
        ],
      );
      return String(insertId);
    },
  };
}

/**
 * wp_mail's keys out of the columns; without headers, so that the body leaves as text/plain in UTF-8 as the document's own
 * worker sends it. `recipient` is an address or a JSON list of them (one conversation with many RCPT TO); a list that cannot be
 * read becomes an object that names the text, so that the mail fails and shows why.
 */
function payload(dialect: Queryable['dialect'], recipient: string, subject: string, body: string): string {
  // on the embedded database a value may be a blob, whatever its column says, and JSON refuses those
  const text = (column: string) => (dialect === 'sqlite' ? `CAST(${column} AS TEXT)` : column);
  const to = text(recipient);
  const asIs = dialect === 'mysql' ? `CONCAT('{"to":', ${to}, '}')` : `'{"to":' || ${to} || '}'`;
  const wrapped = `CASE WHEN JSON_VALID(${to}) = 0 AND ${to} LIKE '[%' THEN JSON_OBJECT('to', JSON_OBJECT('not JSON', ${to}))
    WHEN JSON_VALID(${to}) = 0 THEN JSON_OBJECT('to', ${to})
    WHEN JSON_TYPE(${to}) IN ('ARRAY', 'STRING', 'array', 'text') THEN ${asIs}
    ELSE JSON_OBJECT('to', ${to}) END`;
  return `JSON_OBJECT('to', JSON_EXTRACT(${wrapped}, '$.to'), 'subject', ${text(subject)}, 'message', ${text(body)},
    'headers', JSON_ARRAY(), 'attachments', JSON_ARRAY())`;
}
