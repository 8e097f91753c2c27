/** `drain` as a process, against the demo's mail server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DrainSummary } from '../../src-main/contract/desk.ts';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import { MailSink } from '../../src-main/demo/sink.ts';
import {
  builtCli,
  embeddedConfig,
  type Folder,
  jsonLines,
  linesOf,
  makeFolder,
  runCli,
  startCli,
} from './kit.ts';

let folder: Folder;
let sink: MailSink;
let common: string[];

beforeAll(builtCli);
beforeEach(async () => {
  folder = await makeFolder();
  sink = await MailSink.open();
  common = [
    '--config',
    await folder.file('shop.json', embeddedConfig(sink.port)),
    '--state',
    `${folder.path}/state`,
  ];
  expect((await runCli(['schema', '--apply', ...common])).code).toBe(0);
  return async () => {
    await sink.close();
    await folder.remove();
  };
});
afterAll(() => undefined);

const enqueue = async (...to: string[]) => {
  const stdin = to.map((one) => JSON.stringify({ to: one, subject: 'Hello', message: 'x' })).join('\n');
  expect((await runCli(['enqueue', ...common], { stdin })).code).toBe(0);
};
const rows = async () => jsonLines<QueueRow>((await runCli(['list', '--json', ...common])).stdout);

describe('drain', () => {
  it('ends at once when nothing waits', async () => {
    const ran = await runCli(['drain', '--until-empty', '--json', ...common]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      sent: 0,
      failed: 0,
      remaining: 0,
      state: 'disabled',
      interrupted: false,
    });
  });

  it('sends what waits, though the queue was disabled, and disables it again', async () => {
    await enqueue('a@customer.example', 'b@customer.example');
    const ran = await runCli(['drain', '--until-empty', '--json', ...common]);
    expect(ran.code).toBe(0);
    const summary = JSON.parse(ran.stdout) as DrainSummary;
    expect(summary).toMatchObject({
      sent: 2,
      failed: 0,
      in_doubt: 0,
      remaining: 0,
      duplicates: 0,
      cap_per_60s: 60,
      state: 'disabled',
    });
    expect(sink.proof()).toMatchObject({ arrived: 2, duplicates: 0 });
  });

  it('answers 1 when a mail failed, and tells of it', async () => {
    await enqueue('a@customer.example', 'b@unknown.example');
    const ran = await runCli(['drain', '--until-empty', ...common]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/Failed: row 2 to b@unknown\.example: .*5\.1\.1/);
    expect(linesOf(ran.stdout)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^failed: +1$/), expect.stringMatching(/^sent: +1$/)]),
    );
    expect((await rows()).map((row) => row.state)).toEqual(['failed', 'sent']);
  });

  it('interrupted, settles what is in flight and gives the rest back', async () => {
    await enqueue(
      'a@slow.example',
      'b@customer.example',
      'c@customer.example',
      'd@customer.example',
      'e@customer.example',
    );
    const running = startCli(['drain', '--json', ...common]);
    await new Promise((resolve) => sink.onArrival(resolve));
    running.child.kill('SIGINT');
    const ran = await running.ended;
    expect(ran.code).toBe(130);
    expect(ran.stderr).toContain('settling what is in flight');
    const after = await rows();
    const sent = after.filter((row) => row.state === 'sent').length;
    expect(after.filter((row) => row.state === 'sending')).toEqual([]);
    expect(sent).toBe(sink.proof().arrived);
    expect(JSON.parse(ran.stdout)).toMatchObject({ interrupted: true, sent, remaining: 5 - sent });
    for (const row of after.filter((one) => one.state === 'pending')) expect(row.attempts).toBe(0);
    // and the next one sends the rest, each once
    expect((await runCli(['drain', '--until-empty', ...common])).code).toBe(0);
    expect(sink.proof()).toMatchObject({ arrived: 5, duplicates: 0 });
  });

  it('without --until-empty waits for more, and ends on SIGTERM', async () => {
    const running = startCli(['drain', ...common]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(running.child.exitCode).toBeNull();
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(130);
  });

  it('ends at once when it is interrupted a second time', async () => {
    await enqueue('a@slow.example');
    const running = startCli(['drain', ...common]);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    running.child.kill('SIGINT');
    await running.says('settling what is in flight');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const began = performance.now();
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('gives up on a mail server that takes nothing, and loses nothing', async () => {
    await enqueue('a@customer.example');
    await sink.close();
    const ran = await runCli(['drain', '--until-empty', ...common]);
    sink = await MailSink.open();
    expect(ran.code).toBe(3);
    expect(linesOf(ran.stderr).at(-1)).toMatch(/^postroom: No mail could be sent, 1 mail waits: /);
    expect(await rows()).toMatchObject([{ state: 'pending', attempts: 0 }]);
  });
});
