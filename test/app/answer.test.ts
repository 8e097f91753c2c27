import { describe, expect, it, vi } from 'vitest';
import { answerCall, type Handlers } from '../../src-main/app/answer.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';

function handlers(some: Partial<Handlers>): Handlers {
  return new Proxy(some, {
    get: (target, name) =>
      target[name as keyof Handlers] ??
      (() => {
        throw new Error(`unexpected call ${String(name)}`);
      }),
  }) as Handlers;
}

const report = vi.fn();
const trusted = { trusted: true, report };

describe('answering a call', () => {
  it('parses the arguments, fills in defaults, and wraps the answer', async () => {
    const pause = vi.fn(() => ({ by: 'person' as const, reason: '', until: 5 }));
    const reply = await answerCall(handlers({ 'shop:pause': pause }), 'shop:pause', ['demo', {}], trusted);
    expect(pause).toHaveBeenCalledWith('demo', { minutes: 15, reason: '' });
    expect(reply).toEqual({ ok: true, value: { by: 'person', reason: '', until: 5 } });
  });

  it.each<[string, 'queue:list' | 'queue:delete' | 'app:open-link' | 'shop:status', unknown[]]>([
    ['a profile id that is a path', 'shop:status', ['../../etc']],
    ['too many arguments', 'shop:status', ['demo', 1]],
    ['a page without end', 'queue:list', ['demo', { limit: 1e9 }]],
    ['a selection of nothing', 'queue:delete', ['demo', { ids: [] }]],
    ['a selection that is both', 'queue:delete', ['demo', { ids: [1], filter: {} }]],
    ['a link to a file', 'app:open-link', ['file:///etc/passwd']],
    ['a link that is a script', 'app:open-link', ['javascript:alert(1)']],
  ])('refuses %s before anything happens', async (_what, name, args) => {
    const reply = await answerCall(handlers({}), name, args, trusted);
    expect(reply).toMatchObject({ ok: false, error: { code: 'usage' } });
  });

  it('refuses a stranger, whatever is asked', async () => {
    const list = vi.fn(() => []);
    const reply = await answerCall(handlers({ 'profiles:list': list }), 'profiles:list', [], {
      trusted: false,
      report,
    });
    expect(reply).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(list).not.toHaveBeenCalled();
  });

  it('never reports the value of an argument', async () => {
    report.mockClear();
    await answerCall(
      handlers({}),
      'profiles:save',
      [null, {}, { 'smtp.password': { secret: 'hunter2' } }],
      trusted,
    );
    expect(report).toHaveBeenCalled();
    expect(JSON.stringify(report.mock.calls)).not.toContain('hunter2');
  });

  it('lets an error for people cross in its own words', async () => {
    const status = () =>
      Promise.reject(new PostroomError('login', 'The password was refused.', { detail: '1045' }));
    const reply = await answerCall(handlers({ 'shop:status': status }), 'shop:status', ['demo'], trusted);
    expect(reply).toEqual({
      ok: false,
      error: { code: 'login', message: 'The password was refused.', detail: '1045' },
    });
  });

  it('turns anything else into one plain sentence, its detail redacted', async () => {
    report.mockClear();
    const status = () => Promise.reject(new TypeError('no row for eva@shop.example, password=hunter2'));
    const reply = await answerCall(handlers({ 'shop:status': status }), 'shop:status', ['demo'], trusted);
    expect(reply).toMatchObject({ ok: false, error: { code: 'bug' } });
    expect(JSON.stringify(reply)).not.toMatch(/eva@|hunter2|TypeError/);
    expect(report).toHaveBeenCalledOnce();
  });
});
