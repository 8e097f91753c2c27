import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { startSmtpProcess } from '../support/smtp-server.ts';
import { account, compose, converse, shelf } from './kit.ts';

import { cleanUp, console_, pair, pause } from './kit-server.ts';

const folder = 'a'.repeat(32);
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
