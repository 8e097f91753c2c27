/** The app as people get it: packed, with its fuses set, from another place than the sources. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { launch, root } from './support.ts';

/** Made by `npm run package -- --test-variant`: as the real one, but a test may attach to it. */
const executable =
  process.env['POSTROOM_PACKAGED'] || path.join(root, 'dist', 'test', 'linux-unpacked', 'postroom');

describe('the packaged app', () => {
  it('is there to be tested', () => {
    expect(existsSync(executable), `${executable}: run "npm run package -- --test-variant" first`).toBe(true);
  });

  it('welcomes a new person, and drains the demo shop', async () => {
    const running = await launch({ executable });
    try {
      const { page, app } = running;
      await page.getByRole('heading', { name: 'Welcome to Postroom' }).waitFor();
      expect(await app.evaluate(({ app: main }) => main.isPackaged)).toBe(true);
      await page.getByRole('button', { name: /Look around with a demo shop/ }).click();
      await page.getByRole('button', { name: 'Enable', exact: true }).click();
      await page.getByRole('region', { name: 'State of the shop' }).getByText('Enabled').waitFor();
    } finally {
      await running.close();
    }
  });
});
