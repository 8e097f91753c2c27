/** The page, the notices and the commands of a shop with the connector. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeSite, type Site, type Step } from './kit.ts';

let site: Site;
beforeAll(async () => {
  site = await makeSite();
  await site.run([]);
});
beforeEach(() => site.reset());
afterAll(() => site?.close());

const inAdmin = (env: Record<string, string> = {}) => ({ define: { WP_ADMIN: true }, env });
const look = async (step: string, user: string, before: Step[] = [], env: Record<string, string> = {}) =>
  String((await site.run([...before, ['as_user', user], ['admin_init'], [step]], inAdmin(env))).at(-1));
const state = async () =>
  (await site.db.query("SELECT value FROM wp_studiou_wcmq_settings WHERE name = 'state'"))[0]?.['value'];
const wait = (count: number) => site.run([['mails', Array.from({ length: count }, () => ({ order: 7 }))]]);

describe('notices', () => {
  it('none when all is well', async () => {
    await wait(1);
    expect(await look('notices', 'manager')).toBe('');
  });

  it.each([
    [1, '1 mail waits for a Postroom console'],
    [2, '2 mails wait for a Postroom console'],
  ])('%d waiting and no console for half an hour', async (count, words) => {
    await wait(count);
    await site.consoleSeen(1790);
    expect(await look('notices', 'manager')).toBe('');
    await site.consoleSeen(1801);
    const html = await look('notices', 'manager');
    expect(html).toContain(words);
    expect(html).toContain('New mail leaves the shop directly meanwhile.');
    expect(html).toMatch(/^<div class="notice notice-error">.*page=postroom.*<\/div>$/s);
    await site.consoleSeen(null);
    expect(await look('notices', 'manager')).toContain(words);
    // and it is nobody's business who does not manage the shop
    expect(await look('notices', 'karel')).toBe('');
  });

  it('a wp_mail() of somebody else, and WooCommerce\u2019s own deferring, while the queue is enabled', async () => {
    const foreign = { SHOP_FOREIGN_MAIL: 'yes' };
    expect(await look('notices', 'manager', [], foreign)).toContain(
      'replaced WordPress&#039;s function for sending mail',
    );
    const html = await look('notices', 'manager', [['circumstance', 'deferred']]);
    expect(html).toContain('&quot;Deferred emails&quot; are on');
    expect(html).toContain('page=wc-settings&#038;tab=advanced');
    await site.db.run(`UPDATE wp_studiou_wcmq_settings SET value = '"disabled"' WHERE name = 'state'`);
    expect(await look('notices', 'manager', [['circumstance', 'deferred']], foreign)).toBe('');
  });
});

describe('the page', () => {
  it('shows how things stand, whatever a console is called', async () => {
    await wait(3);
    const html = await look('page', 'manager');
    expect(html).toContain('Enabled: mail goes into the queue');
    expect(html).toMatch(/Waiting<\/th><td>3<\/td>/);
    expect(html).toMatch(/Office &lt;PC&gt;, last seen \d+ \w+ ago<\/td>/);
    expect(html).toMatch(/name="_wpnonce" value="[0-9a-f]{10}"/);
    await site.consoleSeen(1000);
    expect(await look('page', 'manager')).toContain('not able to send, so new mail leaves directly');
  });

  it('is not there for others', async () => {
    expect(await look('page', 'karel')).toBe('');
    expect(await look('page', '')).toBe('');
  });

  it('says when the tables cannot be read', async () => {
    await site.db.run('RENAME TABLE wp_studiou_wcmq_consoles TO wp_aside');
    try {
      expect(await look('page', 'manager')).toContain('tables cannot be read, so all mail leaves directly');
      expect(await look('notices', 'manager')).toBe('');
    } finally {
      await site.db.run('RENAME TABLE wp_aside TO wp_studiou_wcmq_consoles');
    }
  });

  it('has a button that disables the queue: by whom, and with whose nonce', async () => {
    await wait(1);
    const press = async (user: string, nonce: unknown) =>
      String(
        (
          await site.run(
            [
              ['as_user', user],
              ['press_disable', nonce],
            ],
            inAdmin(),
          )
        ).at(-1),
      );
    expect(await press('karel', true)).toBe('died: You may not do this.');
    expect(await press('manager', 'forged')).toMatch(/^died: /);
    expect(await state()).toBe('"enabled"');
    expect(await press('manager', true)).toMatch(/^redirected: .*page=postroom$/);
    // one waits: the console sends it and then disables the queue
    expect(await state()).toBe('"draining"');
    const html = await look('page', 'manager');
    expect(html).toContain('Draining: new mail leaves directly');
    expect(html).not.toContain('<button');
    await site.reset();
    await press('manager', true);
    expect(await state()).toBe('"disabled"');
  });

  it('speaks Czech, and so do the notes: in the shop\u2019s language, whoever has opened the page', async () => {
    await site.run([['option', ['WPLANG', 'cs_CZ']]]);
    try {
      const html = await look('page', 'manager');
      expect(html).toContain('Zapnuto: pošta jde do fronty');
      expect(html).not.toMatch(/Waiting|Failed|Console|Disable|last seen/);
      const [[order]] = (await site.run([['orders', 1]])) as [number[]];
      await site.run([['mail', { order }]]);
      await site.db.run("UPDATE wp_studiou_wcmq_queue SET state = 'sent', sent_at = 1");
      await site.run([['tick']]);
      expect(await site.run([['notes', order]])).toMatchObject([
        [{ text: 'E-mail „Completed order“ byl odeslán.' }],
      ]);
    } finally {
      await site.run([['option', ['WPLANG', '']]]);
    }
  });
});

describe('wp postroom', () => {
  const cli = (...steps: unknown[]) =>
    site.run(
      steps.map((one): Step => ['cli', one]),
      { wpCli: true },
    );

  it('status', async () => {
    await wait(2);
    const [words, json] = (await cli(['status'], ['status', { format: 'json' }])) as [string[][], string[][]];
    expect(words).toContainEqual(['line', 'state: enabled']);
    expect(words).toContainEqual(['line', 'waiting: 2']);
    expect(JSON.parse(json[0]?.[1] ?? '')).toMatchObject({
      state: 'enabled',
      waiting: 2,
      failed: 0,
      console: 'Office <PC>',
      console_able: true,
      wp_mail_foreign: false,
    });
  });

  it('disable and enable, from whatever was there', async () => {
    await wait(1);
    expect(await cli(['disable'], ['enable'])).toEqual([
      [['success', 'The queue is draining.']],
      [['success', 'The queue is enabled.']],
    ]);
    await site.reset();
    await site.db.run("DELETE FROM wp_studiou_wcmq_settings WHERE name = 'state'");
    expect(await cli(['status', { format: 'json' }], ['enable'], ['disable'])).toMatchObject([
      [['line', expect.stringContaining('"state":"disabled"')]],
      [['success', 'The queue is enabled.']],
      [['success', 'The queue is disabled.']],
    ]);
  });
});
