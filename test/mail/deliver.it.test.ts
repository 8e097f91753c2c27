import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { startSmtpProcess } from '../support/smtp-server.ts';
import { account, compose, converse, mailServer } from './kit.ts';

import { cleanUp, console_, pair, pause, phasesOf, witness } from './kit-server.ts';

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
    expect(got?.parameters).toBe(`BODY=8BITMIME SIZE=${got?.raw.length}`);
    const parsed = await simpleParser(got?.raw ?? '');
    expect(String(parsed.html).trimEnd()).toBe('<p>Příliš\n.dot</p>');
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
