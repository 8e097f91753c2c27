import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src-main/mail/conversation.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { account, compose, converse } from './kit.ts';

import { console_, pair, pause, witness } from './kit-server.ts';

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
