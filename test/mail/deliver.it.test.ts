import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { PostroomError } from '../../src-main/contract/errors.ts';
import type { Conversation } from '../../src-main/mail/conversation.ts';
import type { MailServer } from '../../src-main/mail/deliver.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import {
  type ScriptedSmtpServer,
  type SmtpServerOptions,
  selfSignedCertificate,
  startSmtpProcess,
  startSmtpServer,
} from '../support/smtp-server.ts';
import { account, compose, converse, mailServer, shelf } from './kit.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function witness(options: SmtpServerOptions = {}): Promise<ScriptedSmtpServer> {
  const server = await startSmtpServer(options);
  cleanUp.push(() => server.close());
  return server;
}
function console_(...args: Parameters<typeof mailServer>): MailServer {
  const server = mailServer(...args);
  cleanUp.push(() => server.close());
  return server;
}
async function pair(options: SmtpServerOptions = {}, smtp: Parameters<typeof account>[1] = {}) {
  const server = await witness(options);
  return { server, mails: console_(account(server.port, smtp)) };
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const folder = 'a'.repeat(32);
const phasesOf = () => {
  const seen: string[] = [];
  return { seen, onPhase: (phase: string) => seen.push(phase) };
};

describe('a mail that is taken', () => {
  it('arrives as composed, once, with its envelope, size and server id', async () => {
    const { server, mails } = await pair({ size: 1_000_000 });
    const { seen, onPhase } = phasesOf();
    const mail = compose({
      to: 'Karel <b@x.test>',
      headers: 'Bcc: secret@x.test\r\nContent-Type: text/html',
      message: '<p>Příliš\n.dot</p>',
    });
    const conversation = await converse(mails, mail, { onPhase });
    expect(conversation).toMatchObject({
      phase: 'done',
      accepted: ['b@x.test', 'secret@x.test'],
      refused: [],
      fault: null,
      guardRefused: false,
      serverId: 'W1',
    });
    expect(conversation.reply).toEqual({ code: 250, enhanced: '2.0.0', text: 'Ok: queued as W1' });
    expect(conversation.tookMs).toBeGreaterThan(0);
    expect(seen).toEqual(['connect', 'mail', 'rcpt', 'data', 'body', 'dot', 'done']);
    expect(server.mails).toHaveLength(1);
    const got = server.mails[0];
    expect(got?.from).toBe('shop@shop.test');
    expect(got?.to).toEqual(['b@x.test', 'secret@x.test']);
    expect(got?.parameters).toBe(`SIZE=${got?.raw.length}`);
    const parsed = await simpleParser(got?.raw ?? '');
    expect(parsed.html).toBe('<p>Příliš\n.dot</p>\n');
    expect(got?.raw.toString()).not.toContain('secret@x.test');
    expect(readOutcome(conversation)).toMatchObject({
      kind: 'sent',
      lane: 'goes-on',
      reached: true,
      reason: '',
    });
  });

  it('shares one kept-alive connection with the next, and at most the allowed number at once', async () => {
    const server = await witness({ behaviour: ({ step }) => (step === 'dot' ? { delayMs: 15 } : undefined) });
    const mails = console_(account(server.port, { connections: 3 }));
    const conversations = await Promise.all(Array.from({ length: 12 }, () => converse(mails, compose())));
    expect(conversations.every(({ phase }) => phase === 'done')).toBe(true);
    expect(server.connections).toBe(3);
    expect(server.mostOpen).toBe(3);
    expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(12);
  });

  it('says QUIT when idle, and connects again for the next', async () => {
    const server = await witness();
    const mails = console_(account(server.port), { idleMs: 40 });
    await converse(mails, compose());
    await pause(150);
    expect(server.commands.at(-1)).toBe('QUIT');
    expect(server.open).toBe(0);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(2);
  });

  it.each([true, false])(
    'reads every answer in its place (pipelining %s): partial refusal',
    async (pipelining) => {
      const { server, mails } = await pair({
        pipelining,
        behaviour: ({ recipient }) =>
          recipient?.startsWith('gone')
            ? '550 5.1.1 No such user'
            : recipient?.startsWith('full')
              ? '452 4.2.2 Mailbox full'
              : undefined,
      });
      const conversation = await converse(
        mails,
        compose({ to: 'ok@x.test, gone@x.test, full@x.test, fine@x.test' }),
      );
      expect(conversation.accepted).toEqual(['ok@x.test', 'fine@x.test']);
      const outcome = readOutcome(conversation);
      expect(outcome).toMatchObject({
        kind: 'sent',
        lane: 'goes-on',
        accepted: ['ok@x.test', 'fine@x.test'],
      });
      expect(outcome.refusedForGood.map(({ address }) => address)).toEqual(['gone@x.test']);
      expect(outcome.refusedForNow.map(({ address }) => address)).toEqual(['full@x.test']);
      expect(server.mails[0]?.to).toEqual(['ok@x.test', 'fine@x.test']);
    },
  );

  it('counts a 2xx that is followed by a reset, or that comes in two pieces', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step, sequence }) =>
        step !== 'dot' ? undefined : sequence === 1 ? { thenDrop: 'rst' } : { split: true },
    });
    expect((await converse(mails, compose())).phase).toBe('done');
    await pause(20);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.mails).toHaveLength(2);
  });

  it('waits for a slow 250 and holds the connection for it', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'dot' ? { delayMs: 700 } : undefined),
    });
    const conversation = await converse(mails, compose());
    expect(conversation.phase).toBe('done');
    expect(conversation.tookMs).toBeGreaterThan(690);
    expect(server.dots).toBe(1);
  });
});

