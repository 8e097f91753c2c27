/** Once through the whole window as a Czech shop's manager has it: the desktop speaks Czech, and so does Postroom. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { faultsInBothThemes } from './axe.ts';
import { launch, picture, type RunningApp } from './support.ts';
import { untranslated } from './untranslated.ts';

let running: RunningApp;
const page = () => running.page;
const button = (name: string | RegExp) =>
  page().getByRole('button', { name, exact: typeof name === 'string' });
const banner = () => page().getByRole('region', { name: 'Stav obchodu' });
const rows = () =>
  page()
    .getByRole('grid', { name: 'E-maily' })
    .getByRole('row')
    .filter({ has: page().getByRole('checkbox', { name: /^Vybrat e-mail/ }) });
const go = (screen: string) =>
  page().getByRole('navigation', { name: 'Obrazovky' }).getByRole('button', { name: screen }).click();

beforeAll(async () => {
  running = await launch({ language: 'cs_CZ' });
});

afterAll(async () => {
  await running?.close();
});

// whatever a step has brought to the screen
afterEach(async () => {
  expect(await untranslated(page(), 'cs')).toEqual([]);
});

describe('in Czech', () => {
  it('a new person is welcomed', async () => {
    await page().getByRole('heading', { name: 'Vítejte v Postroomu' }).waitFor();
    expect(await page().evaluate(() => document.documentElement.lang)).toBe('cs');
    await picture(page(), 'cs-welcome');
  });

  it('the demo shop opens, sells and drains', async () => {
    await button(/Rozhlédnout se v ukázkovém obchodě/).click();
    await banner().getByText('Vypnuto').waitFor();
    await go('Co dorazilo');
    await button('Nechat obchod prodat 10 objednávek').click();
    await page().getByText('Prodáno 10 objednávek; jejich e-maily jsou ve frontě.').waitFor();
    expect(await untranslated(page(), 'cs')).toEqual([]);
    await button('Zapnout').click();
    await banner().getByText('Zapnuto').waitFor();
    await page()
      .getByRole('cell', { name: /@.*\.example/ })
      .first()
      .waitFor({ timeout: 30_000 });
  });

  it('the queue says why each mail waits, with dates and numbers as Czechs write them', async () => {
    await go('Fronta');
    await rows().first().waitFor();
    await page()
      .getByText(/jeden e-mail za 3 s/)
      .first()
      .waitFor();
    await picture(page(), 'cs-queue');
    expect(await faultsInBothThemes(page())).toEqual([]);
  });

  it('an open mail has its facts, its message and its course', async () => {
    await button(/^Odesláno/).click();
    await rows().first().click();
    const drawer = page().getByRole('dialog');
    await drawer.getByText('Plánovaný odchod').or(drawer.getByText('Vytvořeno')).first().waitFor();
    await drawer.getByRole('tab', { name: /Průběh/ }).click();
    await drawer.getByText('Poštovní server ho přijal').waitFor();
    expect(await untranslated(page(), 'cs')).toEqual([]);
    await page().keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });

  it('a question has the right plural, and what is deleted can be taken back', async () => {
    await rows().first().focus();
    await page().keyboard.press('Space');
    await page().keyboard.press('Shift+ArrowDown');
    await page().getByText('2 vybrány').waitFor();
    await page().keyboard.press('Delete');
    const question = page().getByRole('dialog', { name: 'Smazat 2 e-maily?' });
    await question.waitFor();
    expect(await untranslated(page(), 'cs')).toEqual([]);
    await question.getByRole('button', { name: 'Smazat 2 e-maily' }).click();
    await page().getByText('Smažou se 2 e-maily').waitFor();
    await button(/^Vzít zpět/).click();
    await page().getByText('2 e-maily zůstávají.').waitFor();
  });

  it('the filters and the order of the list', async () => {
    await page().keyboard.press('f');
    await page().getByRole('textbox', { name: 'Doména příjemce' }).waitFor();
    expect(await untranslated(page(), 'cs')).toEqual([]);
    await page().keyboard.press('Escape');
  });

  it('the overview', async () => {
    await go('Přehled');
    await page().getByRole('heading', { name: 'Co bylo odesláno' }).waitFor();
    await page().getByText('Než bude fronta prázdná').waitFor();
    await picture(page(), 'cs-overview');
  });

  it('the log', async () => {
    await go('Záznamy');
    await page().getByRole('log').locator('li, [role=listitem], div').first().waitFor();
    await picture(page(), 'cs-log');
  });

  it('every part of the settings', async () => {
    await go('Nastavení');
    for (const tab of await page().getByRole('tab').all()) {
      await tab.click();
      await page().waitForTimeout(150);
      expect(await untranslated(page(), 'cs'), String(await tab.textContent())).toEqual([]);
    }
    await page().getByRole('tab', { name: 'Tempo' }).click();
    await page().getByRole('textbox', { name: 'E-mailů za minutu' }).waitFor();
    await picture(page(), 'cs-settings');
  });

  it('the whole check, in words of the engine', async () => {
    await page().getByRole('tab', { name: 'Kontrola' }).click();
    await button('Zkontrolovat').click();
    const steps = page().getByRole('list', { name: 'Kroky kontroly' });
    await expect.poll(() => steps.getByRole('listitem').count(), { timeout: 30_000 }).toBeGreaterThan(4);
    await expect.poll(() => button('Zkontrolovat').isEnabled()).toBe(true);
    await picture(page(), 'cs-check');
    expect(await faultsInBothThemes(page())).toEqual([]);
  });

  it('switching off asks first', async () => {
    await button('Vypnout').click();
    const question = page().getByRole('dialog', { name: 'Vypnout frontu?' });
    await question.waitFor();
    expect(await untranslated(page(), 'cs')).toEqual([]);
    await question.getByRole('button', { name: 'Zrušit' }).click();
    await question.waitFor({ state: 'hidden' });
  });
});
