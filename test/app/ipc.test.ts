import { beforeEach, describe, expect, it, vi } from 'vitest';

const handled = vi.hoisted(() => new Map<string, (event: unknown, ...args: unknown[]) => Promise<unknown>>());
vi.mock('electron', () => ({
  ipcMain: { handle: (name: string, listener: never) => handled.set(name, listener) },
}));

const { registerCalls } = await import('../../src-main/app/ipc.ts');
const { isOurFrame, trustDevelopmentOrigin } = await import('../../src-main/app/sender.ts');
const { calls } = await import('../../src-main/contract/channels.ts');
const { callNames } = await import('../../src-main/contract/names.ts');

const mainFrame = { url: 'app://postroom/index.html', parent: null };
const window = { mainFrame };
type Ours = Parameters<typeof registerCalls>[1];
const profiles = vi.fn(() => []);

beforeEach(() => {
  profiles.mockClear();
  const handlers = { 'profiles:list': profiles } as unknown as Parameters<typeof registerCalls>[0];
  registerCalls(handlers, (() => window) as unknown as Ours, () => undefined);
});

const ask = (event: unknown) => handled.get('profiles:list')?.(event);

describe('the bridge', () => {
  it('has a handler for every call of the contract and no other', () => {
    expect(new Set(handled.keys())).toEqual(new Set(Object.keys(calls)));
    expect(new Set(callNames)).toEqual(new Set(Object.keys(calls)));
  });

  it('answers the main frame of our window', async () => {
    expect(await ask({ sender: window, senderFrame: mainFrame })).toEqual({ ok: true, value: [] });
  });

  it.each([
    ['another window', { sender: {}, senderFrame: mainFrame }],
    ['a frame that is gone', { sender: window, senderFrame: null }],
    ['an embedded frame', { sender: window, senderFrame: { ...mainFrame, parent: mainFrame } }],
    ['another frame with our address', { sender: window, senderFrame: { ...mainFrame } }],
  ])('does not answer %s', async (_who, event) => {
    expect(await ask(event)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(profiles).not.toHaveBeenCalled();
  });
});

describe('our frame', () => {
  const from = (url: string) => {
    const frame = { url, parent: null };
    return isOurFrame(frame, frame);
  };

  it('is the page under app://postroom and nothing else', () => {
    expect(from('app://postroom/index.html')).toBe(true);
    expect(from('app://postroom.evil.example/index.html')).toBe(false);
    expect(from('app://other/index.html')).toBe(false);
    expect(from('https://postroom/index.html')).toBe(false);
    expect(from('data:text/html,app://postroom/')).toBe(false);
    expect(from('about:blank')).toBe(false);
    expect(from('')).toBe(false);
  });

  it('may be the development server, once it was named', () => {
    expect(from('http://localhost:5173/')).toBe(false);
    trustDevelopmentOrigin('http://localhost:5173/');
    expect(from('http://localhost:5173/index.html')).toBe(true);
    expect(from('http://localhost:5174/')).toBe(false);
  });
});