describe('the point of no return', () => {
  it('holds the dot back until the guard has passed', async () => {
    const { server, mails } = await pair();
    let dotsAtGuard = -1;
    const conversation = await converse(mails, compose(), {
      guard: async () => {
        await pause(150);
        dotsAtGuard = server.dots;
      },
    });
    expect(dotsAtGuard).toBe(0);
    expect(server.dots).toBe(1);
    expect(conversation.phase).toBe('done');
  });

  it('sends no dot when the guard refuses, and the next mail leaves over a new connection', async () => {
    const { server, mails } = await pair();
    const conversation = await converse(mails, compose({ message: 'x'.repeat(300_000) }), {
      guard: () => Promise.reject(new Error('lease lost')),
    });
    expect(conversation).toMatchObject({ guardRefused: true, phase: 'body', accepted: [], reply: null });
    expect(readOutcome(conversation)).toMatchObject({
      kind: 'none',
      lane: 'goes-on',
      reached: true,
      lostInBody: false,
    });
    await pause(50);
    expect(server.dots).toBe(0);
    expect(server.open).toBe(0);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(2);
    expect(server.mails).toHaveLength(1);
  });

  it('asks the guard once, after the whole body', async () => {
    const { mails } = await pair();
    const { seen, onPhase } = phasesOf();
    let asked = 0;
    await converse(mails, compose({ message: 'y'.repeat(2_000_000) }), {
      onPhase,
      guard: async () => {
        asked++;
        expect(seen.at(-1)).toBe('body');
      },
    });
    expect(asked).toBe(1);
  });

  it('sends no dot when the server answered, or hung up, while the guard was asked', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'body' ? { reply: '451 4.3.0 changed my mind' } : undefined),
    });
    const { seen, onPhase } = phasesOf();
    const early = await converse(mails, compose({ message: 'z'.repeat(3000) }), {
      onPhase,
      guard: () => pause(100) as Promise<void>,
    });
    expect(early).toMatchObject({ phase: 'body', reply: { code: 451 } });
    expect(readOutcome(early).kind).toBe('deferred');
    server.behaviour = ({ step }) => (step === 'body' ? { drop: 'rst' } : undefined);
    const cut = await converse(mails, compose({ message: 'z'.repeat(3000) }), {
      guard: () => pause(100) as Promise<void>,
    });
    expect(cut).toMatchObject({ phase: 'body', reply: null });
    expect(readOutcome(cut)).toMatchObject({ kind: 'none', lane: 'goes-on', lostInBody: true });
    await pause(150);
    expect(server.dots).toBe(0);
    expect(seen).not.toContain('dot');
  });

  it('does not believe a 2xx that comes before the dot', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'body' ? { reply: '250 ok already' } : undefined),
    });
    const conversation = await converse(mails, compose({ message: 'z'.repeat(3000) }), {
      guard: () => pause(100) as Promise<void>,
    });
    expect(conversation).toMatchObject({ phase: 'body', accepted: [], fault: { code: 'EPROTOCOL' } });
    await pause(50);
    expect(server.dots).toBe(0);
  });

  it('a stop before the guard ends it, one after the guard waits for the answer', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'dot' ? { delayMs: 150 } : undefined),
    });
    const early = new AbortController();
    const stopped = await converse(mails, compose(), {
      signal: early.signal,
      guard: async () => {
        early.abort();
        await pause(20);
      },
    });
    expect(stopped).toMatchObject({ phase: 'body', fault: { code: 'ESTOPPED' } });
    expect(readOutcome(stopped)).toMatchObject({ kind: 'none', lane: 'goes-on', lostInBody: false });
    const late = new AbortController();
    const sent = await converse(mails, compose(), {
      signal: late.signal,
      onPhase: (phase) => phase === 'dot' && setTimeout(() => late.abort(), 20),
    });
    expect(sent.phase).toBe('done');
    expect(server.mails).toHaveLength(1);
    const already = await converse(mails, compose(), { signal: AbortSignal.abort() });
    expect(already.fault?.code).toBe('ESTOPPED');
    expect(server.conversations).toHaveLength(2);
  });
});

