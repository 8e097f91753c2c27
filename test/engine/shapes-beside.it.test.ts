/** Our engine beside the very worker that the document of wp_email_queue describes, on one table at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { isFileDatabase } from '../../src-main/contract/profile.ts';
import type { Database } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeShapeShop, type ShapeShop } from '../support/shape-shop.ts';

let shop: ShapeShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

/** One cycle of the document's worker: takes 20 under a lock, then finishes them one by one. Answers whom it mailed. */
async function theirCycle(db: Database, perMailMs: number): Promise<string[]> {
  const ids = await db.transaction(async (tx) => {
    const rows = await tx.query<{ id: number }>(
      `SELECT id FROM wp_email_queue WHERE status = 'pendente' AND proxima_tentativa <= NOW()
       ORDER BY id ASC LIMIT 20 FOR UPDATE SKIP LOCKED`,
    );
    const found = rows.map((row) => row.id);
    for (const id of found)
      await tx.run(`UPDATE wp_email_queue SET status = 'processando' WHERE id = ?`, [id]);
    return found;
  });
  const mailed: string[] = [];
  for (const id of ids) {
    const [row] = await db.query<{ destinatario: string }>(
      'SELECT destinatario FROM wp_email_queue WHERE id = ?',
      [id],
    );
    await sleep(perMailMs);
    mailed.push(row?.destinatario ?? '');
    await db.run(`UPDATE wp_email_queue SET status = 'enviado' WHERE id = ?`, [id]);
  }
  return mailed;
}

describe.each([true, false])('beside the shop’s own worker (books in the shop: %s)', (booksInShop) => {
  it('each mail is sent by one of the two, and once', async () => {
    const made = await makeShapeShop({ shape: 'wp-email-queue', booksInShop });
    shop = made;
    const { database } = made.profile;
    if (isFileDatabase(database)) throw new Error('a server was expected');
    made.smtp.behaviour = ({ step }) => (step === 'dot' ? { delayMs: 15 } : undefined);
    const everyone = Array.from({ length: 150 }, (_, n) => `all-${n}@example.test`);
    for (const to of everyone) await made.put(to);
    const db = openMysql(database, { onSessionSql: ['SET time_zone = @@global.time_zone'] });
    const one = await made.open();
    const theirs: string[] = [];
    const ours = one.startDraining().then(() => one.untilEmpty(AbortSignal.timeout(40_000)));
    for (let idle = 0; idle < 3; ) {
      const mailed = await theirCycle(db, 20);
      theirs.push(...mailed);
      idle = mailed.length === 0 ? idle + 1 : 0;
      await sleep(20);
    }
    await ours;
    await one.close();
    await db.close();
    const all = [...theirs, ...made.smtp.mails.map((mail) => mail.to[0] ?? '')];
    expect(all.sort()).toEqual(everyone.sort());
    expect(theirs.length).toBeGreaterThan(0);
    expect(made.smtp.mails.length).toBeGreaterThan(0);
    expect(new Set([...(await made.rows()).values()].map((row) => row.word))).toEqual(new Set(['enviado']));
  });
});
