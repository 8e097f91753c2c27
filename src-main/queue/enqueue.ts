/** Putting mails into the queue from this side: `enqueue`, the demo shop, test mails. The shop's own plugin writes rows itself. */
import type { MailToEnqueue } from '../contract/desk.ts';
import type { RowId } from '../contract/rows.ts';
import type { Settings } from '../contract/settings.ts';
import type { SqlValue } from '../shop/database.ts';
import type { Place } from './place.ts';
import type { ShopRows } from './shop-rows.ts';

const insertBatch = 50;

/** Writes rows; answers their ids in order. `notBefore` in s since 1970 by the database's clock, null = now. */
export async function insertRows(
  place: Place,
  mails: readonly (MailToEnqueue & { notBefore: number | null })[],
  settings: Settings,
): Promise<RowId[]> {
  if (place.shop) return insertShopRows(place.shop, mails);
  const ids: RowId[] = [];
  for (let at = 0; at < mails.length; at += insertBatch) {
    const part = mails.slice(at, at + insertBatch);
    const made = await place.db.transaction(async (tx) => {
      const batchIds: RowId[] = [];
      for (const mail of part) {
        const values = toValues(mail, settings);
        const { insertId } = await tx.run(
          `INSERT INTO ${place.t.queue} (context, title, order_id, recipient, subject, payload, attachment_dir, priority, state,
             scheduled_at, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', COALESCE(?, ${place.d.nowS}), ${place.d.nowS})`,
          [...values, mail.notBefore],
        );
        batchIds.push(insertId);
      }
      return batchIds;
    });
    ids.push(...made);
  }
  return ids;
}

function insertShopRows(
  shop: ShopRows,
  mails: readonly (MailToEnqueue & { notBefore: number | null })[],
): Promise<RowId[]> {
  return shop.db.transaction(async (tx) => {
    const ids: RowId[] = [];
    for (const mail of mails) ids.push(await shop.table.insert(tx, mail, mail.notBefore));
    return ids;
  });
}

function toValues(mail: MailToEnqueue, settings: Settings): SqlValue[] {
  const { to, subject, message, headers, attachments, alt } = mail;
  const payload = {
    to,
    subject,
    message,
    headers: headers ?? '',
    attachments: attachments ?? [],
    ...(alt === undefined ? {} : { alt }),
  };
  const context = mail.context ?? '';
  // a context may be named like something that every object has
  const usual = Object.hasOwn(settings.priorities, context) ? settings.priorities[context] : undefined;
  const recipient = Array.isArray(to) ? to.join(', ') : to;
  return [
    context,
    mail.title ?? '',
    mail.order_id ?? 0,
    recipient.slice(0, 320),
    subject.slice(0, 1000),
    JSON.stringify(payload),
    folderOf(attachments ?? []),
    mail.priority ?? usual ?? 10,
  ];
}

/** The folder token in the first attachment's path: `{32 hex}/{file}` (DESIGN section 4). */
function folderOf(attachments: NonNullable<MailToEnqueue['attachments']>): string | null {
  for (const attachment of attachments) {
    const path = typeof attachment === 'string' ? attachment : attachment.file;
    const token = /(?:^|[\\/])([0-9a-f]{32})[\\/][^\\/]+$/.exec(path)?.[1];
    if (token) return token;
  }
  return null;
}