describe('a connection that breaks', () => {
  const cases: [
    string,
    'greet' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot',
    Partial<Conversation>,
    object,
  ][] = [
    ['at the greeting', 'greet', { phase: 'connect' }, { kind: 'none', lane: 'pause', reached: false }],
    ['at MAIL FROM', 'mail', { phase: 'mail' }, { kind: 'none', lane: 'pause', reached: true }],
    ['at RCPT TO', 'rcpt', { phase: 'rcpt' }, { kind: 'none', lane: 'pause', reached: true }],
    ['at DATA', 'data', { phase: 'data' }, { kind: 'none', lane: 'pause', reached: true }],
    ['in mid body', 'body', { phase: 'body' }, { kind: 'none', lane: 'goes-on', lostInBody: true }],
    ['after the dot', 'dot', { phase: 'dot' }, { kind: 'in-doubt', lane: 'goes-on', reached: true }],
  ];
  for (const drop of ['fin', 'rst', 'silent'] as const) {
    it.each(cases)(`${drop} %s`, async (_where, at, expected, outcome) => {
      const server = await witness({
        behaviour: ({ step }) =>
          step === at ? (drop === 'silent' ? { silent: true } : { drop }) : undefined,
      });
      const mails = console_(account(server.port), {
        timeouts: { connect: 300, greeting: 300, command: 300, socket: 400 },
      });
      // in mid body the server hears nothing more, so the guard has to outlast it
      const guard = () =>
        at === 'body' ? (pause(drop === 'silent' ? 900 : 150) as Promise<void>) : Promise.resolve();
      const conversation = await converse(mails, compose({ message: 'w'.repeat(5000) }), { guard });
      expect(conversation).toMatchObject({ ...expected, reply: null, accepted: [], guardRefused: false });
      expect(conversation.fault).not.toBeNull();
      expect(readOutcome(conversation)).toMatchObject(outcome);
      // once, and nothing by itself afterwards (FINDINGS 3)
      await pause(50);
      expect(server.connections).toBe(1);
      expect(server.mails).toHaveLength(0);
    });
  }

  it('is in doubt although the server had accepted it', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'dot' ? { reply: '250 ok', drop: 'rst' } : undefined),
    });
    const conversation = await converse(mails, compose());
    expect(server.mails).toHaveLength(1);
    expect(readOutcome(conversation).kind).toBe('in-doubt');
  });

  it('tries a fresh connection once when the kept-alive one is dead, and only then', async () => {
    const { server, mails } = await pair();
    await converse(mails, compose());
    // dies without a word while the console does not look: the next command finds out
    server.behaviour = ({ step, connection }) =>
      step === 'mail' && connection === 1 ? { drop: 'rst' } : undefined;
    const conversation = await converse(mails, compose());
    expect(conversation.phase).toBe('done');
    expect(server.connections).toBe(2);
    server.behaviour = ({ step }) => (step === 'mail' ? { drop: 'rst' } : undefined);
    expect(await converse(mails, compose())).toMatchObject({ phase: 'mail', reply: null });
    expect(server.connections).toBe(3);
    expect(server.mails).toHaveLength(2);
  });

  it('does not try again once the server answered anything', async () => {
    const { server, mails } = await pair();
    await converse(mails, compose());
    server.behaviour = ({ step }) => (step === 'rcpt' ? { drop: 'rst' } : undefined);
    expect((await converse(mails, compose())).phase).toBe('rcpt');
    expect(server.connections).toBe(1);
  });

  it('takes a 421 about the idle connection for a dead one, but not one about us', async () => {
    const { server, mails } = await pair();
    await converse(mails, compose());
    server.behaviour = ({ step, connection }) =>
      step === 'mail' && connection === 1
        ? { reply: '421 4.4.2 Idle timeout, closing', thenDrop: 'fin' }
        : undefined;
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(2);
    server.behaviour = ({ step }) =>
      step === 'mail' ? { reply: '421 4.7.0 Too many messages this hour', thenDrop: 'fin' } : undefined;
    const throttled = await converse(mails, compose());
    expect(throttled).toMatchObject({ phase: 'mail', reply: { code: 421 } });
    expect(readOutcome(throttled)).toMatchObject({ kind: 'none', lane: 'slow-down' });
    expect(server.connections).toBe(2);
  });

  it('uses no session that the server ended while idle', async () => {
    const server = await witness({ idleMs: 60, idleReply: '421 4.4.2 timeout' });
    const mails = console_(account(server.port));
    await converse(mails, compose());
    await pause(150);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(2);
  });

  it('drop() ends idle and busy ones; the next conversation connects anew', async () => {
    const server = await witness({
      behaviour: ({ step, sequence }) => (step === 'rcpt' && sequence === 2 ? { delayMs: 5000 } : undefined),
    });
    const mails = console_(account(server.port, { connections: 2 }));
    await converse(mails, compose());
    const busy = converse(mails, compose());
    await pause(60);
    mails.drop();
    const conversation = await busy;
    expect(conversation).toMatchObject({ phase: 'rcpt', fault: { code: 'EDROPPED' } });
    expect(readOutcome(conversation)).toMatchObject({ kind: 'none', lane: 'goes-on' });
    expect((await converse(mails, compose())).phase).toBe('done');
  });
});

