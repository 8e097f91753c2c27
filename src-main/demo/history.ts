/**
 * What the demo shop sent before it was first opened, so that no screen is empty. Written as plain rows into the queue
 * room's tables, before any worker runs: nobody else may make a row that is born as sent.
 */
import { randomUUID } from 'node:crypto';
import type { Place } from '../queue/place.ts';
import type { Queryable } from '../shop/database.ts';
import { firstOrder, mailOf, makeOrder, type Order } from './orders.ts';
import { sinkDomains } from './sink.ts';

/** s between two mails of the past, and s ago that the last one left: far outside the minute that the cap counts */
const spacingS = 1_900;
const lastS = 2_400;

/** Writes the first `count` orders as sent or failed, the last one 40 min ago. */
export async function writeHistory(place: Place, count: number): Promise<void> {
  await place.db.transaction(async (tx) => {
    const [clock] = await tx.query<{ now: number }>(`SELECT ${place.d.nowS} AS now`);
    const now = Number(clock?.now);
    for (let at = 0; at < count; at += 1) {
      const order = makeOrder(firstOrder + at);
      // the greylisting domain took it in the end, at the second try
      await writeRow(place, tx, order, now - lastS - (count - 1 - at) * spacingS);
    }
  });
}

async function writeRow(place: Place, tx: Queryable, order: Order, endedS: number): Promise<void> {
  const refusal = refusalOf(order.address);
  const mail = mailOf(order, []);
  const messageId = `<${randomUUID()}@demo.example>`;
  const payload = JSON.stringify({
    to: mail.to,
    subject: mail.subject,
    message: mail.message,
    headers: mail.headers,
    attachments: [],
  });
  const { insertId } = await tx.run(
    `INSERT INTO ${place.t.queue} (context, title, order_id, recipient, subject, payload, state, attempts, last_error,
       scheduled_at, created_at, sent_at, message_id, notified_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`,
    [
      mail.context ?? '',
      mail.title ?? '',
      order.number,
      order.address,
      mail.subject,
      payload,
      refusal ? 'failed' : 'sent',
      refusal?.text ?? null,
      endedS - 30,
      endedS - 30,
      refusal ? null : endedS,
      messageId,
      endedS,
    ],
  );
  await tx.run(
    `INSERT INTO ${place.t.attempts} (queue_id, console_id, claim_id, started_ms, body_ms, finished_ms, recipients, outcome,
       smtp_code, enhanced_code, response, message_id)
     VALUES (?, '', ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)`,
    [
      insertId,
      randomUUID(),
      endedS * 1000 - 420,
      refusal ? null : endedS * 1000 - 180,
      endedS * 1000,
      refusal ? 'rejected' : 'sent',
      refusal?.code ?? 250,
      refusal?.enhanced ?? '2.0.0',
      refusal?.text ?? '250 2.0.0 Ok: queued',
      messageId,
    ],
  );
}

/** What the demo's mail server says to such an address, null where it takes the mail. */
export function refusalOf(address: string): { code: number; enhanced: string; text: string } | null {
  if (address.endsWith(`@${sinkDomains.unknown}`))
    return { code: 550, enhanced: '5.1.1', text: '550 5.1.1 nobody of that name lives here' };
  if (address.endsWith(`@${sinkDomains.full}`))
    return { code: 552, enhanced: '5.2.2', text: '552 5.2.2 The mailbox is full' };
  return null;
}
