import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { emptyStatus } from './status.ts';

const electron = vi.hoisted(() => ({
  response: 0,
  asked: 0,
  quits: 0,
  on: new Map<string, (event: object) => void>(),
}));
vi.mock('electron', () => ({
  app: {
    on: (name: string, listener: (event: object) => void) => electron.on.set(name, listener),
    quit: () => {
      electron.quits += 1;
    },
  },
  dialog: {
    showMessageBox: async () => {
      electron.asked += 1;
      return { response: electron.response };
    },
  },
}));
const { Quit } = await import('../../src-main/app/quit.ts');
type Options = ConstructorParameters<typeof Quit>[0];

function build(statuses: [string, ShopStatus][]) {
  const changes = new EventEmitter();
  const parts = {
    shops: { isDemo: (id: string) => id === 'demo', closeAll: vi.fn(async () => undefined) },
    watch: { all: () => statuses, onChange: (listener: () => void) => changes.on('change', listener) },
    window: { isVisible: () => false, browserWindow: () => null, hide: vi.fn() },
    cleanUp: vi.fn(),
  };
  const quit = new Quit(parts as unknown as Options);
  const leave = async () => {
    const event = { preventDefault: vi.fn() };
    electron.on.get('before-quit')?.(event);
    await vi.waitFor(() => expect(event.preventDefault).toHaveBeenCalled());
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...parts, quit, leave, changed: () => changes.emit('change') };
}

beforeEach(() => {
  Object.assign(electron, { response: 0, asked: 0, quits: 0 });
});

const waiting = emptyStatus({ remaining: 4 });

describe('quitting', () => {
  it('settles what is in flight and goes, without a question, when nothing waits', async () => {
    const { leave, shops, cleanUp, quit } = build([['shop', emptyStatus()]]);
    await leave();
    expect(electron.asked).toBe(0);
    expect(shops.closeAll).toHaveBeenCalledOnce();
    expect(cleanUp).toHaveBeenCalledOnce();
    expect(electron.quits).toBe(1);
    expect(quit.isLeaving()).toBe(true);
  });

  it('asks nothing about the demo shop, nor about mail that is disabled anyway', async () => {
    const { leave } = build([
      ['demo', waiting],
      ['shop', emptyStatus({ remaining: 4, state: 'disabled' })],
    ]);
    await leave();
    expect(electron.asked).toBe(0);
    expect(electron.quits).toBe(1);
  });

  it('stays in the tray when told to, and may be asked again', async () => {
    electron.response = 1;
    const { leave, window, shops, quit } = build([['shop', waiting]]);
    await leave();
    expect(window.hide).toHaveBeenCalled();
    expect(shops.closeAll).not.toHaveBeenCalled();
    expect(quit.isLeaving()).toBe(false);
    electron.response = 2;
    await leave();
    expect(electron.asked).toBe(2);
    expect(electron.quits).toBe(1);
  });

  it('sends first when told to, and goes when nothing waits any more', async () => {
    const statuses: [string, ShopStatus][] = [['shop', waiting]];
    const { leave, changed, shops } = build(statuses);
    await leave();
    changed();
    expect(shops.closeAll).not.toHaveBeenCalled();
    statuses[0] = ['shop', emptyStatus()];
    changed();
    await vi.waitFor(() => expect(electron.quits).toBe(1));
  });
});