describe('a mail that is refused', () => {
  it.each([true, false])(
    'by every recipient (pipelining %s): the session is cleaned and used again',
    async (pipelining) => {
      const { server, mails } = await pair({
        pipelining,
        behaviour: ({ step, sequence }) =>
          step === 'rcpt' && sequence === 1 ? '550 5.1.1 User unknown' : undefined,
      });
      const conversation = await converse(mails, compose({ to: 'a@x.test, b@x.test' }));
      expect(conversation).toMatchObject({
        phase: 'rcpt',
        accepted: [],
        reply: { code: 550, enhanced: '5.1.1' },
      });
      expect(conversation.refused).toHaveLength(2);
      expect(readOutcome(conversation)).toMatchObject({ kind: 'rejected', lane: 'goes-on' });
      expect((await converse(mails, compose())).phase).toBe('done');
      expect(server.connections).toBe(1);
      expect(server.commands.filter((line) => line === 'RSET')).toHaveLength(1);
    },
  );

  it('by a server that takes DATA although all recipients were refused: nothing is delivered', async () => {
    const { server, mails } = await pair({
      pipelining: true,
      dataWithoutRecipients: true,
      behaviour: ({ step, sequence }) =>
        step === 'rcpt' && sequence === 1 ? '550 5.1.1 unknown' : undefined,
    });
    let asked = 0;
    const conversation = await converse(mails, compose(), { guard: async () => void asked++ });
    expect(conversation).toMatchObject({ phase: 'rcpt', accepted: [] });
    expect(asked).toBe(0);
    expect(server.mails.every(({ to }) => to.length === 0)).toBe(true);
    expect((await converse(mails, compose())).phase).toBe('done');
  });

  it.each([true, false])('at MAIL FROM (pipelining %s)', async (pipelining) => {
    const { mails } = await pair({
      pipelining,
      behaviour: ({ step }) => (step === 'mail' ? '553 5.1.8 Sender address rejected' : undefined),
    });
    const conversation = await converse(mails, compose());
    expect(conversation).toMatchObject({ phase: 'mail', reply: { code: 553, enhanced: '5.1.8' } });
    expect(readOutcome(conversation)).toMatchObject({ kind: 'none', lane: 'pause', reached: true });
  });

  it('after the dot, in several lines', async () => {
    const { server, mails } = await pair({
      behaviour: ({ step }) => (step === 'dot' ? '554-5.6.0 Cannot\r\n554 5.6.0 parse this' : undefined),
    });
    const conversation = await converse(mails, compose());
    expect(conversation).toMatchObject({
      phase: 'dot',
      reply: { code: 554, enhanced: '5.6.0', text: 'Cannot parse this' },
    });
    expect(readOutcome(conversation)).toMatchObject({ kind: 'rejected', lane: 'goes-on' });
    server.behaviour = () => undefined;
    await converse(mails, compose());
    expect(server.connections).toBe(1);
  });

  it('because the server says beforehand that it is too large', async () => {
    const { server, mails } = await pair({ size: 1000 });
    const conversation = await converse(mails, compose({ message: 'x'.repeat(5000) }));
    expect(readOutcome(conversation)).toMatchObject({ kind: 'rejected', reached: false });
    expect(readOutcome(conversation).reason).toContain('too large');
    expect(server.conversations).toHaveLength(0);
  });
});

