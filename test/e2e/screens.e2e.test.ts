/** Every screen for those who cannot see well or use no mouse: axe in both themes, twice as large, words half as long again. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsInBothThemes, violations } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { launch, type RunningApp } from './support.ts';

let running: RunningApp;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const zoom = (factor: number) =>
  running.app.evaluate(
    ({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(to),
    factor,
  );
const go = (screen: string) =>
  page().getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: screen }).click();

const screens = ['Queue', 'Overview', 'What arrived', 'Log', 'Settings'];
const sections = ['Pace', 'Retries', 'Mail types', 'Keeping', 'Connection', 'Check', 'This computer'];

/** Runs in the page: gives what can be pressed longer words, as German or Finnish have them. */
function lengthen(): void {
  for (const element of document.querySelectorAll('button, [role=tab], label, dt, th, .pr-tab')) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.nodeValue ?? '';
      if (/\p{L}{3}/u.test(text) && !text.includes('·'))
        node.nodeValue = `${text}${'·ungen'.repeat(Math.ceil(text.length / 12))}`;
    }
  }
}

beforeAll(async () => {
  running = await launch();
  await button(/Look around with a demo shop/).click();
  await page().getByRole('region', { name: 'State of the shop' }).getByText('Disabled').waitFor();
  await go('What arrived');
  await button('Let the shop sell 10 orders').click();
  await button('Enable').click();
  await page()
    .getByRole('cell', { name: /@.*\.example/ })
    .first()
    .waitFor({ timeout: 30_000 });
});

afterAll(async () => {
  await running?.close();
});

const check = async (name: string) => {
  expect(await faultsInBothThemes(page()), name).toEqual([]);
  expect(await page().evaluate(cutOff), name).toEqual([]);
  await zoom(2);
  await page().waitForTimeout(300);
  expect(await violations(page()), `${name} at 200 %`).toEqual([]);
  expect(await page().evaluate(cutOff), `${name} at 200 %`).toEqual([]);
  await zoom(1);
};

describe.each(screens)('%s', (screen) => {
  it('has nothing against it in both themes, and at 200 %', async () => {
    await go(screen);
    await page().waitForTimeout(700);
    await check(screen);
  });
});

describe.each(sections)('the settings of %s', (section) => {
  it('have nothing against them in both themes, and at 200 %', async () => {
    await go('Settings');
    await page().getByRole('tab', { name: section }).click();
    await page().waitForTimeout(400);
    await check(section);
  });
});

describe('longer words', () => {
  it('push nothing out of its place', async () => {
    for (const screen of screens) {
      await go(screen);
      await page().waitForTimeout(500);
      await page().evaluate(lengthen);
      await page().waitForTimeout(100);
      expect(await page().evaluate(cutOff), screen).toEqual([]);
      await page().reload(); // the words as they were
      await page().getByRole('region', { name: 'State of the shop' }).getByText('Enabled').waitFor();
    }
  });
});

describe('by keyboard alone', () => {
  it('every part of the window is reached, and what has the focus can be seen', async () => {
    await go('Queue');
    await page().getByRole('grid', { name: 'Mails' }).getByRole('row').nth(1).waitFor();
    await page().evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const reached = new Set<string>();
    for (let i = 0; i < 60; i += 1) {
      await page().keyboard.press('Tab');
      const focused: Locator = page().locator(':focus');
      if ((await focused.count()) === 0) continue;
      const seen = await focused.evaluate((element) => {
        const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(element);
        const ringed =
          (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
        const field = element.matches('input') && borderColor !== '';
        // a switch or a segment shows the focus on what lies beside its hidden input
        return {
          name: element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? '',
          visible: ringed || field,
        };
      });
      reached.add(seen.name);
      expect(seen.visible, `focus on ${seen.name}`).toBe(true);
    }
    const all = [...reached].join('\n');
    for (const name of ['Settings', 'Pause', 'Disable', 'Filters', 'Select all loaded mails'])
      expect(all).toContain(name);
  });
});
