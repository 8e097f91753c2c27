import type { Page } from 'playwright-core';
import english from '../../src-renderer/locales/en.json' with { type: 'json' };
import { wordsOf } from '../../src-renderer/locales/languages.ts';
import { flat } from '../support/words.ts';

/** What the page shows or has read aloud: texts, labels, placeholders, titles. */
function everythingSaid(): string[] {
  const said: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (parent && !['SCRIPT', 'STYLE'].includes(parent.tagName)) said.push(node.nodeValue ?? '');
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      said.push(element.getAttribute(name) ?? '');
  return said.map((text) => text.trim()).filter((text) => text !== '');
}

/**
 * Texts on the page that stand in the English file, or that the engine says in English, although the page speaks another
 * language and has its own words for them.
 */
export async function untranslated(page: Page, language: string): Promise<string[]> {
  const { sentences = {}, ...own } = (await wordsOf(language)) ?? {};
  const words = new Map(flat(own));
  const wholes = new Set<string>();
  const patterns: RegExp[] = [];
  const add = (text: string) => {
    if (!text.includes('{{')) wholes.add(text);
    // one with few letters of its own fits many a text
    else if (text.replaceAll(/\{\{\w+\}\}|[^a-z]/gi, '').length >= 10)
      patterns.push(
        new RegExp(
          `^${text
            .split(/\{\{\w+\}\}/)
            .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
            .join('.+')}$`,
        ),
      );
  };
  for (const [key, text] of flat(english)) if (words.get(key) !== text) add(text);
  for (const sentence of Object.keys(sentences)) add(sentence);
  const shared = new Set(words.values()); // "Port" is "Port" there, too
  const said = await page.evaluate(everythingSaid);
  return [...new Set(said)].filter(
    (text) => !shared.has(text) && (wholes.has(text) || patterns.some((pattern) => pattern.test(text))),
  );
}
