/** What a person does with a window: keys alone, and eyes that see well, badly, by day and by night. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { faultsInBothThemes, violations } from './axe.ts';
import { cutOff } from './cut-off.ts';
import type { RunningApp } from './support.ts';

export function personAt(app: () => RunningApp) {
  const page = () => app().page;
  const heading = (name: string) => page().getByRole('heading', { level: 1, name, exact: true });
  const hasFocus = (where: Locator) => where.evaluate((element) => element === document.activeElement);

  /** With the Tab key alone, from wherever the focus is. */
  async function reach(where: Locator): Promise<void> {
    await where.waitFor();
    for (let tabs = 0; tabs < 90; tabs += 1) {
      if (await hasFocus(where)) return;
      await page().keyboard.press('Tab');
    }
    throw new Error(`The Tab key does not reach ${String(where)}`);
  }
  async function press(where: Locator): Promise<void> {
    await reach(where);
    await page().keyboard.press('Enter');
  }
  async function type(where: Locator, text: string): Promise<void> {
    await reach(where);
    await page().keyboard.press('Control+A');
    await page().keyboard.press('Delete');
    await page().keyboard.type(text);
  }
  /** A step is on screen once its heading is, and has the focus. */
  async function arriveAt(name: string): Promise<void> {
    await heading(name).waitFor({ timeout: 60_000 });
    await expect.poll(() => hasFocus(heading(name))).toBe(true);
  }
  const zoom = (factor: number) =>
    app().app.evaluate(
      ({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(to),
      factor,
    );

  /** Axe in both themes, nothing cut off at 100 % and 200 %; pictures where POSTROOM_SHOTS names a folder for them. */
  async function looksRight(name: string): Promise<void> {
    expect(await faultsInBothThemes(page()), name).toEqual([]);
    expect(await page().evaluate(cutOff), name).toEqual([]);
    await shoot(name);
    await zoom(2);
    await page().waitForTimeout(300);
    expect(await violations(page()), `${name} at 200 %`).toEqual([]);
    expect(await page().evaluate(cutOff), `${name} at 200 %`).toEqual([]);
    await shootLarge(`${name}-200`);
    await zoom(1);
  }
  async function shoot(name: string): Promise<void> {
    const folder = process.env['POSTROOM_SHOTS'];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page().emulateMedia({ colorScheme });
      await page().waitForTimeout(300);
      await page().screenshot({ path: path.join(folder, `first-${name}-${colorScheme}.png`) });
    }
    await page().emulateMedia({ colorScheme: 'light' });
  }
  /** Of a zoomed window Playwright takes a quarter alone; the window itself sees all of it. */
  async function shootLarge(name: string): Promise<void> {
    const folder = process.env['POSTROOM_SHOTS'];
    if (!folder) return;
    const taken = await app().app.evaluate(async ({ BrowserWindow }) =>
      (await BrowserWindow.getAllWindows()[0]?.webContents.capturePage())?.toPNG().toString('base64'),
    );
    if (taken) writeFileSync(path.join(folder, `first-${name}.png`), Buffer.from(taken, 'base64'));
  }

  return { reach, press, type, arriveAt, looksRight, shoot };
}
