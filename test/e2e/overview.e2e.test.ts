/** The overview on the demo shop: its figures are those of the queue, and lead to the rows behind them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { launch, picture, type RunningApp } from './support.ts';

let running: RunningApp;
const page = () => running.page;
const region = (name: string) => page().getByRole('region', { name, exact: true });
const go = (name: string) => page().getByRole('navigation').getByRole('button', { name }).click();

beforeAll(async () => {
  running = await launch();
  await page()
    .getByRole('button', { name: /demo shop/ })
    .click();
  await page().getByRole('button', { name: 'Enable', exact: true }).click();
  await page()
    .getByText(/^[3-9] of 20$/)
    .waitFor({ timeout: 40_000 });
  await go('Overview');
});
afterAll(() => running?.close());

it('draws what was sent against the limit, also as a table', async () => {
  const history = region('What was sent');
  await history.getByText('At most 20 in any minute.').waitFor();
  const table = history.getByRole('table', { name: 'What was sent' });
  expect(await table.getByRole('row').count()).toBeGreaterThan(1);
  await history.getByText('14 days').click();
  await history.getByText('No limit of this length is set.').waitFor();
  await history.getByRole('listitem').getByText('Failed or in doubt').waitFor();
});

it('names who waits, and shows their mail', async () => {
  await page().getByRole('button', { name: 'Pause', exact: true }).click();
  await page().getByRole('menuitem', { name: 'For 15 minutes' }).click();
  const waits = region('Who waits').getByRole('row').nth(1);
  await waits.waitFor();
  const domain = (await waits.getByRole('button').textContent()) ?? '';
  expect(domain).toMatch(/^[a-z]+\.example$/);
  await picture(page(), 'overview');
  await waits.getByRole('button', { name: domain }).click();
  const rows = page().getByRole('row', { name: new RegExp(domain.replace('.', '\\.')) });
  await rows.first().waitFor();
});

it('shows a refusal of each kind, and the mail that it happened to', async () => {
  await go('Overview');
  const refused = region('What mail servers refused');
  await refused
    .getByText(/nobody of that name lives here/)
    .first()
    .waitFor();
  await refused.getByRole('button', { name: 'Show one' }).first().click();
  await page()
    .getByRole('dialog')
    .getByText(/nobody of that name lives here/)
    .first()
    .waitFor();
  await page().keyboard.press('Escape');
});

it('has nothing against it for those who cannot see or use a mouse, in both themes', async () => {
  await go('Overview');
  await region('What was sent').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page().emulateMedia({ colorScheme });
    expect(await violations(page())).toEqual([]);
  }
});
