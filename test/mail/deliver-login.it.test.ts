import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { selfSignedCertificate, startSmtpServer } from '../support/smtp-server.ts';
import { account, compose, converse } from './kit.ts';

import { console_, pair, witness } from './kit-server.ts';

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
