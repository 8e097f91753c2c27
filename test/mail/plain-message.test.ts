import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMail } from '../../src-main/mail/compose.ts';
import { plainMessage } from '../../src-main/mail/plain-message.ts';
import { treeMessage } from '../../src-main/mail/tree-message.ts';
import { sender } from './kit.ts';

const stamp = { messageId: '<1.postroom@shop.test>', date: new Date('2026-01-02T03:04:05Z') };

/** Text as shops write it: words of several scripts, punctuation that headers read, long words, line ends. */
const word = fc.oneof(
  fc.constantFrom(
    'Objednávka',
    'č.',
    'Größe',
    '注文',
    '=?utf-8?Q?x?=',
    '"',
    "'",
    ',',
    ';',
    '(x)',
    '\\',
    '🙂',
    '\u0007',
    '\u007f',
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ minLength: 70, maxLength: 160, unit: fc.constantFrom('a', 'B', '3', '-') }),
  fc.constantFrom('order', 'is', 'on', 'its', 'way', 'Thank', 'you'),
);
const text = (most: number) =>
  fc
    .array(word, { maxLength: most })
    .chain((words) => fc.constantFrom(' ', '  ', '\n', '\r\n', '\t').map((glue) => words.join(glue)));
const address = fc.constantFrom(
  'anna@example.test',
  'Anna.B+c_d@Example.Test',
  'anna@xn--jgeva-dua.ee',
  'anna@jõgeva.ee',
  '"a b"@example.test',
  'a..b@example.test',
  'anna@sub.shop-1.example.test',
);
const mailbox = fc.tuple(fc.oneof(fc.constant(''), text(3)), address).map(([name, at]) => {
  const clean = name.replace(/[\r\n]/g, ' ').trim();
  return clean === '' ? at : `"${clean.replace(/["\\]/g, '\\$&')}" <${at}>`;
});
const header = fc.tuple(
  fc.constantFrom(
    'X-Shop',
    'x-order',
    'List-Unsubscribe',
    'Precedence',
    'References',
    'In-Reply-To',
    'X-SMTPAPI',
  ),
  text(8),
);

describe('the short way writes what the tree writes', () => {
  it('byte for byte, whatever a mail of one text holds', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.record({
          to: fc.array(mailbox, { minLength: 1, maxLength: 4 }),
          cc: fc.array(mailbox, { maxLength: 2 }),
          subject: text(12),
          message: text(60),
          html: fc.boolean(),
          headers: fc.array(header, { maxLength: 3 }),
          name: fc.oneof(fc.constant('Shop'), text(3)),
        }),
        ({ to, cc, subject, message, html, headers, name }) => {
          const reading = readMail({
            payload: JSON.stringify({
              to,
              subject,
              message,
              headers: [
                ...(html ? ['Content-Type: text/html'] : []),
                ...cc.map((one) => `Cc: ${one}`),
                'Reply-To: Studio Ú & Synové <obchod@studiou.example>',
                ...headers.map(([key, value]) => `${key}: ${value.replace(/\s+/g, ' ')}`),
              ],
              attachments: [],
            }),
            sender: { ...sender, name: name.replace(/[\r\n]/g, ' ') },
            attachmentDir: null,
            deliveredTo: [],
          });
          if (!reading.ok) return;
          const short = plainMessage(reading.mail, stamp);
          if (short === null) return;
          compared += 1;
          const tree = treeMessage(reading.mail, stamp);
          expect(tree).toHaveLength(1);
          expect(Buffer.from(short).toString()).toBe(Buffer.from(tree[0] as Uint8Array).toString());
        },
      ),
      { numRuns: 3000 },
    );
    expect(compared).toBeGreaterThan(1000);
  });

  it.each([
    ['an attachment', { attachments: [`${'0123456789abcdef'.repeat(2)}/a.pdf`] }],
    ['a header that has a structure of its own', { headers: 'References: <a@x.test>\r\n' }],
    ['no text', { message: '' }],
    ['a very long text', { message: 'a '.repeat(150_000) }],
  ])('leaves %s to the tree', (_, changes) => {
    const reading = readMail({
      payload: JSON.stringify({
        to: 'b@x.test',
        subject: 's',
        message: 'm',
        headers: '',
        attachments: [],
        ...changes,
      }),
      sender,
      attachmentDir: '0123456789abcdef'.repeat(2),
      deliveredTo: [],
    });
    if (!reading.ok) throw new Error(reading.reason);
    expect(plainMessage(reading.mail, stamp)).toBeNull();
  });
});
