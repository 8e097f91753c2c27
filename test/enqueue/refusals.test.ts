/** What `enqueue` refuses, before anything is written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeNames } from '../../src-main/contract/profile.ts';
import { checkMailbox } from '../../src-main/enqueue/check.ts';
import { type EnqueueOptions, enqueue, type Mail, type Shape, shapes } from '../../src-main/enqueue/index.ts';
import { mailKeys } from '../../src-main/enqueue/mail.ts';
import { spellings } from '../../src-main/enqueue/rows.ts';
import { parseMailbox, parseMailboxes } from '../../src-main/mail/address.ts';

/** A connection that remembers its statements. */
function recorder() {
  const statements: { sql: string; values: unknown[] }[] = [];
  return {
    statements,
    execute: async (sql: string, values: unknown[]) => {
      statements.push({ sql, values });
      return [{ insertId: statements.length }, undefined];
    },
  };
}

const good: Mail = { to: 'eva@example.com', subject: 'Hello', text: 'Hello.' };

/** The error of a call with wrong input; fails when it was taken, or when something was written all the same. */
async function refusal(mail: unknown, options: unknown = { shape: 'jobs' }): Promise<string> {
  const connection = recorder();
  const error = await enqueue(connection, mail as Mail, options as EnqueueOptions).then(
    (ids) => expect.fail(`taken as ${ids}`),
    (reason: unknown) => reason,
  );
  expect(connection.statements).toEqual([]);
  expect(error).toBeInstanceOf(TypeError);
  return (error as Error).message;
}

const token = 'a'.repeat(32);
const wrongMails: [what: string, mail: object, message: string][] = [
  ['no recipient', { to: [] }, 'Expected mail.to to hold at least one address, got []'],
  [
    'a missing recipient',
    { to: undefined },
    'mail.to to be an address or a list of addresses, got undefined',
  ],
  ['an empty recipient', { to: '' }, 'Expected mail.to to be an address, got ""'],
  ['a number for a recipient', { to: ['a@b.test', 5] }, 'Expected mail.to[1] to be an address, got 5'],
  ['nobody in a list', { to: [undefined, 'a@b.test'] }, 'mail.to[0] to be an address, got undefined'],
  ['a comma list', { to: 'a@b.test, c@d.test' }, 'mail.to to be one address (give several as a list)'],
  ['a line break in an address', { to: 'a@b.test\r\nBcc: c@d.test' }, 'mail.to to be one line'],
  ['a line break in a name', { to: 'A\nBcc: c@d.test <a@b.test>' }, 'mail.to to be one line'],
  ['NUL in an address', { to: 'a@b.test\0' }, 'mail.to to hold no NUL character'],
  ['an address without @', { to: 'nobody' }, 'mail.to to be an address'],
  ['a broken domain', { to: 'a@-b.test' }, 'mail.to to be an address'],
  ['an invisible character', { to: 'a\u200b@b.test' }, 'mail.to to be an address'],
  ['two addresses in brackets', { to: '<a@b.test> <c@d.test>' }, 'mail.to to be a name and an <address>'],
  ['too long a local part', { to: `${'a'.repeat(65)}@b.test` }, 'mail.to to be an address'],
  ['too long an address', { to: `a@${'b.'.repeat(130)}test` }, 'mail.to to be an address'],
  ['no subject', { subject: undefined }, 'Expected mail.subject to be a string, got undefined'],
  [
    'a line break in the subject',
    { subject: 'A\nB: c' },
    'Expected mail.subject to be one line, got "A\\nB: c"',
  ],
  ['NUL in the subject', { subject: 'A\0' }, 'mail.subject to hold no NUL character'],
  [
    'a control character in the subject',
    { subject: 'A\x1b[0m' },
    'mail.subject to hold no control character',
  ],
  ['half a character', { subject: 'A\ud83d' }, 'mail.subject to hold whole characters'],
  ['no body', { text: undefined }, 'Expected mail to hold text, html or both'],
  ['a body of another type', { text: { toString: () => 'x' } }, 'Expected mail.text to be a string'],
  ['NUL in the body', { html: '\0' }, 'mail.html to hold no NUL character'],
  ['a misspelt key', { body: 'Hello' }, 'got "body"'],
  ['a broken sender', { from: 'me' }, 'mail.from to be an address'],
  ['an empty cc', { cc: [] }, 'mail.cc to hold at least one address'],
  ['a broken bcc', { bcc: ['a@b.test', 'x'] }, 'mail.bcc[1] to be an address'],
  ['headers as text', { headers: 'X-A: b' }, 'mail.headers to be an object of names and values'],
  ['a header list', { headers: ['X-A: b'] }, 'mail.headers to be an object of names and values'],
  [
    'a line break in a header',
    { headers: { 'X-A': 'b\r\nBcc: c@d.test' } },
    'mail.headers["X-A"] to be one line',
  ],
  ['NUL in a header', { headers: { 'X-A': '\0' } }, 'mail.headers["X-A"] to hold no NUL character'],
  [
    'a line break in a header name',
    { headers: { 'X-A: b\r\nBcc': 'c@d.test' } },
    'to have header names for keys',
  ],
  [
    'a header with a key of its own',
    { headers: { CC: 'c@d.test' } },
    'Expected mail.cc in place of a header',
  ],
  [
    'a header of the console',
    { headers: { 'Message-ID': '<a@b>' } },
    'without what the console writes by itself',
  ],
  [
    'a header of the body',
    { headers: { 'content-type': 'text/html' } },
    'without what the console writes by itself',
  ],
  ['an attachment outside', { attachments: ['/etc/passwd'] }, 'mail.attachments[0] to end with'],
  ['an attachment further up', { attachments: [`../${token}/a.pdf`] }, 'mail.attachments[0] to end with'],
  [
    'an attachment without a name',
    { attachments: [{ file: `${token}/a.pdf` }] },
    'attachments[0].name to be a string',
  ],
  [
    'a size below 0',
    { attachments: [{ name: 'a', file: `${token}/a`, size: -1 }] },
    'size to be a whole number',
  ],
  [
    'a broken checksum',
    { attachments: [{ name: 'a', file: `${token}/a`, sha256: 'x' }] },
    'sha256 to be 64 hex',
  ],
  ['a time as text', { sendAt: '2026-01-01' }, 'mail.sendAt to be a Date or whole seconds since 1970'],
  ['no date', { sendAt: new Date('x') }, 'mail.sendAt to be a Date or whole seconds since 1970'],
  ['ms for seconds', { sendAt: Date.now() }, 'mail.sendAt to be before 2038, in seconds and not in ms'],
];
const wrongForStudiou: typeof wrongMails = [
  ['a long context', { context: 'x'.repeat(101) }, 'mail.context to have at most 100 characters'],
  ['a broken order', { orderId: -1 }, 'mail.orderId to be a whole number, 0 or more, got -1'],
  ['an unsafe order', { orderId: 2 ** 53 }, 'mail.orderId to be a whole number'],
  ['an order beyond BIGINT', { orderId: '99999999999999999999' }, 'mail.orderId to be a whole number'],
  [
    'a priority with a fraction',
    { priority: 1.5 },
    'mail.priority to be a whole number from -32768 to 32767',
  ],
  [
    'attachments of two folders',
    { attachments: [`${token}/a.pdf`, `${'b'.repeat(32)}/b.pdf`] },
    'mail.attachments to lie in one folder',
  ],
];

