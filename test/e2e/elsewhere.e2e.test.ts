/** What others do to the same shop: the window shows it within 2 s, and says who it is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCli, type Folder, makeFolder, type Running, runCli, startCli } from '../cli/kit.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { connectShop } from './connected.ts';
import { launch, type RunningApp } from './support.ts';

/** ms: what was promised (2 s), and as much again for a machine that runs a browser, a database and a second console */
const soon = { timeout: 4_000 };

let shop: TestShop;
let sshd: SshServer;
let folder: Folder;
let running: RunningApp;
let common: string[];
let other: Running | undefined;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const banner = () => page().getByRole('region', { name: 'State of the shop' });
const cli = async (...args: string[]) => {
  const ran = await runCli([...args, ...common]);
  expect(ran.code, ran.stderr).toBe(0);
};
const put = async (name: string) => {
  const to = `${name}@customer.example`;
  await shop.insert({ recipient: to, subject: name, payload: planPayload({ to, subject: name }) });
};

beforeAll(async () => {
  await builtCli();
  sshd = await startSshd();
  shop = await makeShop({ settings: { rate_per_minute: 30 } });
  folder = await makeFolder();
  const config = await folder.file('shop.json', {
    name: 'Studio U',
    database: shop.database,
    files: { root: shop.filesRoot, via: 'local' },
    smtp: { host: '127.0.0.1', port: shop.smtp.port, security: 'none' },
    from: 'Studio U <shop@shop.example>',
  });
  common = ['--config', config, '--state', `${folder.path}/state`];
  running = await launch();
  await connectShop(page(), shop, sshd);
  await page().mouse.move(2, 400); // a list under the mouse stands still
});

afterAll(async () => {
  other?.child.kill('SIGTERM');
  await other?.ended;
  await shop?.db.run('DELETE FROM wp_studiou_wcmq_queue');
  await page()?.waitForTimeout(2_500);
  await running?.close();
  await shop?.close();
  await sshd?.remove();
  await folder?.remove();
});

describe('what another console does', () => {
  it('to the state is shown', async () => {
    await cli('enable');
    await banner().getByText('Enabled', { exact: true }).waitFor(soon);
    await cli('pause', '--minutes', '30', '--reason', 'The host moves');
    await banner()
      .getByText(/Paused until .* · The host moves/)
      .waitFor(soon);
    await cli('resume');
    await banner()
      .getByText(/Paused until/)
      .waitFor({ ...soon, state: 'hidden' });
  });

  it('to the rows is shown: a mail that the shop writes, and one that is deleted', async () => {
    await cli('pause', '--minutes', '30');
    await put('karel');
    const row = page().getByRole('grid', { name: 'Mails' }).getByRole('row').filter({ hasText: 'karel' });
    await row.waitFor(soon);
    const [stored] = await shop.rows("subject = 'karel'");
    await cli('delete', String(stored?.['id']));
    await row.waitFor({ ...soon, state: 'hidden' });
    await cli('resume');
  });

  it('when it drains is said: by its name, that both share the limit, and each can be told to wait', async () => {
    other = startCli(['drain', ...common]);
    await banner()
      .getByText(/drains this shop since .* Both share the limit\./)
      .waitFor({ timeout: 75_000 }); // its heartbeat is written each minute
    await button('Take over').click();
    await banner().getByText('this computer drains alone', { exact: false }).waitFor();
    for (const name of ['lenka', 'milan', 'nora']) await put(name);
    await expect.poll(() => shop.smtp.mails.length, { timeout: 30_000 }).toBe(3);
    // every one of them was sent from here
    const consoles = await shop.db.query<{ id: string }>(
      `SELECT DISTINCT a.console_id AS id FROM wp_studiou_wcmq_attempts a WHERE a.outcome = 'sent'`,
    );
    expect(consoles).toHaveLength(1);
    await button('Drain together').click();
    await banner()
      .getByText(/Both share the limit\./)
      .waitFor();
  });
});
