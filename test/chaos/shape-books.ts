/**
 * What the shop's own table says beside our books. The books of a shape are its cards, and are audited as the rows of our own
 * shape are; here the two are held against each other.
 *
 * What such tables cannot carry is not asked of them: priorities (none has a column), the reason of a failure
 * (wp-email-queue), the tries of a dead letter (email-jobs), and anything at all about a job that was sent (jobs: it is gone).
 */
import type { Row } from './books.ts';
import type { OtherShape } from './shape-tables.ts';
import type { InsertedRow } from './stage.ts';

/** One row of the shop's, from whichever of its tables. */
export interface ShopSays {
  id: string;
  state: string;
  attempts: number;
  lastError: string | null;
}

export function auditShop(
  shape: OtherShape,
  inserted: readonly InsertedRow[],
  cards: readonly Row[],
  says: readonly ShopSays[],
): string[] {
  const wrong: string[] = [];
  const cardOf = new Map(cards.map((card) => [String(card['id']), card]));
  for (const { id } of inserted) {
    const card = cardOf.get(id);
    const rows = says.filter((row) => row.id === id);
    if (!card) continue; // told as lost by the audit of the books
    const state = String(card['state']);
    const told = rows.map((row) => row.state).join(' and ') || 'gone';
    const due = state === 'sent' && shape === 'jobs' ? 'gone' : state;
    if (told !== due) wrong.push(`row ${id} is ${state} in our books, but the shop's table says ${told}`);
    const [row] = rows;
    if (state !== 'failed' || !row) continue;
    if (shape !== 'email-jobs' && row.attempts !== Number(card['attempts']))
      wrong.push(`row ${id} failed after ${card['attempts']} tries, the shop's table says ${row.attempts}`);
    if (shape !== 'wp-email-queue' && row.lastError !== card['last_error'])
      wrong.push(`row ${id} failed with "${card['last_error']}", the shop's table says "${row.lastError}"`);
  }
  const known = new Set(inserted.map((one) => one.id));
  for (const row of says)
    if (!known.has(row.id)) wrong.push(`the shop's table has a row ${row.id} of nobody`);
  return wrong;
}
