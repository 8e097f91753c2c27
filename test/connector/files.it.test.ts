/** The files of a mail, and the shop's own database: what a mail shares with the request that makes it. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readMail } from '../../src-main/mail/compose.ts';
import { arrivedAt, mail, makeSite, order, type Site, type Step, sender } from './kit.ts';

let site: Site;
beforeAll(async () => {
  site = await makeSite();
  await site.run([]);
});
beforeEach(() => site.reset());
afterAll(() => site?.close());

const arrived = () => arrivedAt(site);

describe('attachments', () => {
  it('are copied before the row is there, and the original may go', async () => {
    await site.run([['mail_with_passing_file', { ...order, file: ['Faktura č. 7.pdf', 'the invoice'] }]]);
    const [row] = await site.rows();
    const [payload] = await site.payloads();
    const token = String(row?.['attachment_dir']);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(payload?.['attachments']).toEqual([
      {
        name: 'Faktura č. 7.pdf',
        file: `${token}/1.dat`,
        size: 11,
        sha256: createHash('sha256').update('the invoice').digest('hex'),
      },
    ]);
    expect(readFileSync(path.join(site.filesRoot, token, '1.dat'), 'utf8')).toBe('the invoice');
    expect(
      readMail({ payload: String(row?.['payload']), sender, attachmentDir: token, deliveredTo: [] }),
    ).toMatchObject({
      ok: true,
    });
  });

  it('of the same name in two orders are two files', async () => {
    const one = (content: string): Step => [
      'mail_with_passing_file',
      { ...order, file: ['invoice.pdf', content] },
    ];
    await site.run([one('of Anna'), one('of Bob')]);
    const contents = (await site.payloads()).map(({ attachments }) =>
      readFileSync(path.join(site.filesRoot, (attachments as { file: string }[])[0]?.file ?? ''), 'utf8'),
    );
    expect(contents).toEqual(['of Anna', 'of Bob']);
    expect(new Set(site.folders()).size).toBe(2);
  });

  it('stand where no browser gets at them and nothing runs', async () => {
    await site.run([['mail_with_passing_file', { ...order, file: ['evil.php', '<?php echo 1;'] }]]);
    expect(readFileSync(path.join(site.filesRoot, '.htaccess'), 'utf8')).toContain('Require all denied');
    expect(existsSync(path.join(site.filesRoot, 'index.php'))).toBe(true);
    expect(readdirSync(path.join(site.filesRoot, site.folders()[0] ?? ''))).toEqual(['1.dat']);
    expect(await site.payloads()).toMatchObject([{ attachments: [{ name: 'evil.php' }] }]);
  });

  it('that are shown in the text go with their Content-ID', async () => {
    await site.run([['circumstance', 'embeds'], mail()]);
    const [row] = await site.rows();
    expect(await site.payloads()).toMatchObject([
      { embeds: [{ name: 'logo.png', cid: 'logo', size: 3, file: `${row?.['attachment_dir']}/1.dat` }] },
    ]);
  });

  it.each(['/nowhere/invoice.pdf', 'phar://x.phar/a.pdf', 'https://shop.example/a.pdf', '/etc'])(
    'that cannot be read let the mail leave: %s',
    async (file) => {
      await site.run([mail({ attachments: [file] })]);
      expect(await site.rows()).toEqual([]);
      expect(arrived()).toEqual(['anna@customer.example']);
      expect((await site.queueLog())[0]).toMatch(/leaves directly: its attachment .* cannot be read/);
    },
  );

  it('leave nothing behind when one of them or the INSERT fails', async () => {
    const [good] = (await site.run([['file', ['good.pdf', 'x']]])) as [string];
    await site.run([mail({ attachments: [good, '/nowhere'] })]);
    expect(site.folders()).toEqual([]);
    await site.run([
      ['sql', 'RENAME TABLE wp_studiou_wcmq_queue TO wp_aside'],
      mail({ attachments: [good] }),
      ['sql', 'RENAME TABLE wp_aside TO wp_studiou_wcmq_queue'],
    ]);
    expect(site.folders()).toEqual([]);
    expect(arrived()).toHaveLength(2);
  });

  it('that cannot be copied let the mail leave', async () => {
    const [good] = (await site.run([['file', ['good.pdf', 'x']]])) as [string];
    // a file where the folder should be stops root, too
    mkdirSync(path.dirname(site.filesRoot), { recursive: true });
    writeFileSync(site.filesRoot, '');
    chmodSync(site.filesRoot, 0o400);
    await site.run([mail({ attachments: [good] })]);
    rmSync(site.filesRoot);
    expect(await site.rows()).toEqual([]);
    expect(arrived()).toHaveLength(1);
  });
});

describe('the shop\u2019s database', () => {
  it('takes the mail along when it rolls back: an order that never was mails nobody', async () => {
    expect(await site.run([['sql', 'START TRANSACTION'], mail(), ['sql', 'ROLLBACK'], mail()])).toEqual([
      0,
      true,
      0,
      true,
    ]);
    expect(await site.rows()).toHaveLength(1);
    expect(arrived()).toEqual([]);
  });

  it('keeps a transaction open over a mail: nothing of ours commits', async () => {
    await site.run([
      ['sql', 'START TRANSACTION'],
      [
        'sql',
        "INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('in_the_order', '1', 'no')",
      ],
      mail(),
      mail({ id: 'new_order' }),
      ['sql', 'ROLLBACK'],
    ]);
    expect(await site.db.query("SELECT * FROM wp_options WHERE option_name = 'in_the_order'")).toEqual([]);
    expect(await site.rows()).toEqual([]);
  });

  it('has each mail once after four processes have queued at the same time', async () => {
    const many: Step = ['mails', Array.from({ length: 25 }, (_, at) => ({ order: at + 1 }))];
    await Promise.all([1, 2, 3, 4].map(() => site.run([many])));
    const rows = await site.rows();
    expect(rows).toHaveLength(100);
    for (let at = 1; at <= 25; at++) expect(rows.filter((row) => row['order_id'] === at)).toHaveLength(4);
    expect(arrived()).toEqual([]);
  });
});
