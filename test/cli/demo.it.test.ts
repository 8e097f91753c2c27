/** `demo` as a process: what a person sees first. */
import { beforeAll, describe, expect, it } from 'vitest';
import { builtCli, linesOf, runCli, startCli } from './kit.ts';

beforeAll(builtCli);

describe('demo', () => {
  it('sends its mails, proves the cap by the mail server, and is done though some are refused', async () => {
    const began = performance.now();
    const ran = await runCli(['demo', '--mails', '15', '--rate', '60', '--json']);
    expect(ran.stderr).not.toContain('broken');
    expect(ran.code).toBe(0);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: true,
      mails: 15,
      sent: 12,
      arrived: 12,
      failed: 2,
      deferred: 1,
      remaining: 1,
      in_doubt: 0,
      duplicates: 0,
      cap_per_60s: 60,
    });
  });

  it('speaks to people: what arrived, what was refused, a summary', async () => {
    const ran = await runCli(['demo', '--mails', '6']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^arrived {2}anezka\.dvorakova@customer\.example/m);
    expect(ran.stderr).toMatch(/^refused .*unknown\.example/m);
    expect(ran.stderr.split('Every promise was kept.')).toHaveLength(2); // said once
    const lines = linesOf(ran.stdout);
    for (const words of [
      /^sent: +5$/,
      /^failed: +1 /,
      /^most in any 60 s: +6 of at most 60$/,
      /^duplicates: +0$/,
    ])
      expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(words)]));
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('\u001b');
  });

  it('shows the same over a table of another shape', async () => {
    const ran = await runCli(['demo', '--shape', 'jobs', '--mails', '15', '--rate', '60', '--json']);
    expect(ran.stderr).not.toContain('broken');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: true,
      mails: 15,
      duplicates: 0,
      in_doubt: 0,
      cap_per_60s: 60,
    });
    const strange = await runCli(['demo', '--shape', 'laravel']);
    expect(strange.code).toBe(2);
    expect(strange.stderr).toContain('email-jobs');
  });

  it('can be interrupted', async () => {
    const running = startCli(['demo', '--mails', '30', '--rate', '30']);
    await running.says('arrived');
    running.child.kill('SIGINT');
    const ran = await running.ended;
    expect(ran.code).toBe(130);
    expect(ran.stdout).toContain('duplicates:');
    expect(ran.stderr).not.toContain('Every promise was kept');
  });
});
