/** wp_email_queue: one table with Portuguese names, drained by a WP-CLI command that takes twenty rows a minute. */
import { PostroomError } from '../../contract/errors.ts';
import type { Layout } from '../../contract/profile.ts';
import type { Queryable } from '../../shop/database.ts';
import { marks } from '../dialect.ts';
import { columnsOf, quoted, type Shape, type ShopTable } from './shape.ts';
import {
  counted,
  keys,
  type StatusColumns,
  stateOf,
  statusQueue,
  strangeStatus,
  whereState,
} from './status-queue.ts';
import { clockOf } from './wall-clock.ts';

const words = { pending: 'pendente', sending: 'processando', sent: 'enviado', failed: 'falha' };
const needed = [
  'id',
  'destinatario',
  'assunto',
  'corpo',
  'cabecalhos',
  'status',
  'tentativas',
  'proxima_tentativa',
  'criado_em',
] as const;

export const wpEmailQueue: Shape = {
  name: 'wp-email-queue',
  words,
  // five tries; a weekly clean-up takes finished rows, sent or failed, once they are 30 days old
  settings: { max_attempts: 5, retention_sent_days: 30, retention_failed_days: 30 },
  most: 20,
  // 5, 20, 45, 80 minutes
  backoffS: (attempts) => 300 * attempts ** 2,
  // WordPress's own plugin for SQLite keeps such a table as text and whole numbers
  sqlite: true,
  open,
};

function open(prefix: string, layout: Layout, dialect: Queryable['dialect']): ShopTable {
  const name = layout.table ?? `${prefix}email_queue`;
  const table = quoted(name);
  const c = columnsOf(needed, layout);
  const bare = (column: (typeof needed)[number]) => c[column].slice(1, -1);
  const clock = clockOf(dialect);
  const q: StatusColumns = {
    table,
    id: c.id,
    status: c.status,
    attempts: c.tentativas,
    due: c.proxima_tentativa,
    words,
    countsAtClaim: false,
  };
  const among = (...some: (keyof typeof words)[]) =>
    `${c.status} IN (${some.map((state) => `'${words[state]}'`).join(', ')})`;

  return {
    tables: [
      {
        role: 'queue',
        name,
        columns: needed.map(bare),
        optional: [],
        key: [bare('status'), bare('proxima_tentativa')],
      },
    ],
    sources: [
      {
        select: `SELECT ${c.id} AS id, ${stateOf(q)} AS state, ${c.destinatario} AS recipient, ${c.assunto} AS subject,
          ${payload(c, dialect)} AS payload, COALESCE(${c.tentativas}, 0) AS attempts, ${clock.epoch(c.proxima_tentativa)} AS scheduled_at,
          ${clock.epoch(c.criado_em)} AS created_at, ${strangeStatus(q, dialect)} AS last_error FROM ${table}`,
        id: c.id,
        where: (state) => whereState(q, state),
      },
    ],
    ...statusQueue(q, dialect),

    async sent(on, ids) {
      if (ids.length === 0) return;
      await on.run(
        `UPDATE ${table} SET ${c.status} = '${words.sent}'
         WHERE ${c.id} IN (${marks(ids.length)}) AND ${among('sending', 'failed', 'pending')}`,
        keys(ids),
      );
    },

    // the table has no column for the reason
    async failed(on, move) {
      await on.run(
        `UPDATE ${table} SET ${c.status} = '${words.failed}', ${c.tentativas} = ?
         WHERE ${c.id} = ? AND ${among('sending', 'pending')}`,
        [counted(move.attempts), ...keys([move.id])],
      );
    },

    async requeue(on, ids) {
      if (ids.length === 0) return;
      await on.run(
        `UPDATE ${table} SET ${c.status} = '${words.pending}', ${c.tentativas} = 0, ${c.proxima_tentativa} = ${clock.now}
         WHERE ${c.id} IN (${marks(ids.length)}) AND ${among('sending', 'failed', 'pending')}`,
        keys(ids),
      );
    },

    // what a worker holds may be on its way
    async remove(on, ids) {
      if (ids.length === 0) return;
      await on.run(
        `DELETE FROM ${table} WHERE ${c.id} IN (${marks(ids.length)}) AND ${among('pending', 'sent', 'failed')}`,
        keys(ids),
      );
    },

    async old(on, state, seconds, limit) {
      const rows = await on.query<{ id: string | number }>(
        `SELECT ${c.id} AS id FROM ${table} WHERE ${among(state)} AND ${clock.isOlder(c.criado_em)}
         LIMIT ${Math.trunc(limit)}`,
        [seconds],
      );
      return rows.map((row) => String(row.id));
    },

    async insert(on, mail, notBefore) {
      if (mail.attachments && mail.attachments.length > 0)
        throw new PostroomError('refused', `The table ${name} has no place for attachments.`);
      const { insertId } = await on.run(
        `INSERT INTO ${table} (${c.destinatario}, ${c.assunto}, ${c.corpo}, ${c.cabecalhos}, ${c.status}, ${c.tentativas}, ${c.proxima_tentativa})
         VALUES (?, ?, ?, ?, '${words.pending}', 0, ${clock.at})`,
        [
          typeof mail.to === 'string' ? mail.to : mail.to.join(', '),
          mail.subject,
          mail.message,
          JSON.stringify(mail.headers ?? []),
          ...clock.atValues(notBefore),
        ],
      );
      return String(insertId);
    },
  };
}

/**
 * wp_mail's keys out of the columns. `cabecalhos` is JSON on MySQL and text on MariaDB: chosen as text first and made JSON by
 * one JSON_EXTRACT, it is nested on both and not quoted as a string. Of an object the values are the header lines, as
 * wp_mail() takes them; what is no JSON becomes an object that names the text, so that the mail fails and shows why.
 */
function payload(
  c: Record<'destinatario' | 'assunto' | 'corpo' | 'cabecalhos', string>,
  dialect: Queryable['dialect'],
): string {
  // on the embedded database a value may be a blob, whatever its column says, and JSON refuses those
  const text = (column: string) => (dialect === 'sqlite' ? `CAST(${column} AS TEXT)` : column);
  const given = text(c.cabecalhos);
  const [object, values] =
    dialect === 'sqlite'
      ? ['object', `(SELECT json_group_array(value) FROM json_each(${given}))`]
      : ['OBJECT', `COALESCE(JSON_EXTRACT(${given}, '$.*'), '[]')`];
  const headers = `CASE WHEN ${c.cabecalhos} IS NULL OR ${given} = '' THEN '[]'
      WHEN JSON_VALID(${given}) = 0 THEN JSON_OBJECT('not JSON', ${given})
      WHEN JSON_TYPE(${given}) = '${object}' THEN ${values}
      ELSE ${given} END`;
  return `JSON_OBJECT('to', ${text(c.destinatario)}, 'subject', ${text(c.assunto)}, 'message', ${text(c.corpo)},
    'headers', JSON_EXTRACT(${headers}, '$'), 'attachments', JSON_ARRAY())`;
}
