import { existsSync } from 'node:fs';
import path from 'node:path';
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { makeShop, planPayload, type TestShop, type TestShopOptions } from '../support/shop.ts';
import { behaviourOf, mostInWindow } from '../support/smtp-server.ts';

let shop: TestShop;
const start = async (options?: TestShopOptions) => {
  shop = await makeShop(options);
  return shop;
};
afterEach(() => shop.close());

describe('a queue drains', () => {
  it('sends 200 rows of plain SQL once each, as wp_mail would have, and cleans up', async () => {
    await start();
    const tokens: string[] = [];
    for (let n = 0; n < 200; n += 1) {
      const token = n % 10 === 0 ? shop.attach('faktura č. 1.pdf', `%PDF-1.4 ${n}`) : null;
      if (token) tokens.push(token);
      await shop.insert({
        order_id: 1000 + n,
        recipient: `user${n}@example.test`,
        attachment_dir: token,
        payload: planPayload({
          to: `user${n}@example.test`,
          subject: `Objednávka ${n} – děkujeme`,
          message: `<p>Order ${n} 😀</p>`,
          attachments: token ? [`/var/www/uploads/studiou-wcmq-attachments/${token}/faktura č. 1.pdf`] : [],
        }),
      });
    }
    const console = await shop.open({ uncapped: true, smtp: { ...shop.profile.smtp, connections: 5 } });
    await console.desk.enable();
    await console.startDraining();
    await console.untilEmpty();
    const summary = await console.summary();

    expect(summary).toMatchObject({
      sent: 200,
      failed: 0,
      deferred: 0,
      in_doubt: 0,
      remaining: 0,
      duplicates: 0,
    });
    expect(shop.smtp.mails.map((mail) => mail.to.join()).sort()).toEqual(
      Array.from({ length: 200 }, (_, n) => `user${n}@example.test`).sort(),
    );
    expect(new Set(shop.smtp.mails.map((mail) => mail.messageId)).size).toBe(200);
    const seventh = shop.smtp.mails.find((mail) => mail.to[0] === 'user10@example.test');
    const mail = await simpleParser(seventh?.raw ?? '');
    expect(mail.subject).toBe('Objednávka 10 – děkujeme');
    expect(mail.html).toContain('Order 10 😀');
    expect(mail.replyTo?.text).toContain('obchod@studiou.example');
    expect(mail.from?.text).toContain('shop@shop.example');
    expect(mail.attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
      ['faktura č. 1.pdf', '%PDF-1.4 10'],
    ]);
    const rows = await shop.rows();
    expect(
      rows.every((row) => row['state'] === 'sent' && Number(row['sent_at']) > 0 && row['attempts'] === 1),
    ).toBe(true);
    expect(tokens.filter((token) => existsSync(path.join(shop.filesRoot, token)))).toEqual([]);
  });

  it('keeps the distance of the rate, by the database and by the mail server', async () => {
    await start({ settings: { rate_per_minute: 60 } });
    for (let n = 0; n < 8; n += 1) await shop.insert();
    const console = await shop.open();
    await console.desk.enable();
    await console.startDraining();
    await console.untilEmpty();
    const lines = await shop.db.query<{ started_ms: number }>(
      'SELECT started_ms FROM wp_studiou_wcmq_attempts ORDER BY started_ms',
    );
    expect(gaps(lines.map((line) => Number(line.started_ms)))).toSatisfy((all: number[]) =>
      all.every((gap) => gap >= 1000),
    );
    const stamps = shop.smtp.mails.map((mail) => mail.at);
    expect(stamps).toHaveLength(8);
    // the mail server sees the distance but for what its own answers jitter
    expect(Math.min(...gaps(stamps))).toBeGreaterThan(980);
    expect(mostInWindow(stamps, 60_000)).toBeLessThanOrEqual(60);
  });

  it('fails with the server’s words what the server refuses for good, and keeps its attachments', async () => {
    await start({
      smtp: {
        behaviour: behaviourOf([
          { step: 'rcpt', recipient: 'nobody@', action: { reply: '550 5.1.1 No such user here' } },
        ]),
      },
    });
    const token = shop.attach('a.pdf', 'x');
    const bad = await shop.insert({
      attachment_dir: token,
      payload: planPayload({ to: 'nobody@example.test', attachments: [`${token}/a.pdf`] }),
    });
    const good = await shop.insert();
    const corrupt = await shop.insert({ payload: '{"to": "x@example.test", "subj' });
    const console = await shop.open();
    const ended: unknown[] = [];
    console.events.on('ended', (one) => ended.push([one.id, one.outcome]));
    await console.startDraining();
    await console.untilEmpty();
    const byId = new Map((await shop.rows()).map((row) => [row['id'], row]));
    expect(byId.get(bad)).toMatchObject({ state: 'failed', attempts: 1, in_doubt: 0 });
    expect(byId.get(bad)?.['last_error']).toContain('No such user here');
    expect(byId.get(good)).toMatchObject({ state: 'sent' });
    expect(byId.get(corrupt)).toMatchObject({ state: 'failed', attempts: 0 });
    expect(byId.get(corrupt)?.['last_error']).toMatch(/^corrupt payload/);
    expect(existsSync(path.join(shop.filesRoot, token))).toBe(true);
    expect(ended).toHaveLength(3);
    const state = await shop.db.query("SELECT value FROM wp_studiou_wcmq_settings WHERE name = 'state'");
    expect(state[0]?.['value']).toBe('"disabled"');
  });

  it('an answer that comes while the database is gone is written when it is back', async () => {
    const { startMariadb } = await import('../support/mariadb.ts');
    const server = await startMariadb();
    await start({ server });
    const id = await shop.insert();
    let killed: Promise<void> | null = null;
    shop.smtp.onMail = () => {
      killed = server.kill();
    };
    const console = await shop.open();
    const connection: (string | null)[] = [];
    console.events.on('connection', (cause) => connection.push(cause));
    await console.startDraining();
    await shop.smtp.waitForMails(1, 10_000);
    await killed;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await server.start();
    await console.untilEmpty();
    const [row] = await shop.rows('id = ?', [id]);
    expect(row).toMatchObject({ state: 'sent', attempts: 1, reclaims: 0 });
    expect(shop.smtp.mails).toHaveLength(1);
    expect(connection.at(0)).toEqual(expect.any(String));
    expect(connection.at(-1)).toBeNull();
    await console.close();
    await server.remove();
  });

  it('a lost answer after the dot is in doubt, and only a person sends it again', async () => {
    await start({
      smtp: { behaviour: behaviourOf([{ step: 'dot', action: { reply: '250 ok', drop: 'rst' }, times: 1 }]) },
    });
    const id = await shop.insert();
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty();
    let [row] = await shop.rows('id = ?', [id]);
    expect(row).toMatchObject({ state: 'failed', in_doubt: 1, attempts: 1 });
    expect((await console.desk.retry({ ids: [id] })).done).toBe(0);
    const before = row?.['message_id'];
    await console.desk.resolve(id, 'send-again');
    await console.untilEmpty();
    [row] = await shop.rows('id = ?', [id]);
    expect(row).toMatchObject({ state: 'sent', in_doubt: 0, message_id: before });
  });

  it('a mail server that refuses the connection pauses the lane and costs no row anything', async () => {
    await start();
    const id = await shop.insert();
    const port = shop.smtp.port;
    await shop.smtp.close();
    const console = await shop.open();
    const lane: unknown[] = [];
    console.events.on('lane', (pause) => lane.push(pause?.by ?? null));
    await console.startDraining();
    await expect.poll(() => lane, { timeout: 10_000 }).toEqual(['fault']);
    const [row] = await shop.rows('id = ?', [id]);
    expect(row).toMatchObject({ state: 'pending', attempts: 0, reclaims: 0 });
    expect((await console.desk.status()).lights.mail.color).toBe('red');
    const { startSmtpServer } = await import('../support/smtp-server.ts');
    shop.smtp = await startSmtpServer({ port });
    await console.untilEmpty();
    expect(lane).toEqual(['fault', null]);
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent', attempts: 1 });
  });
});

function gaps(stamps: number[]): number[] {
  return stamps.slice(1).map((stamp, index) => stamp - (stamps[index] ?? 0));
}
