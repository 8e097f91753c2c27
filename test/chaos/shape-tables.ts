/** The other shapes on the stage: a shop's own tables as its document makes them, and mails as its programs write them. */
import type { Profile, ShapeName } from '../../src-main/contract/profile.ts';
import { profileSchema } from '../../src-main/contract/profile.ts';
import { defaultSettings } from '../../src-main/contract/settings.ts';
import { shapeNamed } from '../../src-main/queue/shapes/index.ts';
import type { ShopRows } from '../../src-main/queue/shop-rows.ts';
import type { Database, SqlValue } from '../../src-main/shop/database.ts';
import { spellings } from '../support/shape-shop.ts';

export type OtherShape = Exclude<ShapeName, 'studiou-wcmq'>;

/** A mail that the driver wants written. */
export interface WantedMail {
  recipients: readonly string[];
  subject: string;
  html: string;
  corrupt: boolean;
}

export interface ShopTables {
  create: readonly string[];
  insert(mail: WantedMail): { sql: string; values: SqlValue[] };
  table: string;
  /** DATETIME from which on a waiting row may leave */
  due: string;
  /** when it was written, where the table keeps that */
  created: string | null;
  waiting: string;
  held: string;
}

export const shopTables: Record<OtherShape, ShopTables> = {
  'wp-email-queue': {
    create: spellings['wp-email-queue'].tables(false, false),
    insert: ({ recipients, subject, html, corrupt }) => ({
      sql: 'INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (?, ?, ?, ?)',
      values: [
        corrupt ? 'nobody at all' : recipients.join(', '),
        subject,
        html,
        '["Content-Type: text/html"]',
      ],
    }),
    table: 'wp_email_queue',
    due: 'proxima_tentativa',
    created: 'criado_em',
    waiting: "status = 'pendente'",
    held: "status = 'processando'",
  },
  jobs: {
    create: spellings.jobs.tables(false, false),
    insert: ({ recipients, subject, html, corrupt }) => ({
      sql: "INSERT INTO jobs (queue, payload, available_at, created_at, updated_at) VALUES ('default', ?, NOW(), NOW(), NOW())",
      values: [JSON.stringify({ to: recipients, subject: corrupt ? 7 : subject, html })],
    }),
    table: 'jobs',
    due: 'available_at',
    created: 'created_at',
    waiting: 'reserved_at IS NULL',
    held: 'reserved_at IS NOT NULL',
  },
  'email-jobs': {
    create: [
      ...spellings['email-jobs'].tables(false, false),
      // the driver's big mails have 3 MB, more than the document's TEXT
      'ALTER TABLE email_jobs MODIFY body LONGTEXT NOT NULL',
      'ALTER TABLE failed_email_jobs MODIFY body LONGTEXT NULL',
    ],
    insert: ({ recipients, subject, html, corrupt }) => ({
      sql: 'INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES (?, ?, ?, NOW())',
      values: [corrupt ? '[1, 2' : JSON.stringify(recipients), subject, html],
    }),
    table: 'email_jobs',
    due: 'available_at',
    created: null,
    waiting: "status = 'pending'",
    held: "status = 'processing'",
  },
};

/** The zone in which the shop's programs write is told to the console: a server that comes back from a kill begins in another. */
export function layoutOf(zone: string): Profile['layout'] {
  return profileSchema.shape.layout.parse({ timeZone: zone });
}

export async function makeShopRows(shape: OtherShape, db: Database, zone: string): Promise<ShopRows> {
  for (const sql of shopTables[shape].create) await db.run(sql);
  const found = shapeNamed(shape);
  if (!found) throw new Error(`Expected the shape ${shape} to be known`);
  const table = found.open('wp_', layoutOf(zone), db.dialect);
  return { shape: found, table, db, leaseS: defaultSettings.claim_timeout, together: true, offered: null };
}
