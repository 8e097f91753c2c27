/** A table that is gone stops the console, and nothing else: it waits for a person, quietly, and loses nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';

let shop: TestShop;
afterEach(() => shop?.close());

describe('a table that vanishes while the console drains', () => {
  it.each(['log', 'queue'])('%s, while answers are on their way', async (name) => {
    shop = await makeShop();
    const table = `wp_studiou_wcmq_${name}`;
    for (let n = 0; n < 30; n += 1) await shop.insert();
    let away: Promise<unknown> | null = null;
    shop.smtp.onMail = () => {
      away ??= shop.db.run(`RENAME TABLE ${table} TO ${table}_away`);
    };
    const console = await shop.open({ uncapped: true, smtp: { ...shop.profile.smtp, connections: 3 } });
    await console.startDraining();
    await shop.smtp.waitForMails(1, 10_000);
    await away;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const asked = async () =>
      Number((await shop.db.query<{ Value: string }>("SHOW GLOBAL STATUS LIKE 'Questions'"))[0]?.Value);
    const before = await asked();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await asked()) - before).toBeLessThan(100);
    await shop.db.run(`RENAME TABLE ${table}_away TO ${table}`);
    await console.untilEmpty(AbortSignal.timeout(40_000));
    const rows = await shop.rows();
    expect(rows.map((row) => [row['state'], row['attempts'], row['in_doubt']])).toEqual(
      Array.from({ length: 30 }, () => ['sent', 1, 0]),
    );
    expect(new Set(shop.smtp.mails.map((mail) => mail.messageId)).size).toBe(shop.smtp.mails.length);
    expect(shop.smtp.mails).toHaveLength(rows.length);
  });
});
