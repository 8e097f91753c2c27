/** Every command but `drain` and `demo`, as a process, on an embedded database. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueRow, RowDetail } from '../../src-main/contract/rows.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { MailSink } from '../../src-main/demo/sink.ts';
import {
  builtCli,
  embeddedConfig,
  type Folder,
  faultsOfError,
  jsonLines,
  linesOf,
  makeFolder,
  type Ran,
  runCli,
  startCli,
} from './kit.ts';

let folder: Folder;
let sink: MailSink;
let config: string;
const run = (...args: string[]): Promise<Ran> =>
  runCli([...args, '--config', config, '--state', path.join(folder.path, 'state')]);
const status = async (): Promise<ShopStatus> =>
  JSON.parse((await run('status', '--json')).stdout) as ShopStatus;
const mail = (to: string, more: object = {}) =>
  JSON.stringify({ to, subject: `To ${to}`, message: 'Hello', ...more });

beforeAll(async () => {
  await builtCli();
  folder = await makeFolder();
  sink = await MailSink.open();
  config = await folder.file('shop.json', embeddedConfig(sink.port));
});
afterAll(() => folder.remove());

describe('the commands, one after the other', () => {
  it('says that tables are missing, and how they come', async () => {
    const ran = await run('status');
    expect(ran.code).toBe(3);
    expect(faultsOfError(ran)).toEqual([]);
    expect(ran.stderr).toContain('postroom schema --apply');
  });

  it('prints the statements that would make them, and makes them', async () => {
    const before = await run('schema');
    expect(before.code).toBe(3);
    expect(before.stdout).toContain('CREATE TABLE');
    expect(before.stderr).toContain('wp_studiou_wcmq_queue: is missing');
    const made = await run('schema', '--apply');
    expect([made.code, made.stdout]).toEqual([0, '']);
    expect(made.stderr).toContain('wp_studiou_wcmq_queue: made');
    const after = await run('schema', '--json');
    expect(after.code).toBe(0);
    expect(JSON.parse(after.stdout)).toMatchObject({ complete: true, statements: [] });
  });

  it('has stored the settings of the file', async () => {
    expect((await status()).settings.rate_per_minute).toBe(60);
  });

  it('queues mails from a file and from stdin', async () => {
    const file = await folder.file(
      'mails.ndjson',
      `${mail('anna@customer.example')}\n${mail('boris@customer.example')}\n`,
    );
    const fromFile = await run('enqueue', '--file', file);
    expect([fromFile.code, linesOf(fromFile.stdout)]).toEqual([0, ['1', '2']]);
    const args = ['enqueue', '--json', '--config', config, '--file', '-'];
    const later = mail('cyril@customer.example', {
      send_at: '2035-01-01T00:00:00Z',
      priority: 3,
      order_id: 77,
    });
    const fromStdin = await runCli(args, { stdin: later });
    expect([fromStdin.code, fromStdin.stdout]).toEqual([0, '{"id":3}\n']);
    expect(fromStdin.stderr).toBe('1 mail queued.\n');
  });

  it('queues nothing when one line is wrong, and names it', async () => {
    const lines = [mail('a@b.example'), '{"to":"a@b.example","subject":"no text"}'];
    const ran = await runCli(['enqueue', '--config', config], { stdin: lines.join('\n') });
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
    expect(ran.stderr).toContain('line 2: message is missing');
    expect((await status()).counts.pending).toBe(3);
  });

  it('queues nothing when a recipient can never be reached', async () => {
    const ran = await runCli(['enqueue', '--config', config], {
      stdin: `${mail('a@b.example')}\n${mail('nobody')}`,
    });
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
    expect((await status()).counts.pending).toBe(3);
  });

  it('lists rows as a table and as JSON, filtered', async () => {
    const table = await run('list');
    expect(linesOf(table.stdout)).toHaveLength(4);
    expect(linesOf(table.stdout)[0]).toMatch(/^ *ID +STATE +WHEN +TRIES +RECIPIENT +SUBJECT/);
    const rows = jsonLines<QueueRow>(
      (await run('list', '--json', '--state', 'pending', '--search', 'boris')).stdout,
    );
    expect(rows.map((row) => row.recipient)).toEqual(['boris@customer.example']);
    const limited = await run('list', '--json', '--limit', '2');
    expect(jsonLines(limited.stdout)).toHaveLength(2);
    expect(limited.stderr).toContain('2 of 3 rows');
    const none = await run('list', '--state', 'failed');
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No such rows.\n']);
  });

  it('shows one row', async () => {
    const row = JSON.parse((await run('show', '3', '--json')).stdout) as RowDetail;
    expect(row).toMatchObject({
      id: 3,
      priority: 3,
      order_id: 77,
      state: 'pending',
      scheduled_at: 2_051_222_400,
    });
    const words = await run('show', '3');
    expect(words.stdout).toContain('cyril@customer.example');
    expect(words.stdout).toContain('Hello');
    const missing = await run('show', '99');
    expect(missing.code).toBe(2);
    expect(faultsOfError(missing)).toEqual([]);
  });

  it('retries and deletes, and names what it left alone', async () => {
    const both = await run('retry', '1', '99');
    expect(both.code).toBe(0);
    expect(both.stderr).toContain('1 mail will be sent again.');
    expect(both.stderr).toContain('Row 99 was left alone: it is not there any more.');
    expect((await run('retry', '99')).code).toBe(2);
    const json = await run('delete', '2', '--json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, { done: 1, refused: [] }]);
    const all = await run('delete', '--state', 'pending');
    expect(all.stderr).toContain('2 rows deleted.');
    expect((await run('delete', '--state', 'pending')).code).toBe(0);
  });

  it('never takes a mistyped state for a folder', async () => {
    const ran = await runCli(['delete', '--config', config, '--state', 'faild']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('no state of rows');
  });

  it('resolves nothing that is not in doubt', async () => {
    expect((await run('resolve', '1')).code).toBe(2);
    expect((await run('resolve', '1', '--arrived', '--send-again')).code).toBe(2);
    const ran = await run('resolve', '1', '--arrived');
    expect(ran.code).toBe(2);
    expect(faultsOfError(ran)).toEqual([]);
  });

  it('holds, releases, orders and readdresses waiting rows, with the words of the guards', async () => {
    const made = await runCli(['enqueue', '--config', config], { stdin: mail('held@customer.example') });
    const id = made.stdout.trim();
    const row = async () => JSON.parse((await run('show', id, '--json')).stdout) as RowDetail;
    const hold = await run('hold', id, '999');
    expect([hold.code, hold.stdout]).toEqual([0, '']);
    expect(hold.stderr).toBe('1 mail held.\nRow 999 was left alone: it is not there any more.\n');
    expect((await row()).held_until).toBe(253_402_300_799);
    expect((await run('show', id)).stdout).toMatch(/held until: +it is released/);
    expect((await run('release', id, '--json')).stdout).toBe('{"done":1,"refused":[]}\n');
    const again = await run('release', id);
    expect([again.code, again.stderr]).toEqual([
      2,
      `0 mails released.\nRow ${id} was left alone: it is not held.\n`,
    ]);
    await run('hold', id, '--until', '2035-01-01T00:00:00Z');
    expect((await row()).held_until).toBe(2_051_222_400);
    expect((await run('hold', id, '--until', 'soon')).code).toBe(2);
    expect((await run('priority', '7', id)).stderr).toBe('1 mail given priority 7.\n');
    expect((await run('priority', '40000', id)).code).toBe(2);
    expect((await run('next', id)).stderr).toBe('1 mail put first.\n');
    expect(await row()).toMatchObject({ held_until: null });
    expect((await row()).priority).toBeLessThan(7);
    expect((await run('readdress', id, 'new@customer.example')).code).toBe(0);
    expect(await row()).toMatchObject({ recipient: 'new@customer.example', message_id: null });
    const wrong = await run('readdress', id, 'nobody');
    expect(wrong.code).toBe(2);
    expect(faultsOfError(wrong)).toEqual([]);
    expect((await run('delete', id)).code).toBe(0);
  });

  it('enables, pauses, resumes and disables', async () => {
    // nobody listens at port 1: mail could not leave
    const dead = await folder.file('dead.json', embeddedConfig());
    const refused = await runCli(['enable', '--config', dead, '--state', path.join(folder.path, 'state')]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('Mail server answers')]);
    expect((await status()).state).toBe('disabled');
    expect(JSON.parse((await run('enable', '--json')).stdout)).toEqual({ state: 'enabled' });
    const pause = await run('pause', '--minutes', '7', '--reason', 'the host asked');
    expect([pause.code, pause.stdout]).toEqual([0, '']);
    const paused = await status();
    expect(paused.pause).toMatchObject({ by: 'person', reason: 'the host asked' });
    expect(paused.pause?.until).toBeGreaterThan(paused.now + 400);
    expect((await run('status')).stdout).toContain('the host asked');
    expect((await run('pause', '--minutes', '0')).code).toBe(2);
    expect((await run('resume')).code).toBe(0);
    expect((await status()).pause).toBeNull();
    expect(JSON.parse((await run('disable', '--json')).stdout)).toEqual({ state: 'disabled' });
  });

  it('shows the log, the newest last', async () => {
    const lines = jsonLines<{ id: number; level: string; message: string }>(
      (await run('log', '--json')).stdout,
    );
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.map((line) => line.id)).toEqual(lines.map((line) => line.id).toSorted((a, b) => a - b));
    expect(lines.at(-1)?.message).toContain('disabled');
    expect((await run('log', '--level', 'error', '--json')).stdout).toBe('');
    expect((await run('log', '--level', 'loud')).code).toBe(2);
  });

  it('examines the way step by step, and is red where it is broken', async () => {
    expect((await run('doctor')).code).toBe(0);
    await sink.close();
    const ran = await run('doctor');
    expect(ran.code).toBe(3);
    expect(ran.stdout).toMatch(/^good /m);
    expect(ran.stdout).toMatch(/^bad .*Mail server/m);
    const json = JSON.parse((await run('doctor', '--json')).stdout) as {
      ok: boolean;
      steps: { color: string }[];
    };
    expect(json.ok).toBe(false);
    expect(json.steps.some((step) => step.color === 'red')).toBe(true);
  });

  it('takes the common options before the command too', async () => {
    const ran = await runCli(['--config', config, '--json', 'status']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ profile: 'Test shop' });
  });

  it('does not mind a reader that goes away', async () => {
    const mails = Array.from({ length: 400 }, (_, n) =>
      mail(`n${n}@customer.example`, { message: 'x'.repeat(200) }),
    );
    expect((await runCli(['enqueue', '--config', config], { stdin: mails.join('\n') })).code).toBe(0);
    const running = startCli(['list', '--config', config, '--json', '--limit', '400']);
    running.child.stdout?.once('data', () => running.child.stdout?.destroy());
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
  });
});
