/**
 * A hundred mails of a shop: once as wp_mail() itself sends them, once through queue, console, SSH and mail server. What
 * arrives is the same, byte by byte but for Date, Message-ID, X-Mailer and the names of boundaries.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtCli, type Folder, fromEnv, makeFolder, runCli, startCli } from '../cli/kit.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { comparable } from './bytes.ts';
import { makeSite, type Site, type Step } from './kit.ts';

let site: Site;
let sshd: SshServer;
let folder: Folder;
let orders: number[];
let files: string[];

beforeAll(async () => {
  await builtCli();
  site = await makeSite();
  sshd = await startSshd();
  folder = await makeFolder();
  const made = await site.run([
    ['orders', 100],
    ['file', ['Faktura č. 7.pdf', 'x'.repeat(5000)]],
    ['file', ['invoice-12.pdf', `%PDF ${'é'.repeat(300)}`]],
  ]);
  orders = made[0] as number[];
  files = made.slice(1) as string[];
}, 120_000);
afterAll(async () => {
  await site?.close();
  await sshd?.remove();
  await folder?.remove();
});

const subjects = [
  'Objednávka č. # je vyřízena',
  'Your order # is complete',
  'Příliš žluťoučký kůň úpěl ďábelské ódy, a to v objednávce # celý den i celou noc, až do rána bílého',
  '注文番号 # を発送しました。ありがとうございます、またのご利用をお待ちしております',
  'Order # 📦 &amp; invoice',
  'Order # = 50% off? "yes"_no',
];
const bodies = [
  '<p>Děkujeme za objednávku č. #.</p>\n<p>It is on its way – Größe 🙂</p>',
  '<p>Thank you for order #.</p>',
  `<table style="${'color: #333; '.repeat(120)}"><tr><td>Objednávka č. #</td></tr></table>`,
  '.a line that begins with a dot\n..and one with two in order #',
];
const headers = [
  '',
  'Cc: kopie@example.test, Druhá Osoba <druha@example.test>\r\nBcc: archiv@example.test\r\n',
  'X-Order: č. #\r\nList-Unsubscribe: <https://shop.example/u?a=1&b=2>, <mailto:u@shop.example>\r\n',
  'Reply-to: Karel Novák <karel@customer.example>\r\n',
];
/** Mail number `at`: no two of the hundred are of one kind. */
function mailOf(at: number): object {
  const fill = (texts: readonly string[], turn: number) =>
    (texts[turn % texts.length] ?? '').replaceAll('#', String(at));
  return {
    order: orders[at],
    type: ['html', 'plain', 'multipart'][at % 3],
    to:
      at % 10 === 9
        ? `Zákazník č. ${at} <customer-${at}@Example.Test>, second-${at}@example.test`
        : `customer-${at}@example.test`,
    subject: fill(subjects, at),
    body: fill(bodies, Math.floor(at / 3)),
    headers: fill(headers, Math.floor(at / 2)),
    attachments: at % 5 === 0 ? files : at % 7 === 0 ? files.slice(1) : [],
  };
}

/** Which of the hundred a mail is, by its first recipient. */
const numberOf = (to: readonly string[]) => Number(/^customer-(\d+)@/.exec(to[0] ?? '')?.[1]);

it('a hundred mails arrive as wp_mail() itself had sent them, and a hundred notes tell of it', async () => {
  const all: Step = ['mails', Array.from({ length: 100 }, (_, at) => mailOf(at))];
  await site.reset();
  await site.db.run(`UPDATE wp_studiou_wcmq_settings SET value = '"disabled"' WHERE name = 'state'`);
  await site.run([all]);
  const direct = new Map(site.smtp.mails.map((mail) => [numberOf(mail.to), mail]));
  expect(direct.size).toBe(100);
  expect(await site.rows()).toEqual([]);

  await site.reset();
  await site.consoleSeen(null);
  await site.db.run('DELETE FROM wp_comments');
  const config = await folder.file('shop.json', {
    name: 'Shop',
    database: { ...site.database, password: fromEnv('DB_PASSWORD') },
    ssh: sshd.login(),
    files: { root: site.filesRoot, via: 'sftp' },
    smtp: { host: '127.0.0.1', port: site.smtp.port, security: 'none', connections: 3 },
    from: 'Studio Ú <obchod@studiou.example>',
    uncapped: true,
  });
  const env = { DB_PASSWORD: site.database.password ?? '' };
  const common = ['--config', config, '--state', `${folder.path}/state`];
  const schema = await runCli(['schema', ...common], { env });
  expect([schema.code, schema.stderr]).toEqual([0, expect.any(String)]);
  const drain = startCli(['drain', ...common], { env });
  try {
    const able = () =>
      site.db.query('SELECT 1 FROM wp_studiou_wcmq_consoles WHERE able_at > UNIX_TIMESTAMP() - 60');
    await expect.poll(able, { timeout: 20_000 }).not.toEqual([]);
    const [answers] = await site.run([all]);
    expect(answers).toEqual(Array.from({ length: 100 }, () => true));
    await site.smtp.waitForMails(100, 40_000);
    await expect
      .poll(async () => (await site.rows()).filter((row) => row['state'] === 'sent').length, {
        timeout: 20_000,
      })
      .toBe(100);
  } finally {
    drain.child.kill('SIGTERM');
    await drain.ended;
  }

  const queued = new Map(site.smtp.mails.map((mail) => [numberOf(mail.to), mail]));
  expect(site.smtp.mails).toHaveLength(100);
  for (let at = 0; at < 100; at++) {
    const [theirs, ours] = [direct.get(at), queued.get(at)];
    if (!theirs || !ours) throw new Error(`mail ${at} did not arrive`);
    expect(comparable(ours.raw), `mail ${at}`).toBe(comparable(theirs.raw));
    expect([ours.from, ours.to], `envelope ${at}`).toEqual([theirs.from, theirs.to]);
  }

  await site.run([['tick']]);
  const notes = await site.db.query(
    "SELECT comment_post_ID AS id, comment_content AS text FROM wp_comments WHERE comment_type = 'order_note' ORDER BY id",
  );
  expect(notes).toEqual(orders.map((id) => ({ id, text: 'Email "Completed order" sent.' })));
  expect(site.wooLog().map(({ message }) => message)).toEqual(
    Array.from({ length: 100 }, () => 'Email customer_completed_order sent'),
  );
  // what the console has sent is not kept on the shop
  expect(site.folders()).toEqual([]);
}, 180_000);
