import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdsMailTypes, ownWord, type ShapeSeen } from '../../src-main/contract/status.ts';
import { shapes } from '../../src-main/queue/shapes/index.ts';
import english from '../../src-renderer/locales/en.json' with { type: 'json' };
import { booksArePinned } from '../../src-renderer/settings/books-pinned.ts';
import { stateWord } from '../../src-renderer/ui/state-words.ts';

const all = ['pending', 'sending', 'sent', 'failed', 'in_doubt'] as const;
const own: ShapeSeen = { name: 'studiou-wcmq', words: null, books: 'shop' };
const seen = (name: string): ShapeSeen => {
  const shape = shapes.find((one) => one.name === name);
  if (!shape) throw new Error(`no shape ${name}`);
  return { name: shape.name, words: shape.words, books: 'console' };
};

beforeAll(async () => {
  await i18next.init({ lng: 'en', resources: { en: { translation: english } } });
});
const words = (shape: ShapeSeen | null) => all.map((state) => stateWord(state, shape, i18next.t));

describe('the words for states', () => {
  it('are the shop’s own, with ours as their meaning', () => {
    expect(words(seen('wp-email-queue'))).toEqual([
      { word: 'pendente', meaning: 'Waiting' },
      { word: 'processando', meaning: 'Sending' },
      { word: 'enviado', meaning: 'Sent' },
      { word: 'falha', meaning: 'Failed' },
      { word: 'In doubt', meaning: null },
    ]);
  });

  it.each([null, own])('are ours where the shop has none (%#)', (shape) => {
    expect(words(shape).map(({ word }) => word)).toEqual([
      'Waiting',
      'Sending',
      'Sent',
      'Failed',
      'In doubt',
    ]);
    expect(words(shape).every(({ meaning }) => meaning === null)).toBe(true);
  });

  it('say nothing twice where the shop’s word is ours', () => {
    expect(stateWord('failed', seen('jobs'), i18next.t)).toEqual({ word: 'Failed', meaning: null });
    expect(ownWord(seen('email-jobs').words, 'pending')).toBeNull();
    expect(ownWord(seen('email-jobs').words, 'sent')).toBe('done');
    expect(ownWord(null, 'sent')).toBeNull();
  });

  it('differ within each shape, so that a tab names one state', () => {
    for (const shape of shapes)
      expect(new Set(words(seen(shape.name)).map(({ word }) => word.toLowerCase())).size).toBe(all.length);
  });
});

describe('what rows can hold', () => {
  it('is a mail type, an order and a priority in our own tables alone', () => {
    expect(holdsMailTypes('studiou-wcmq')).toBe(true);
    for (const shape of shapes) expect(holdsMailTypes(shape.name)).toBe(false);
  });
});

describe('books that a profile pins to the console', () => {
  it('are known from the form, whatever else it holds', () => {
    expect(booksArePinned({ layout: { books: 'console' } })).toBe(true);
    for (const form of [null, {}, 'x', { layout: null }, { layout: { books: 'shop' } }, { layout: {} }])
      expect(booksArePinned(form)).toBe(false);
  });
});