describe('login and encryption', () => {
  const users = { 'shop@shop.test': 'p4ss-wörd' };
  const login = { user: 'shop@shop.test', password: 'p4ss-wörd' };

  it.each([['PLAIN'], ['LOGIN']])('logs in by %s once for many mails', async (method) => {
    const { server, mails } = await pair({ users, authMethods: [method] }, login);
    for (let n = 0; n < 3; n++) expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.mails[0]?.user).toBe('shop@shop.test');
    expect(server.logins).toHaveLength(1);
    expect(mails.logins).toBe(1);
  });

  it('names a refused login and keeps the password out of it, even when the server echoes it', async () => {
    const { mails } = await pair(
      { users, behaviour: ({ step }) => (step === 'auth' ? '535 5.7.8 wrong: hunter2-secret' : undefined) },
      { ...login, password: 'hunter2-secret' },
    );
    const conversation = await converse(mails, compose());
    expect(conversation).toMatchObject({
      phase: 'login',
      reply: { code: 535, enhanced: '5.7.8', text: 'wrong: ***' },
    });
    expect(JSON.stringify(conversation)).not.toContain('hunter2');
    expect(readOutcome(conversation)).toMatchObject({ kind: 'none', lane: 'pause', reached: false });
    const error = await mails.probe().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PostroomError);
    expect(error).toMatchObject({ code: 'login' });
    expect(`${(error as PostroomError).message} ${(error as PostroomError).detail}`).not.toContain('hunter2');
  });

  it('keeps the password out of what is no answer at all', async () => {
    const { mails } = await pair(
      { users, behaviour: ({ step }) => (step === 'auth' ? '999 you said hunter2-secret' : undefined) },
      { ...login, password: 'hunter2-secret' },
    );
    const conversation = await converse(mails, compose());
    expect(conversation).toMatchObject({ phase: 'login', reply: null });
    expect(conversation.fault?.message).toContain('you said ***');
  });

  it('goes by STARTTLS with an own authority, and refuses an unknown certificate', async () => {
    const tls = selfSignedCertificate();
    const ca = join(mkdtempSync(join(tmpdir(), 'postroom-')), 'ca.pem');
    writeFileSync(ca, tls.cert);
    const server = await witness({ tls, users });
    const good = console_(account(server.port, { ...login, security: 'starttls', ca, host: 'localhost' }));
    expect((await converse(good, compose())).phase).toBe('done');
    expect(server.mails[0]?.secure).toBe(true);
    const bad = console_(account(server.port, { ...login, security: 'starttls' }));
    const conversation = await converse(bad, compose());
    expect(conversation).toMatchObject({ phase: 'connect', fault: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    expect(readOutcome(conversation).reason).toContain('self-signed');
    expect(server.logins).toHaveLength(1);
  });

  it('insists on STARTTLS where it is asked for', async () => {
    const { server, mails } = await pair({ users }, { ...login, security: 'starttls' });
    expect((await converse(mails, compose())).phase).toBe('connect');
    expect(server.logins).toHaveLength(0);
  });

  it('speaks TLS from the first byte, and names an expired and a foreign certificate', async () => {
    const day = 86_400_000;
    const outcomes: string[] = [];
    for (const certificate of [
      selfSignedCertificate(),
      selfSignedCertificate({ notBefore: Date.now() - 9 * day, notAfter: Date.now() - day }),
      selfSignedCertificate({ names: ['other.test'] }),
    ]) {
      const ca = join(mkdtempSync(join(tmpdir(), 'postroom-')), 'ca.pem');
      writeFileSync(ca, certificate.cert);
      const server = await witness({ tls: certificate, secure: true });
      const mails = console_(account(server.port, { security: 'tls', ca, host: 'localhost' }));
      const conversation = await converse(mails, compose());
      outcomes.push(conversation.fault?.code ?? conversation.phase);
    }
    expect(outcomes).toEqual(['done', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']);
  });

  it('refuses the connection in plain words: nobody there, no name, no SMTP', async () => {
    const server = await witness({
      behaviour: ({ step }) => (step === 'greet' ? '554 5.3.2 go away' : undefined),
    });
    const closed = await startSmtpServer();
    await closed.close();
    const refused = await converse(console_(account(closed.port)), compose());
    expect(refused).toMatchObject({ phase: 'connect', fault: { code: 'ECONNREFUSED' } });
    const away = await converse(console_(account(server.port)), compose());
    expect(away).toMatchObject({ phase: 'connect', reply: { code: 554 } });
    expect(readOutcome(away)).toMatchObject({ kind: 'none', lane: 'pause', reached: false });
    await expect(console_(account(closed.port)).probe()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('nobody listens'),
    });
    const missing = console_(account(server.port, { security: 'tls', ca: '/nowhere/ca.pem' }));
    expect(await converse(missing, compose())).toMatchObject({
      phase: 'connect',
      fault: { code: 'ECAFILE' },
    });
  });

  it('probes with connect, login and RSET, and no mail', async () => {
    const { server, mails } = await pair({ users }, login);
    await mails.probe();
    expect(server.commands.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'AUTH', 'RSET']);
    expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(1);
  });
});

