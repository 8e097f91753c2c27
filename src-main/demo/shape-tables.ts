/** The shops' own tables of the demo, as their documents make them, and how their programs write what is over. */
import type { MailToEnqueue } from '../contract/desk.ts';
import type { ShapeName } from '../contract/profile.ts';
import type { Queryable } from '../shop/database.ts';

export type DemoTable = Exclude<ShapeName, 'studiou-wcmq'>;

interface DemoTables {
  /** name of the queue table */
  queue: string;
  tables: readonly string[];
  /** one mail of the past, sent or refused with these words; `ago` is a modifier of datetime() */
  past(tx: Queryable, mail: MailToEnqueue, refusal: string | null, ago: string): Promise<void>;
}

const recipients = ({ to }: MailToEnqueue): string => (typeof to === 'string' ? to : JSON.stringify(to));

export const demoTables: Record<DemoTable, DemoTables> = {
  'wp-email-queue': {
    queue: 'wp_email_queue',
    tables: [
      `CREATE TABLE IF NOT EXISTS wp_email_queue (id INTEGER PRIMARY KEY AUTOINCREMENT, destinatario TEXT NOT NULL,
         assunto TEXT NOT NULL, corpo TEXT NOT NULL, cabecalhos TEXT, status TEXT DEFAULT 'pendente', tentativas INTEGER DEFAULT 0,
         proxima_tentativa TEXT DEFAULT CURRENT_TIMESTAMP, criado_em TEXT DEFAULT CURRENT_TIMESTAMP)`,
      'CREATE INDEX IF NOT EXISTS idx_processamento ON wp_email_queue (status, proxima_tentativa)',
    ],
    // a refused mail was tried five times before its worker gave it up, and the table keeps no reason
    async past(tx, mail, refusal, ago) {
      await tx.run(
        `INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos, status, tentativas, proxima_tentativa, criado_em)
         VALUES (?, ?, ?, '[]', ?, ?, datetime('now', ?), datetime('now', ?))`,
        [
          recipients(mail),
          mail.subject,
          mail.message,
          refusal === null ? 'enviado' : 'falha',
          refusal === null ? 0 : 5,
          ago,
          ago,
        ],
      );
    },
  },
  jobs: {
    queue: 'jobs',
    tables: [
      `CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, payload TEXT NOT NULL,
         attempts INTEGER NOT NULL DEFAULT 0, reserved_at TEXT NULL, available_at TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
      'CREATE INDEX IF NOT EXISTS jobs_claim ON jobs (queue, reserved_at, available_at)',
      `CREATE TABLE IF NOT EXISTS failed_jobs (id INTEGER PRIMARY KEY, queue TEXT NOT NULL, payload TEXT NOT NULL,
         attempts INTEGER NOT NULL, error TEXT NOT NULL, failed_at TEXT NOT NULL)`,
    ],
    // a job that was done is deleted: of the past only the dead letters are left
    async past(tx, mail, refusal, ago) {
      const payload = JSON.stringify({ to: mail.to, subject: mail.subject, text: mail.message });
      const { insertId } = await tx.run(
        `INSERT INTO jobs (queue, payload, attempts, available_at, created_at, updated_at)
         VALUES ('default', ?, 0, datetime('now', ?), datetime('now', ?), datetime('now', ?))`,
        [payload, ago, ago, ago],
      );
      if (refusal !== null)
        await tx.run(
          `INSERT INTO failed_jobs (id, queue, payload, attempts, error, failed_at) VALUES (?, 'default', ?, 5, ?, datetime('now', ?))`,
          [insertId, payload, refusal, ago],
        );
      await tx.run('DELETE FROM jobs WHERE id = ?', [insertId]);
    },
  },
  'email-jobs': {
    queue: 'email_jobs',
    tables: [
      `CREATE TABLE IF NOT EXISTS email_jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL,
         body TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0, available_at TEXT NOT NULL)`,
      'CREATE INDEX IF NOT EXISTS email_jobs_claim ON email_jobs (status, available_at)',
      `CREATE TABLE IF NOT EXISTS failed_email_jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL, recipient TEXT NOT NULL,
         subject TEXT NOT NULL, reason TEXT NOT NULL, failed_at TEXT NOT NULL, body TEXT NULL)`,
    ],
    // as its worker does: the job goes, its number stays in the dead letter
    async past(tx, mail, refusal, ago) {
      const { insertId } = await tx.run(
        `INSERT INTO email_jobs (recipient, subject, body, status, attempts, available_at) VALUES (?, ?, ?, 'done', 1, datetime('now', ?))`,
        [recipients(mail), mail.subject, mail.message, ago],
      );
      if (refusal === null) return;
      await tx.run(
        `INSERT INTO failed_email_jobs (job_id, recipient, subject, reason, failed_at, body) VALUES (?, ?, ?, ?, datetime('now', ?), ?)`,
        [insertId, recipients(mail), mail.subject, refusal, ago, mail.message],
      );
      await tx.run('DELETE FROM email_jobs WHERE id = ?', [insertId]);
    },
  },
};
