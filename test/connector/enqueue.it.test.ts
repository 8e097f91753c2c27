/** What becomes of each mail of a shop: a row, or what it would have been without the connector. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readMail } from '../../src-main/mail/compose.ts';
import { arrivedAt, mail, makeSite, type Site, type Step, sender } from './kit.ts';

let site: Site;
beforeAll(async () => {
  site = await makeSite();
  await site.run([]);
});
beforeEach(() => site.reset());
afterAll(() => site?.close());

const arrived = () => arrivedAt(site);

describe('a mail of a handled type', () => {
  it('becomes a row that needs nothing of the shop any more', async () => {
    await site.reset({ priorities: { customer_completed_order: 3 } });
    expect(await site.run([mail({ headers: 'Cc: kopie@example.test\r\nX-Shop: Ú\r\n' })])).toEqual([true]);
    expect(arrived()).toEqual([]);
    const [row] = await site.rows();
    const now = Number((await site.db.query('SELECT UNIX_TIMESTAMP() AS now'))[0]?.['now']);
    expect(row).toMatchObject({
      context: 'customer_completed_order',
      title: 'Completed order',
      order_id: 7,
      recipient: 'anna@customer.example',
      subject: 'Objednávka č. 7 & faktura',
      attachment_dir: null,
      priority: 3,
      state: 'pending',
      attempts: 0,
      notified_at: null,
    });
    expect(row?.['scheduled_at']).toBe(row?.['created_at']);
    expect(Math.abs(now - Number(row?.['created_at']))).toBeLessThan(30);
    const [payload] = await site.payloads();
    expect(payload).toMatchObject({
      to: 'anna@customer.example',
      subject: 'Objednávka č. 7 & faktura',
      // verbatim
      headers:
        'Content-Type: text/html\r\nReply-to: Studio Ú eshop <obchod@studiou.example>\r\nCc: kopie@example.test\r\nX-Shop: Ú\r\n',
      attachments: [],
      from: 'obchod@studiou.example',
      from_name: 'Studio Ú <eshop>',
      content_type: 'text/html',
      charset: 'UTF-8',
      order_url: 'https://www.shop.example/wp-admin/post.php?post=7&action=edit',
    });
    expect(payload?.['message']).toContain('Děkujeme za objednávku č. 7.');
    expect(payload).not.toHaveProperty('alt');
    expect(
      readMail({ payload: String(row?.['payload']), sender, attachmentDir: null, deliveredTo: [] }).ok,
    ).toBe(true);
  });

  it('of multipart takes its text part along, and the next mail to anyone has nothing of it', async () => {
    const body = '<p>secret of Anna</p>';
    await site.run([
      mail({ type: 'multipart', body }),
      ['plain', ['bob@other.example', 'Hello', 'for Bob alone']],
    ]);
    const [payload] = await site.payloads();
    expect(payload).toMatchObject({
      content_type: 'multipart/alternative',
      alt: expect.stringContaining('secret of Anna'),
    });
    expect(payload?.['alt']).not.toContain('<');
    expect(arrived()).toEqual(['bob@other.example']);
    const raw = site.smtp.mails[0]?.raw.toString() ?? '';
    expect(raw).toContain('for Bob alone');
    expect(raw).not.toMatch(/secret|multipart/);
  });

  it('of multipart that leaves after all has its text part as ever', async () => {
    await site.run([
      ['sql', 'RENAME TABLE wp_studiou_wcmq_queue TO wp_aside'],
      mail({ type: 'multipart', body: '<p>both parts</p>' }),
      ['sql', 'RENAME TABLE wp_aside TO wp_studiou_wcmq_queue'],
    ]);
    const raw = site.smtp.mails[0]?.raw.toString() ?? '';
    expect(raw).toContain('multipart/alternative');
    expect(raw.match(/both parts/g)).toHaveLength(2);
  });

  it('of plain text keeps its type', async () => {
    await site.run([mail({ type: 'plain' })]);
    expect(await site.payloads()).toMatchObject([{ content_type: 'text/plain' }]);
  });

  it('holds what wp_mail filters have made of it', async () => {
    await site.run([['circumstance', 'footer'], mail()]);
    expect((await site.payloads())[0]?.['message']).toMatch(/<p>footer<\/p>$/);
  });

  it('reaches whom wp_mail() would have reached: what is no address of a list is left out', async () => {
    await site.run([
      mail({ to: 'Karel <karel@customer.example>, nobody, sklad@studiou.example,karel@customer.example' }),
      mail({ to: ['a@x.test', 'b@y.test'] }),
    ]);
    expect((await site.payloads()).map(({ to }) => to)).toEqual([
      ['Karel <karel@customer.example>', 'sklad@studiou.example'],
      ['a@x.test', 'b@y.test'],
    ]);
  });

  it('to nobody at all fails as ever', async () => {
    expect(await site.run([mail({ to: 'nobody' })])).toEqual([false]);
    expect(await site.rows()).toEqual([]);
  });

  it('to twelve long addresses has them all, though the list column is cut', async () => {
    const to = Array.from(
      { length: 12 },
      (_, at) => `${'long.name.'.repeat(5)}${at}@customer-of-the-shop.example`,
    );
    await site.run([mail({ to: to.join(', ') })]);
    const [row] = await site.rows();
    expect(String(row?.['recipient'])).toHaveLength(320);
    expect((await site.payloads())[0]?.['to']).toBe(to.join(', '));
  });

  it('with invalid UTF-8 in subject and message is queued with a replacement character', async () => {
    const hex = Buffer.concat([
      Buffer.from('Order \u{1f4e6} '),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from(' x\r\ny'),
    ]).toString('hex');
    expect(await site.run([mail({ subject_hex: hex, body_hex: 'ff' })])).toEqual([true]);
    const [row] = await site.rows();
    expect(row?.['subject']).toBe('Order 📦 \ufffd(\ufffd x y');
    expect((await site.payloads())[0]?.['message']).toMatch(/\ufffd$/);
  });

  it('arrives whole over a connection that speaks latin1', async () => {
    await site.run([mail({ subject: 'Příliš 📦' })], { env: { SHOP_CHARSET: 'latin1' } });
    expect(await site.rows()).toMatchObject([{ subject: 'Příliš 📦' }]);
    expect((await site.payloads())[0]?.['subject']).toBe('Příliš 📦');
  });

  it('of a part of the money has an id of its own, which is handled for itself', async () => {
    await site.reset({ handled_contexts: ['customer_partially_refunded_order'] });
    await site.run([
      mail({ id: 'customer_partially_refunded_order', title: 'Partially refunded order' }),
      mail({ id: 'customer_refunded_order' }),
    ]);
    expect(await site.rows()).toMatchObject([
      { context: 'customer_partially_refunded_order', title: 'Partially refunded order' },
    ]);
    expect(arrived()).toHaveLength(1);
  });
});

describe('leaves as ever', () => {
  const leaves = async (steps: Step[], settings: Record<string, unknown> | null = null) => {
    if (settings) await site.reset(settings);
    const answers = await site.run(steps);
    expect(await site.rows()).toEqual([]);
    expect(site.folders()).toEqual([]);
    return answers.at(-1);
  };

  it('WordPress\u2019s own password reset', async () => {
    expect(await leaves([['reset_password']])).toBe(true);
    expect(arrived()).toEqual(['karel@customer.example']);
  });

  it('a stock mail and whatever else comes without WooCommerce\u2019s mail object', async () => {
    await leaves([['plain', ['stock@shop.example', 'Low stock', 'x']]]);
    expect(arrived()).toEqual(['stock@shop.example']);
  });

  it('a type that is not handled, and an empty list of types', async () => {
    await leaves([mail({ id: 'customer_reset_password' })]);
    await leaves([mail()], { handled_contexts: [] });
    expect(arrived()).toHaveLength(1);
  });

  it('WooCommerce\u2019s test mail: about an order or a person of the id 0, or in a preview', async () => {
    await site.reset({ handled_contexts: ['customer_completed_order', 'customer_new_account'] });
    await leaves([
      mail({ order: 0 }),
      mail({ id: 'customer_new_account', user: 0 }),
      ['circumstance', 'preview'],
      mail(),
    ]);
    expect(arrived()).toHaveLength(3);
  });

  it.each(['"disabled"', '"draining"', '"nonsense"', 'null', '7'])(
    'everything in the state %s',
    async (state) => {
      await site.db.run("UPDATE wp_studiou_wcmq_settings SET value = ? WHERE name = 'state'", [state]);
      await leaves([mail()]);
      expect(arrived()).toHaveLength(1);
    },
  );

  it.each([
    ['no console ever came', null, {}],
    ['the console is away for longer than its timeout', 901, {}],
    ['the console is paused: it is seen, but was not able to send', 120, { console_timeout: 60 }],
  ])('everything when %s', async (_, ago, settings) => {
    await site.reset(settings);
    await site.consoleSeen(ago);
    await leaves([mail()]);
    expect(arrived()).toHaveLength(1);
  });

  it('and is queued again with a console that is away for less than that', async () => {
    await site.consoleSeen(880);
    await site.run([mail()]);
    expect(await site.rows()).toHaveLength(1);
  });

  it('a mail whose recipient or subject a filter changed, and a line says which', async () => {
    await leaves([['circumstance', 'redirect'], mail()]);
    expect(arrived()).toEqual(['staging@shop.example']);
    await leaves([['circumstance', 'retitle'], ['circumstance', 'redirect'], mail()]);
    expect(await site.queueLog()).toEqual([
      expect.stringMatching(/customer_completed_order was not queued: .* changed its recipient \(/),
      expect.stringMatching(
        /customer_completed_order was not queued: .* changed its recipient and its subject \(/,
      ),
    ]);
    expect(site.wooLog().filter(({ level }) => level === 'warning')).toHaveLength(2);
  });

  it('a mail that another mailer has sent or failed to send', async () => {
    expect(await leaves([['circumstance', 'sent-already'], mail()])).toBe(true);
    expect(await leaves([['circumstance', 'failed-already'], mail()])).toBe(false);
    expect(arrived()).toEqual([]);
  });

  it('the next mail after one that never came to wp_mail()', async () => {
    await leaves([['circumstance', 'own-mailer'], mail(), ['plain', ['x@other.example', 'Other', 'y']]]);
    expect(arrived()).toEqual(['x@other.example']);
  });

  it('the mail of a plugin whose title or sender throws', async () => {
    await leaves([['circumstance', 'throwing-title'], mail()]);
    await leaves([['circumstance', 'throwing-sender'], mail()]);
    expect(arrived()).toHaveLength(2);
    expect((await site.queueLog()).join('\n')).toMatch(/no title[\s\S]*a filter of senders/);
  });

  it('when the INSERT is refused', async () => {
    const answers = await site.run([
      ['sql', 'RENAME TABLE wp_studiou_wcmq_queue TO wp_aside'],
      mail(),
      ['sql', 'RENAME TABLE wp_aside TO wp_studiou_wcmq_queue'],
    ]);
    expect(answers[1]).toBe(true);
    expect(arrived()).toEqual(['anna@customer.example']);
    expect(await site.rows()).toEqual([]);
    expect(await site.queueLog()).toEqual([
      expect.stringContaining('leaves directly: the database refused its row'),
    ]);
    expect(site.wooLog().at(-1)?.message).toContain('WooCommerce: customer_completed_order sent');
  });

  it('when no table can be read', async () => {
    const renamed = (from: string, to: string): Step => ['sql', `RENAME TABLE ${from} TO ${to}`];
    await site.run([
      renamed('wp_studiou_wcmq_settings', 'wp_aside'),
      mail(),
      renamed('wp_aside', 'wp_studiou_wcmq_settings'),
    ]);
    expect(arrived()).toHaveLength(1);
  });

  it('a text in another charset, and an empty one', async () => {
    await leaves([mail({ type: 'plain', headers: 'Content-Type: text/plain; charset=ISO-8859-2\r\n' })]);
    expect(await site.queueLog()).toEqual([expect.stringContaining('it is in ISO-8859-2')]);
    expect(arrived()).toHaveLength(1);
  });
});