describe('a wrong mail is refused in plain words', () => {
  it.each(wrongMails)('%s', async (_, change, message) => {
    expect(await refusal({ ...good, ...change })).toContain(message);
  });
  it.each(wrongForStudiou)('%s', async (_, change, message) => {
    expect(await refusal({ ...good, ...change }, { shape: 'studiou-wcmq' })).toContain(message);
  });
  it('the second of two: and the first is not written', async () => {
    expect(await refusal([good, { ...good, to: [] }])).toBe(
      'Expected mail[1].to to hold at least one address, got []',
    );
  });
  it('what fits into no column of wp-email-queue', async () => {
    const people = Array.from({ length: 20 }, (_, n) => `person${n}@example.com`);
    const options = { shape: 'wp-email-queue' };
    expect(await refusal({ ...good, to: people }, options)).toContain('mail.to to fit into 255 characters');
    expect(await refusal({ ...good, subject: 'x'.repeat(256) }, options)).toContain('mail.subject to fit');
    expect(await refusal({ ...good, html: '<p>' }, options)).toContain('text or html');
  });
  it('no object at all', async () => {
    for (const mail of [null, 'a@b.test', 5, undefined])
      expect(await refusal(mail)).toMatch(/^Expected mail to be/);
  });
});

describe('what a shape has no column for is refused', () => {
  const values: Record<string, unknown> = {
    html: '<p>',
    from: 'a@b.test',
    replyTo: 'a@b.test',
    cc: 'a@b.test',
    bcc: 'a@b.test',
    headers: { 'X-A': 'b' },
    attachments: [`${token}/a.pdf`],
    context: 'a',
    title: 'a',
    orderId: 1,
    priority: 1,
  };
  for (const shape of shapes)
    it(shape, async () => {
      const { without } = spellings[shape];
      for (const key of mailKeys.filter((name) => name in values)) {
        // wp-email-queue has one body: its html comes without a text
        const mail = { ...good, ...(key === 'html' ? { text: undefined } : {}), [key]: values[key] };
        if (without.includes(key))
          expect(await refusal(mail, { shape })).toContain(
            `no mail.${key}, for which ${shape} has no column`,
          );
        else expect(await enqueue(recorder(), mail as Mail, { shape })).toEqual([1]);
      }
    });
});

