/** What the engine says is said in every language; nothing of it can be forgotten, and nothing stays that nobody says. */
import { describe, expect, it } from 'vitest';
import { languages, wordsOf } from '../../src-renderer/locales/languages.ts';
import { isWords, textsOf } from '../support/said.ts';

/** Rooms whose words reach the window. The command line speaks English. */
const rooms = ['contract', 'shop', 'queue', 'mail', 'engine', 'boot', 'boot.ts', 'settings', 'app'];

/** Files whose texts are for computers: headers, patterns, names. */
const forComputers = [
  'app/assets.ts',
  'app/autostart.ts',
  'contract/host-limits.ts',
  'contract/redact.ts',
  'mail/file-types.ts',
  'mail/message.ts',
  'mail/outcome-words.ts',
  'mail/server-id.ts',
];
/** Texts that no person reads on screen, and why. */
const exceptions: Record<string, RegExp> = {
  'faults of ours: shown as "something went wrong"':
    /^Expected |^A statement was sent after|^(?:query|run)\(\) was given|^A \{\{1\}\} cannot be a value|^Inside a transaction/,
  'written to the log of the process alone': /: refused, the caller is not our window$|: arguments refused /,
  'what other programs say, looked for':
    /^Timed out while waiting|^no answer to a SYN|^Connection lost before|^not found$/,
  'names of files': /^postroom-|\/\.postroom-|^data:/,
  'commands of the server': /^cd \{\{1\}\}/,
  'the mail that is sent, and its name': /^Postroom test mail|^This is a test mail|^Test mail$|^Demo shop$/,
  'written into a profile as it is': /^"shape": "\{\{1\}\}", "layout"/,
  'parts that the translation leaves out':
    /^(?:rows?|mails?) (?:is|are|was|were|waits?)$|^ahead of$|^not set$|^the file$/,
  'technical detail, folded away': /^seen \{\{1\}\}, pinned/,
  'a list of columns': /^id state in_doubt/,
};
/** Words that are put together by code: they stand in the catalogue as they are said. */
const composed = ['enabled', 'draining', 'disabled', '{{1}} s ahead of', '{{1}} s behind'];

const shape = (text: string) => text.replaceAll(/\{\{\w+\}\}/g, '{{}}');
const names = (text: string) => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
const excused = (text: string) => Object.values(exceptions).some((pattern) => pattern.test(text));

const said = textsOf(rooms).filter(({ file, text }) => !forComputers.includes(file) && isWords(text));
const all = new Set(textsOf(rooms).map(({ text }) => shape(text)));

describe('the sentences of the engine', () => {
  it('are really found', () => {
    expect(said.length).toBeGreaterThan(500);
    expect(said.map(({ text }) => text)).toContain('The look was stopped.');
  });

  it('are excused for a reason that holds', () => {
    for (const [reason, pattern] of Object.entries(exceptions))
      expect(
        said.some(({ text }) => pattern.test(text)),
        reason,
      ).toBe(true);
  });
});

describe.each(languages.filter((language) => language !== 'en'))('the sentences in %s', (language) => {
  it('are all there', async () => {
    const known = new Set(Object.keys((await wordsOf(language))?.sentences ?? {}).map(shape));
    const missing = said.filter(({ text }) => !known.has(shape(text)) && !excused(text));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('are all said somewhere', async () => {
    const known = Object.keys((await wordsOf(language))?.sentences ?? {});
    expect(known.filter((text) => !all.has(shape(text)) && !composed.includes(text))).toEqual([]);
  });

  it('fill in nothing that the original does not have, and say something', async () => {
    for (const [original, text] of Object.entries((await wordsOf(language))?.sentences ?? {})) {
      expect(text.trim(), original).not.toBe('');
      for (const name of names(text)) expect(names(original), original).toContain(name);
    }
  });

  it('are no patterns that fit anything: a server’s own words must stay as they are', async () => {
    for (const original of Object.keys((await wordsOf(language))?.sentences ?? {}))
      if (original.includes('{{'))
        expect(original.replaceAll(/\{\{\w+\}\}|[^\p{L}]/gu, '').length, original).toBeGreaterThanOrEqual(5);
  });
});