describe('attachments', () => {
  const content = randomBytes(300_000);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const attached = (more: object = {}) =>
    compose({
      attachments: [{ name: 'Faktura č. 1.pdf', file: `${folder}/f.pdf`, ...more }],
      attachmentDir: folder,
    });

  it('stream in, exact in content, name and SIZE', async () => {
    const { server, mails } = await pair({ size: 10_000_000 });
    const { open, state } = shelf({ 'f.pdf': content });
    const conversation = await converse(mails, attached({ size: content.length, sha256 }), {
      openAttachment: open,
    });
    expect(conversation.phase).toBe('done');
    const got = server.mails[0];
    const parsed = await simpleParser(got?.raw ?? '');
    expect(parsed.attachments[0]?.filename).toBe('Faktura č. 1.pdf');
    expect(parsed.attachments[0]?.content.equals(content)).toBe(true);
    expect(got?.parameters).toBe(`SIZE=${got?.raw.length}`);
    expect(state.streams.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('that are missing or have another size cost no conversation', async () => {
    const { server, mails } = await pair();
    const missing = await converse(mails, attached(), {
      openAttachment: () => Promise.reject(new PostroomError('not-found', 'gone')),
    });
    expect(readOutcome(missing)).toMatchObject({
      kind: 'rejected',
      lane: 'goes-on',
      reached: false,
      reason: 'attachment missing: Faktura č. 1.pdf',
    });
    const { open, state } = shelf({ 'f.pdf': content });
    const other = await converse(mails, attached({ size: 5 }), { openAttachment: open });
    expect(readOutcome(other)).toMatchObject({
      kind: 'rejected',
      reason: 'attachment changed: Faktura č. 1.pdf',
    });
    expect(state.streams.every(({ destroyed }) => destroyed)).toBe(true);
    const lost = await converse(mails, attached(), {
      openAttachment: () => Promise.reject(new PostroomError('unreachable', 'the way is gone')),
    });
    expect(readOutcome(lost)).toMatchObject({ kind: 'none', lane: 'pause', reached: false });
    expect(server.connections).toBe(0);
  });

  it('that turn out changed, shorter or unreadable while streaming: no dot, a new connection for the next', async () => {
    const { server, mails } = await pair();
    const { open } = shelf({ 'f.pdf': content });
    const changed = await converse(mails, attached({ size: content.length, sha256: 'b'.repeat(64) }), {
      openAttachment: open,
    });
    expect(changed).toMatchObject({
      phase: 'body',
      fault: { code: 'EATTACHMENT', message: 'attachment changed: Faktura č. 1.pdf' },
    });
    expect(readOutcome(changed).kind).toBe('rejected');
    const shorter = await converse(mails, attached(), {
      openAttachment: async () => ({ stream: Readable.from([content]), size: content.length + 1 }),
    });
    expect(shorter.fault?.code).toBe('EATTACHMENT');
    async function* breaking() {
      yield content.subarray(0, 1000);
      throw new Error('tunnel gone');
    }
    const lost = await converse(mails, attached(), {
      openAttachment: async () => ({ stream: Readable.from(breaking()), size: content.length }),
    });
    expect(lost).toMatchObject({ phase: 'body', fault: { code: 'EFILES' } });
    expect(readOutcome(lost)).toMatchObject({ kind: 'none', lane: 'pause' });
    await pause(50);
    expect(server.dots).toBe(0);
    expect((await converse(mails, compose())).phase).toBe('done');
  });

  it('of 20 MB are read only as fast as the server takes them, and not before 354', async () => {
    const server = await startSmtpProcess({ keepRaw: false });
    cleanUp.push(() => server.stop());
    const mails = console_(account(server.port), { timeouts: { socket: 60_000 } });
    const total = 20_000_000;
    let produced = 0;
    const stream = new Readable({
      read() {
        const piece = Math.min(65_536, total - produced);
        produced += piece;
        this.push(piece === 0 ? null : Buffer.alloc(piece, 7));
      },
    });
    let atBody = -1;
    let asked = 0;
    const conversation = await converse(mails, attached(), {
      openAttachment: async () => ({ stream, size: total }),
      onPhase: (phase) => {
        if (phase === 'body') atBody = produced;
      },
      guard: async () => {
        asked = produced;
      },
    });
    expect(conversation.phase).toBe('done');
    // what a stream buffers by itself
    expect(atBody).toBeLessThan(200_000);
    expect(asked).toBe(total);
    expect((await server.report()).mails[0]?.bytes).toBeGreaterThan((total * 4) / 3);
  }, 60_000);
});

describe('through a tunnel', () => {
  /** A Duplex without a socket's methods that is connected a little later, as an SSH channel is. */
  function lateChannel(port: number): Duplex {
    let socket: Socket | null = null;
    const waiting: (() => void)[] = [];
    const channel = new Duplex({
      read() {
        socket?.resume();
      },
      write(chunk, _encoding, done) {
        const go = () => socket?.write(chunk, () => done());
        if (socket) go();
        else waiting.push(go);
      },
      destroy(error, done) {
        socket?.destroy();
        done(error);
      },
    });
    setTimeout(() => {
      socket = connect(port, '127.0.0.1');
      socket.on('data', (chunk) => channel.push(chunk) || socket?.pause());
      socket.on('end', () => channel.push(null));
      socket.on('error', (error) => channel.destroy(error));
      for (const go of waiting.splice(0)) go();
    }, 30);
    return channel;
  }

  it.each(['none', 'starttls', 'tls'] as const)('delivers with security %s', async (security) => {
    const tls = selfSignedCertificate();
    const ca = join(mkdtempSync(join(tmpdir(), 'postroom-')), 'ca.pem');
    writeFileSync(ca, tls.cert);
    const server = await witness(security === 'none' ? {} : { tls, secure: security === 'tls' });
    const mails = console_(
      account(server.port, { security, host: 'localhost', ...(security === 'none' ? {} : { ca }) }),
      { openSocket: () => lateChannel(server.port) },
    );
    for (let n = 0; n < 2; n++) expect((await converse(mails, compose())).phase).toBe('done');
    expect(server.connections).toBe(1);
  });

  it('notices silence on a stream that has no timer of its own', async () => {
    const server = await witness({
      behaviour: ({ step }) => (step === 'dot' ? { silent: true } : undefined),
    });
    const mails = console_(account(server.port), {
      openSocket: () => lateChannel(server.port),
      timeouts: { socket: 200 },
    });
    expect(await converse(mails, compose())).toMatchObject({ phase: 'dot', fault: { code: 'ETIMEDOUT' } });
  });
});

it('close() lets busy conversations end and leaves no connection', async () => {
  const server = await witness({ behaviour: ({ step }) => (step === 'dot' ? { delayMs: 100 } : undefined) });
  const mails = mailServer(account(server.port, { connections: 2 }));
  const busy = [converse(mails, compose()), converse(mails, compose())];
  await pause(50);
  await mails.close();
  expect((await Promise.all(busy)).map(({ phase }) => phase)).toEqual(['done', 'done']);
  await pause(30);
  expect(server.open).toBe(0);
});

it('the scripted server also runs as a process of its own', async () => {
  const server = await startSmtpProcess({ pipelining: true }, [
    { step: 'dot', action: { reply: '451 4.3.0 later' }, times: 1 },
  ]);
  cleanUp.push(() => server.stop());
  const mails = console_(account(server.port));
  expect((await converse(mails, compose())).reply?.code).toBe(451);
  expect((await converse(mails, compose())).phase).toBe('done');
  const report = await server.report();
  expect(report).toMatchObject({ dots: 2, connections: 1 });
  expect(report.mails).toHaveLength(1);
});