describe('wrong options are refused', () => {
  it.each([
    [{}, 'options.shape to be one of studiou-wcmq, wp-email-queue, jobs, email-jobs, got undefined'],
    [{ shape: 'toString' }, 'options.shape to be one of'],
    [{ shape: 'jobs', chunks: 3 }, 'got "chunks"'],
    [{ shape: 'jobs', table: 'jobs` SET x = 1 -- ' }, 'options.table to be a name of letters'],
    [{ shape: 'jobs', table: '' }, 'options.table to be a name of letters'],
    [{ shape: 'studiou-wcmq', tablePrefix: 'wp-' }, 'options.tablePrefix to be a name of letters'],
    [{ shape: 'jobs', tablePrefix: 'wp_' }, 'options.table in place of a tablePrefix'],
    [{ shape: 'email-jobs', queue: 'mail' }, 'no options.queue, which email-jobs has not'],
    [{ shape: 'jobs', queue: '' }, 'options.queue to have a name'],
    [{ shape: 'jobs', columns: { payload: 'a`b' } }, 'options.columns.payload to be a name of letters'],
    [{ shape: 'jobs', columns: { body: 'b' } }, 'got "body"'],
    [{ shape: 'jobs', chunk: 0 }, 'options.chunk to be a whole number, 1 or more, got 0'],
    [{ shape: 'jobs', chunk: 2.5 }, 'options.chunk to be a whole number'],
    [null, 'options to be an object'],
  ])('%j', async (options, message) => {
    expect(await refusal(good, options)).toContain(message);
  });
  it('copies and chunks', async () => {
    expect(await refusal({ ...good, cc: 'a@b.test' }, { shape: 'jobs', chunk: 2 })).toContain('cc and bcc');
  });
  it('one attachment folder for two jobs', async () => {
    const mail = { ...good, to: ['a@b.test', 'c@d.test'], attachments: [`${token}/a.pdf`] };
    expect(await refusal(mail, { shape: 'jobs', chunk: 1 })).toContain('folder to belong to one job');
    expect(await enqueue(recorder(), mail, { shape: 'jobs' })).toEqual([1]);
  });
  it('what is no single connection', async () => {
    const options = { shape: 'jobs' } as const;
    const pool = { ...recorder(), getConnection: () => {} };
    await expect(enqueue(pool, good, options)).rejects.toThrow('got a pool');
    await expect(enqueue({}, good, options)).rejects.toThrow('Expected a connection with execute');
    await expect(enqueue(null as never, good, options)).rejects.toThrow('Expected a connection with execute');
  });
});

it('knows the shapes of a profile', () => {
  expect(shapes).toEqual(shapeNames);
});

it('puts nothing of a mail into the SQL text', async () => {
  const evil = `x'"\`; DROP TABLE orders; -- \\`;
  for (const shape of shapes) {
    const connection = recorder();
    await enqueue(connection, { to: "o'\"brien <o'b@x.test>", subject: evil, text: evil }, { shape });
    expect(connection.statements[0]?.sql).toMatch(/^INSERT INTO `\w+` \([`\w, ]+\) VALUES \([?A-Z_(), ]+\)$/);
    expect(JSON.stringify(connection.statements[0]?.values)).toContain('DROP TABLE');
  }
});

describe('whom it takes, the mail room takes too', () => {
  const piece = fc.string({ unit: 'binary', maxLength: 12 });
  const part = fc.stringMatching(/^[a-zäß](?:[-.]?[a-zéŁ0-9]){0,5}$/);
  const anything = fc.oneof(
    piece,
    fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.test`),
    fc.tuple(piece, part, part).map(([name, local, domain]) => `${name} <${local}@${domain}.test>`),
    fc.tuple(piece, piece).map(([name, rest]) => `"${name}" <a@b.test>${rest}`),
  );
  it('one by one, and in a comma list', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 4 }), (texts) => {
        const boxes = texts.flatMap((text) => {
          try {
            return [checkMailbox(text, 'mail.to')];
          } catch (error) {
            if (error instanceof TypeError) return [];
            throw error;
          }
        });
        taken += boxes.length;
        for (const { address, text } of boxes) {
          const read = parseMailbox(text);
          expect(read).toMatchObject({ ok: true });
          const local = address.slice(0, address.lastIndexOf('@'));
          if (read.ok) expect(read.mailbox.address.startsWith(`${local}@`)).toBe(true);
        }
        const list = parseMailboxes(boxes.map(({ text }) => text).join(', '));
        expect(list.dropped).toEqual([]);
        expect(new Set(list.mailboxes.map(({ address }) => address))).toEqual(
          new Set(
            boxes.map(({ text }) => (parseMailbox(text) as { mailbox: { address: string } }).mailbox.address),
          ),
        );
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(500);
  });
});
// a shape's name is a type of the entry's own: both sides must stay the same
const sameNames: (typeof shapeNames)[number] extends Shape ? true : never = true;
void sameNames;
