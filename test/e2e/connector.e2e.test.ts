/** The connector of a real WordPress, from the window: looked at, installed, changed by hand, replaced, removed with its tables. */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace } from '../../src-main/queue/place.ts';
import { applySchema } from '../../src-main/queue/schema.ts';
import { type ConnectorShop, makeConnectorShop } from '../support/connector-shop.ts';
import { faultsInBothThemes, violations } from './axe.ts';
import { fillForm } from './connected.ts';
import { launch, picture, type RunningApp } from './support.ts';

let shop: ConnectorShop;
let running: RunningApp;
const page = () => running.page;
const card = () => page().getByRole('region', { name: 'Connector in the shop' });
const button = (name: string) => card().getByRole('button', { name, exact: true });
const dialog = (title: string) => page().getByRole('dialog', { name: title });
const loads = () => shop.loads();
const file = () => path.join(shop.plugins, 'postroom-connector/class-mail.php');

beforeAll(async () => {
  shop = await makeConnectorShop();
  await applySchema(await openPlace(shop.site.db, 'wp_'));
  running = await launch();
  await fillForm(page(), shop.site, shop.sshd);
  const database = page().getByRole('group', { name: 'Database' });
  await database.getByRole('textbox', { name: /Folder of the attachments/ }).fill(shop.site.filesRoot);
  await page().getByRole('button', { name: 'Save and connect' }).click();
  await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page().getByRole('button', { name: 'Trust this server and connect' }).click();
  await page()
    .getByRole('region', { name: 'State of the shop' })
    .getByText('Disabled', { exact: true })
    .waitFor();
  await page().getByRole('tab', { name: 'Check' }).click();
});

afterAll(async () => {
  await running?.close();
  await shop?.close();
});

describe('the connector', () => {
  it('is looked at without being touched', async () => {
    await button('Look at the connector').click();
    await card().getByText('Not installed. This console brings version 0.1.0.').waitFor();
    await card().getByText(`In the folder ${shop.plugins}`).waitFor();
    expect(shop.there()).toEqual(['a-woocommerce.php']);
  });

  it('is installed after a question that says what is touched', async () => {
    await button('Install').click();
    const question = dialog('Install the connector?');
    await question.getByText(`are put into ${shop.plugins}. Nothing else of the shop is touched.`).waitFor();
    await question.getByRole('button', { name: 'Install' }).click();
    await card().getByText('Installed: version 0.1.0, as this console brings it.').waitFor();
    expect(await loads()).toBe(true);
    await button('Look at the connector').scrollIntoViewIfNeeded();
    await picture(page(), 'connector', { [shop.plugins]: '/home/shop/public_html/wp-content/mu-plugins' });
  });

  it('names what was changed by hand, and replaces it only when that is confirmed', async () => {
    appendFileSync(file(), '// ours\n');
    await button('Look at the connector').click();
    await card().getByText('postroom-connector/class-mail.php: changed by hand').waitFor();
    await button('Install again').click();
    const question = dialog('Install the connector?');
    await question.getByText('class-mail.php: changed by hand').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(readFileSync(file(), 'utf8')).toContain('// ours');
    await button('Install again').click();
    await question.getByRole('button', { name: 'Replace these files' }).click();
    await expect.poll(() => readFileSync(file(), 'utf8')).not.toContain('// ours');
    await card().getByText('changed by hand').waitFor({ state: 'hidden' });
  });

  it('is found fault with by nobody, in both themes and at 200 % in a small window', async () => {
    expect(await faultsInBothThemes(page())).toEqual([]);
    const show = (width: number, factor: number) =>
      running.app.evaluate(
        ({ BrowserWindow }, to) => {
          const [window] = BrowserWindow.getAllWindows();
          window?.setContentSize(to.width, 700);
          window?.webContents.setZoomFactor(to.factor);
        },
        { width, factor },
      );
    await show(1000, 2);
    await button('Remove with its tables').scrollIntoViewIfNeeded();
    expect(await violations(page())).toEqual([]);
    // nothing to press lies outside of the window
    const beyond = await card()
      .getByRole('button')
      .evaluateAll(
        (all) => all.filter((one) => one.getBoundingClientRect().right > window.innerWidth).length,
      );
    expect(beyond).toBe(0);
    await show(1240, 1);
  });

  it('goes with its tables only after both questions: which ones, and what of the mail that waits', async () => {
    await shop.site.db.run(
      `INSERT INTO wp_studiou_wcmq_queue (recipient, subject, payload, scheduled_at, created_at)
       VALUES ('eva@shop.example', 'Later', '{}', UNIX_TIMESTAMP() + 86400, UNIX_TIMESTAMP())`,
    );
    await button('Remove with its tables').click();
    const first = dialog('Remove the connector and the queue?');
    await first.getByText('wp_studiou_wcmq_queue, 1 row').waitFor();
    await first.getByRole('button', { name: 'Delete connector and tables' }).click();
    const second = dialog('1 mail would never leave');
    await second.getByRole('button', { name: 'Delete the waiting mail too' }).waitFor();
    expect(await loads()).toBe(true);
    await second.getByRole('button', { name: 'Delete the waiting mail too' }).click();
    await card().getByText('What stays in the shop:').waitFor();
    await card().getByText('Not installed. This console brings version 0.1.0.').waitFor();
    expect(shop.there()).toEqual(['a-woocommerce.php']);
    expect(await shop.site.db.query("SHOW TABLES LIKE 'wp_studiou%'")).toEqual([]);
    await card()
      .getByText(/WordPress’s cron event/)
      .waitFor();
  });
});
