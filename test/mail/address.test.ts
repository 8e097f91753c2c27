import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAddress, parseMailbox, parseMailboxes, splitList } from '../../src-main/mail/address.ts';

const ok = (text: string) => {
  const parsed = parseMailbox(text);
  return parsed.ok ? parsed.mailbox : parsed.reason;
};

describe('one mailbox', () => {
  it.each([
    ['a@b.test', { name: '', address: 'a@b.test' }],
    ['  a@B.Test\r\n', { name: '', address: 'a@B.Test' }],
    ['<a@b.test>', { name: '', address: 'a@b.test' }],
    ['Karel Novák <k@x.test>', { name: 'Karel Novák', address: 'k@x.test' }],
    [
      'Karel Novák, ml. "Karlík" <z4@example.test>',
      { name: 'Karel Novák, ml. "Karlík"', address: 'z4@example.test' },
    ],
    ['"Novák, \\"K\\"" <k@x.test>', { name: 'Novák, "K"', address: 'k@x.test' }],
    [
      'Studio <Ú> & Synové <obchod@studiou.example>',
      { name: 'Studio <Ú> & Synové', address: 'obchod@studiou.example' },
    ],
    ['=?UTF-8?B?Tm92w6Fr?= <k@x.test>', { name: 'Novák', address: 'k@x.test' }],
    ['=?iso-8859-2?Q?Nov=E1k_?= =?utf-8?q?Karel?= <k@x.test>', { name: 'Novák Karel', address: 'k@x.test' }],
    ['info@háčkyčárky.cz', { name: '', address: 'info@xn--hkyrky-ptac70bc.cz' }],
    ['用户@例え.jp', { name: '', address: '用户@xn--r8jz45g.jp' }],
    ["o'brien+tag@x.test", { name: '', address: "o'brien+tag@x.test" }],
    ['x@[192.0.2.1]', { name: '', address: 'x@[192.0.2.1]' }],
    ['root@localhost', { name: '', address: 'root@localhost' }],
    [`${'a'.repeat(64)}@x.test`, { name: '', address: `${'a'.repeat(64)}@x.test` }],
  ])('%j is read', (text, mailbox) => expect(ok(text)).toEqual(mailbox));

  it.each([
    ['', 'empty address'],
    ['not an email', 'space or control'],
    ['plain', 'no @'],
    ['@x.test', 'incomplete'],
    ['a@', 'incomplete'],
    ['a@y.test; b@y.test', 'space or control'],
    ['a@y.test;b@y.test', 'not a valid address'],
    ['group: a@y.test, b@y.test;', 'space or control'],
    ['group:a@y.test;', 'not a valid address'],
    ['b@y.test\r\nRCPT TO:<evil@z.test>', 'line break'],
    ['Name\r\nBcc: evil@z.test <a@b.test>', 'line break in the name'],
    ['a@b.test\0', 'NUL'],
    ['a\u0007@b.test', 'control'],
    ['a\u200b@b.test', 'control'],
    ['a@b.test\u2028c', 'control'],
    ['"quoted local"@b.test', 'space or control'],
    ['a..b@x.test', 'not a valid address'],
    ['.a@x.test', 'not a valid address'],
    ['a@x..test', 'not a valid domain'],
    ['a@-x.test', 'not a valid domain'],
    ['a@x.test/evil', 'not a valid domain'],
    ['a@ü.test/evil', 'not a valid domain'],
    ['a@ü%2etest', 'not a valid domain'],
    ['a@x／y.test', 'not a valid domain'],
    ['a@b@c.test', 'not a valid address'],
    ['a@b.test>', 'not a valid domain'],
    ['<a@b.test> trailing', 'text after'],
    [`${'a'.repeat(65)}@x.test`, '64'],
    [`${'é'.repeat(33)}@x.test`, '64'],
    [`a@${'b'.repeat(64)}.test`, 'not a valid domain'],
    [`${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(20)}`, '254'],
    [`a@${'b.'.repeat(900)}test`, 'too long'],
  ])('%j is refused', (text, reason) => {
    expect(ok(text)).toEqual(expect.stringContaining(reason));
    expect(ok(text)).not.toMatch(/[\r\n\0]/);
  });
});

describe('lists', () => {
  it('parts at commas, but not inside names', () => {
    expect(splitList('admin@shop.example, sklad@studiou.example')).toEqual([
      'admin@shop.example',
      'sklad@studiou.example',
    ]);
    expect(splitList('Novák, Karel <a@b.test>, c@d.test')).toEqual(['Novák, Karel <a@b.test>', 'c@d.test']);
    expect(splitList('"info@x.test, shop" <a@b.test>,c@d.test')).toEqual([
      '"info@x.test, shop" <a@b.test>',
      'c@d.test',
    ]);
    expect(splitList('Karel "K <a@b.test>, c@d.test')).toEqual(['Karel "K <a@b.test>', 'c@d.test']);
    expect(splitList(' , ,a@b.test,')).toEqual(['a@b.test']);
  });

  it('keeps the valid, collects the invalid with the reason, each address once', () => {
    const { mailboxes, dropped } = parseMailboxes(
      'a@b.test, A <a@B.test>, non@sense@, c@d.test, x@y.test\r\nDATA, nobody',
    );
    expect(mailboxes.map(({ address }) => address)).toEqual(['a@b.test', 'c@d.test']);
    expect(dropped.map(({ text }) => text)).toEqual(['non@sense@', 'x@y.test\r\nDATA', 'nobody']);
    expect(dropped[1]?.reason).toContain('line break');
  });

  it('takes a list of 20,000 in a moment', () => {
    const started = performance.now();
    const list = Array.from({ length: 20_000 }, (_, n) => `Name, ${n} <c${n}@x.test>`).join(', ');
    expect(parseMailboxes(list).mailboxes).toHaveLength(20_000);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

/** Text with plenty of what breaks parsers. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\0',
        '<',
        '>',
        '@',
        ',',
        ';',
        ':',
        '"',
        '\\',
        ' ',
        '\t',
        '.',
        '=?',
        '?=',
        '\u2028',
        '\ud800',
        'a',
        'RCPT TO:',
        'x.test',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 25 },
  )
  .map((pieces) => pieces.join(''));

it('property: whatever is read, no address can leave its line, its brackets or its place', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        hostile.map((text) => `${text} <a@b.test>`),
        hostile.map((text) => `a${text}@b.test`),
      ),
      (text) => {
        for (const { name, address } of parseMailboxes(text).mailboxes) {
          read++;
          expect(address).toMatch(/^[^\s\p{Cc}\p{Cf}\p{Cs}<>,;:"\\()[\]@]+@(?:[a-z0-9._-]+|\[[\d.]+\])$/u);
          expect(name).not.toMatch(/[\p{Cc}\u2028\u2029\p{Cs}]/u);
          expect(checkAddress(address)).toEqual({ ok: true, address });
        }
      },
    ),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(500);
});
