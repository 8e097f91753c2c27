/** A second real mail server: Postfix with STARTTLS and Cyrus SASL, as a shop's host runs it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SmtpAccount } from '../../src-main/contract/profile.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { type PostfixOptions, type PostfixServer, startPostfix } from '../support/postfix.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { account, compose, converse } from './kit.ts';
import { cleanUp, console_ } from './kit-server.ts';

const users = { 'shop@shop.test': 'p4ss "wörd"' };
const login = { user: 'shop@shop.test', password: 'p4ss "wörd"' };
const mailboxes = ['b@x.test', 'c@x.test', 'jürgen@x.test', 'b@xn--bcher-kva.test'];

let postfix: PostfixServer;
beforeAll(async () => {
  postfix = await startPostfix({ users, mailboxes, sizeLimit: 200_000 });
});
afterAll(() => postfix.remove());

/** The account of its users, with its certificate trusted. */
function own(change: Partial<SmtpAccount> = {}): SmtpAccount {
  return account(postfix.port, {
    ...login,
    host: postfix.host,
    security: 'starttls',
    ca: postfix.ca,
    ...change,
  });
}

async function another(options: PostfixOptions): Promise<PostfixServer> {
  const server = await startPostfix(options);
  cleanUp.push(() => server.remove());
  return server;
}

/** A shop whose mails go to `smtp`, draining as fast as it goes. */
async function shopWith(smtp: SmtpAccount): Promise<TestShop> {
  const shop = await makeShop({ profile: { smtp, uncapped: true, from: 'Studio Ú <shop@shop.test>' } });
  cleanUp.push(() => shop.close());
  return shop;
}

async function drain(shop: TestShop): Promise<void> {
  const opened = await shop.open();
  await opened.desk.enable();
  await opened.startDraining();
  await opened.untilEmpty();
  await opened.close();
}

