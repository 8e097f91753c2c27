/** The console's messages held against those of WordPress's own PHPMailer, byte by byte. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildMail, readMail } from '../../src-main/mail/compose.ts';
import { root } from '../support/source-tree.ts';
import { comparable } from './bytes.ts';
import { wordpressFolder } from './wordpress.ts';

const folder = '0123456789abcdef'.repeat(2);
const words = (most: number, ...more: string[]) =>
  fc
    .array(
      fc.constantFrom(
        'order',
        'Objednávka',
        'č.',
        'Größe',
        '注文番号',
        '🙂',
        '(x)',
        "O'Neil",
        '50%_=?',
        '&',
        'a.b',
        '#12',
        '"K"',
        'e\u0301',
        ...more,
      ),
      { minLength: 1, maxLength: most },
    )
    .map((all) => all.join(' '));
const address = fc.constantFrom(
  'anna@example.test',
  'Bob.B+c@Example.Test',
  "o'neil@sub.example.test",
  'x@y.test',
);
const mailbox = fc
  .tuple(fc.oneof(fc.constant(''), words(4)), address)
  // quotes around a whole name are the name's own to wp_mail(), and its quotes to us
  .map(([name, at]) => (name === '' || /^".*"$/.test(name) ? at : `${name} <${at}>`));
const text = fc
  .array(
    fc.oneof(
      words(12),
      fc.constantFrom('', '.', '..dot', '<p>x</p>', 'x'.repeat(1001), 'ž'.repeat(600), '\t'),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => `${lines.join(end)}.`));
const file = fc.constantFrom(
  'faktura č. 7.pdf',
  'invoice-12.pdf',
  'a b.docx',
  'x.unknown',
  'no end',
  'ž.PNG',
  '"q".csv',
);
const mail = fc.record({
  from: fc.constantFrom('shop@shop.test', 'Eshop@Shop.Test'),
  from_name: words(3, 'Studio <Ú> & Synové'),
  to: fc.uniqueArray(mailbox, {
    minLength: 1,
    maxLength: 3,
    selector: (one) => one.toLowerCase().split('<').at(-1),
  }),
  cc: fc.array(mailbox, { maxLength: 2 }),
  replyTo: fc.array(mailbox, { maxLength: 2 }),
  subject: fc.oneof(
    words(6),
    words(60),
    fc.constant('x'.repeat(1200)),
    fc.constant('word '.repeat(300).trim()),
  ),
  message: text,
  alt: fc.oneof(fc.constant(''), text),
  type: fc.constantFrom('text/html', 'text/plain'),
  headers: fc.uniqueArray(
    fc.tuple(fc.constantFrom('X-Shop', 'List-Unsubscribe', 'Auto-Submitted'), words(5)),
    {
      maxLength: 2,
      selector: ([name]) => name,
    },
  ),
  attachments: fc.uniqueArray(file, { maxLength: 2 }),
  embeds: fc.dictionary(fc.constantFrom('logo', 'bild-2', 'x@shop'), file, { maxKeys: 2 }),
});
type Mail = typeof mail extends fc.Arbitrary<infer One> ? One : never;

function ours(given: Mail): Buffer {
  const embeds = Object.entries(given.embeds);
  const reading = readMail({
    payload: JSON.stringify({
      ...given,
      // a text part belongs to HTML alone
      alt: given.type === 'text/html' ? given.alt : '',
      content_type: given.type,
      headers: [
        ...given.cc.map((one) => `Cc: ${one}`),
        ...given.replyTo.map((one) => `Reply-To: ${one}`),
        ...given.headers.map(([name, value]) => `${name}: ${value}`),
      ],
      attachments: given.attachments.map((name, at) => ({ name, file: `${folder}/${at}.dat` })),
      embeds: embeds.map(([cid, name], at) => ({ cid, name, file: `${folder}/${at}e.dat` })),
    }),
    sender: { name: '', address: 'shop@shop.test' },
    attachmentDir: folder,
    deliveredTo: [],
  });
  if (!reading.ok) throw new Error(reading.reason);
  const { message } = buildMail(reading.mail, { messageId: '<1@x.test>', date: new Date(0) });
  const content = Buffer.from(Buffer.from('content').toString('base64'));
  return Buffer.concat(message.map((part) => (part instanceof Uint8Array ? part : content)));
}

it('property: a message is what PHPMailer makes of the same mail', () => {
  const mails = fc.sample(mail, 400).map((one) => ({ ...one, alt: one.type === 'text/html' ? one.alt : '' }));
  const php = spawnSync('php', [path.join(root, 'test/connector/php/phpmailer.php'), wordpressFolder()], {
    input: mails.map((one) => `${JSON.stringify({ ...one, embeds: one.embeds })}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  expect(php.stderr + (php.status === 0 ? '' : php.stdout.slice(-500))).toBe('');
  const theirs = php.stdout.trim().split('\n');
  expect(theirs).toHaveLength(mails.length);
  for (const [at, given] of mails.entries()) {
    // the wire doubles a dot at the beginning of a line
    const wire = Buffer.from(theirs[at] ?? '', 'base64')
      .toString('latin1')
      .replace(/^\.\./gm, '.');
    expect(comparable(ours(given)), JSON.stringify(given)).toBe(comparable(Buffer.from(wire, 'latin1')));
  }
});
