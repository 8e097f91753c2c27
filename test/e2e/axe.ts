import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe has against the page as it stands, each with the elements that it means. The page's own CSP refuses scripts that are
 * not its own: this one comes in by the debugger's door.
 */
export async function violations(page: Page): Promise<string[]> {
  // what is still fading in or out has no colours to measure
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.waitForTimeout(400);
  await page.evaluate(source);
  const { violations: found } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help} (${node.target.join(' ')}) ${node.failureSummary ?? ''}`),
  );
}

/** The same in the dark and in the light, with the mouse out of the way: a tooltip is part of no landmark. */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  await page.mouse.move(2, 400);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violations(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return found;
}