/** A header of a delivered mail, unfolded. */
const header = (mail: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\n[ \t].*)*)`, 'mi').exec(mail)?.[1]?.replace(/\n\s+/g, ' ');

describe('drained into Postfix', () => {
  it('hands over 50 mails by one login, and each arrives once', async () => {
    const server = await another({ users, mailboxes: ['b@x.test'] });
    const shop = await shopWith({ ...own(), port: server.port, ca: server.ca, connections: 1 });
    for (let n = 0; n < 50; n++)
      await shop.insert({
        recipient: 'b@x.test',
        payload: planPayload({ to: 'b@x.test', subject: `Order ${n}` }),
      });
    await drain(shop);
    const mails = await server.delivered(50);
    const subjects = mails.map((mail) => header(mail, 'subject'));
    expect(subjects.sort()).toEqual(Array.from({ length: 50 }, (_, n) => `Order ${n}`).sort());
    expect(await shop.rows("state = 'sent'")).toHaveLength(50);
    // The sum of each connection that carried mail. One MAIL more and its RSET are the doctor's, who looked at the sender
    // before the shop was enabled, over this connection or one of its own.
    const log = await server.logged(/disconnect from .* data=/);
    expect(log.match(/disconnect from .* data=.*/g)).toEqual([
      expect.stringMatching(/starttls=1 auth=1 mail=5[01] rcpt=50 data=50/),
    ]);
  });

  it('delivers attachment, UTF-8 subject and names byte for byte, and names who is unknown', async () => {
    const shop = await shopWith(own());
    const bytes = randomBytes(60_000);
    const token = shop.attach('Rechnung Ü.pdf', bytes);
    await shop.insert({
      attachment_dir: token,
      payload: planPayload({
        to: 'Žofie <c@x.test>',
        subject: 'Objednávka č. 5 – děkujeme 🎉',
        attachments: [`${token}/Rechnung Ü.pdf`],
      }),
    });
    await shop.insert({ payload: planPayload({ to: 'nobody@x.test' }) });
    await drain(shop);
    const mail = (await postfix.delivered(1)).find((text) => text.includes('c@x.test')) ?? '';
    expect(decode(header(mail, 'subject') ?? '')).toBe('Objednávka č. 5 – děkujeme 🎉');
    expect(mail.replaceAll('\n', '')).toContain(bytes.toString('base64'));
    const [sent, unknown] = await shop.rows();
    expect(sent?.state).toBe('sent');
    expect(unknown).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/550 5\.1\.1.*unknown/i),
    });
  });
});

describe('in conversation with Postfix', () => {
  it.each(['starttls', 'tls'] as const)('logs in by %s', async (security) => {
    const mails = console_(own({ security, port: security === 'tls' ? postfix.tlsPort : postfix.port }));
    expect(await converse(mails, compose())).toMatchObject({
      phase: 'done',
      serverId: expect.stringMatching(/^\w{8,}$/),
    });
  });

  it('speaks SMTPUTF8 for a recipient that needs it, and punycode for a domain', async () => {
    const mails = console_(own());
    for (const to of ['jürgen@x.test', 'b@bücher.test']) {
      const conversation = await converse(mails, compose({ to, subject: 'Für Sie' }));
      expect(conversation).toMatchObject({ phase: 'done' });
    }
    await postfix.logged(/to=<jürgen@x\.test>.*status=sent/);
    await postfix.logged(/to=<b@xn--bcher-kva\.test>.*status=sent/);
  });

  it('knows the size limit before DATA', async () => {
    const mails = console_(own());
    const conversation = await converse(mails, compose({ message: 'x'.repeat(250_000) }));
    expect(conversation).toMatchObject({ fault: { code: 'ETOOBIG' }, reply: null });
    expect(readOutcome(conversation)).toMatchObject({ kind: 'rejected', lane: 'goes-on' });
    expect(readOutcome(conversation).reason).toMatch(/size|large/i);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(mails.logins).toBe(1);
  });

  it('names a wrong password, which costs no row anything', async () => {
    const mails = console_(own({ password: 'wrong' }));
    const conversation = await converse(mails, compose());
    expect(conversation).toMatchObject({ phase: 'login', reply: { code: 535, enhanced: '5.7.8' } });
    expect(readOutcome(conversation)).toMatchObject({ kind: 'none', lane: 'pause', reached: false });
    await expect(mails.probe()).rejects.toMatchObject({
      code: 'login',
      message: expect.stringContaining('refused the login of shop@shop.test'),
    });
  });

  it('says that a login needs TLS, and that mail needs a login', async () => {
    // smtpd_tls_auth_only: without STARTTLS no AUTH is offered
    const plain = await converse(console_(own({ security: 'none' })), compose());
    expect(plain).toMatchObject({ phase: 'login', fault: { code: 'ENOAUTH' } });
    expect(readOutcome(plain).reason).toContain('another security');
    const nameless = await converse(console_(own({ user: null, password: null })), compose());
    // "554 5.7.1 Client host rejected: Access denied", what Debian's own submission service answers
    expect(readOutcome(nameless)).toMatchObject({
      kind: 'none',
      lane: 'pause',
      reason: expect.stringContaining('Client host rejected'),
    });
    const strict = await another({ users, mailboxes, main: { smtpd_tls_security_level: 'encrypt' } });
    const refused = await converse(
      console_(own({ security: 'none', port: strict.port, user: null, password: null })),
      compose(),
    );
    expect(refused).toMatchObject({ reply: { code: 530, enhanced: '5.7.0' } });
    expect(readOutcome(refused)).toMatchObject({ kind: 'none', lane: 'pause' });
    expect(readOutcome(refused).reason).toContain('STARTTLS');
  });

  it('insists on STARTTLS where the server has none', async () => {
    const server = await another({
      users,
      mailboxes,
      main: { smtpd_tls_security_level: 'none', smtpd_tls_auth_only: 'no' },
    });
    const mails = console_(own({ port: server.port }));
    expect((await converse(mails, compose())).phase).toBe('connect');
    await expect(mails.probe()).rejects.toMatchObject({ code: 'unreachable' });
    expect(server.log()).not.toContain('sasl_username');
  });

  it('names a certificate of an unknown authority, and one for another host', async () => {
    const { ca: _, ...untrusting } = own();
    const unknown = await converse(console_(untrusting), compose());
    expect(unknown).toMatchObject({ phase: 'connect', fault: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    expect(readOutcome(unknown).reason).toContain('self-signed');
    const other = await another({ users, mailboxes, names: ['mail.other.test'] });
    const wrong = await converse(console_(own({ port: other.port, ca: other.ca })), compose());
    expect(wrong).toMatchObject({ phase: 'connect', fault: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    expect(readOutcome(wrong).reason).toContain('another host name');
  });

  it('tells an unknown recipient from a refused relay', async () => {
    const mails = console_(own());
    const unknown = await converse(mails, compose({ to: 'nobody@x.test' }));
    expect(readOutcome(unknown)).toMatchObject({
      kind: 'rejected',
      lane: 'goes-on',
      reason: expect.stringMatching(/nobody@x\.test \(550 5\.1\.1/),
    });
    const some = await converse(mails, compose({ to: ['b@x.test', 'nobody@x.test'] }));
    expect(readOutcome(some)).toMatchObject({ kind: 'sent', accepted: ['b@x.test'] });
    expect(readOutcome(some).refusedForGood).toHaveLength(1);
    const relay = await converse(mails, compose({ to: 'b@elsewhere.test' }));
    expect(readOutcome(relay)).toMatchObject({ kind: 'none', lane: 'pause' });
    expect(readOutcome(relay).reason).toContain('elay access denied');
  });

  it('slows down when Postfix counts too many mails of one client', async () => {
    const server = await another({
      users,
      mailboxes,
      main: { smtpd_client_message_rate_limit: '2', smtpd_client_event_limit_exceptions: '' },
    });
    const mails = console_(own({ port: server.port, ca: server.ca }));
    for (let n = 0; n < 2; n++) expect((await converse(mails, compose())).phase).toBe('done');
    const third = await converse(mails, compose());
    expect(readOutcome(third)).toMatchObject({
      kind: 'none',
      lane: 'slow-down',
      reason: expect.stringContaining('too much mail'),
    });
  });

  it('goes on after Postfix was restarted under a kept-alive connection', async () => {
    const server = await another({ users, mailboxes });
    const mails = console_(own({ port: server.port, ca: server.ca }));
    expect((await converse(mails, compose())).phase).toBe('done');
    await server.stop();
    await server.start();
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(mails.logins).toBe(2);
    expect(await server.delivered(2)).toHaveLength(2);
  });
});

/** RFC 2047 words of a subject, base64 or quoted-printable. */
function decode(text: string): string {
  const plain = text.replace(/\?=\s+=\?/g, '?==?');
  const bytes = [...plain.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=|([^=]+|=)/gi)].map(
    ([, kind, words, other]) =>
      kind === undefined
        ? Buffer.from(other ?? '')
        : kind.toLowerCase() === 'b'
          ? Buffer.from(words ?? '', 'base64')
          : Buffer.from(
              (words ?? '')
                .replaceAll('_', ' ')
                .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
              'latin1',
            ),
  );
  return Buffer.concat(bytes).toString();
}
