import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Boot } from '../../src-main/app/boot-door.ts';
import { Shops } from '../../src-main/app/shops.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { ProfileBook } from '../../src-main/settings/book.ts';
import { Vault } from '../../src-main/settings/vault.ts';
import { memoryFile, openKeychain } from '../settings/memory.ts';

const form = {
  name: 'Studio U',
  from: 'shop@shop.example',
  database: { host: '127.0.0.1', user: 'shop', database: 'shop' },
  smtp: { host: '127.0.0.1' },
};

function fakeShop(start: () => Promise<void> = async () => undefined) {
  return {
    events: new EventEmitter(),
    desk: {
      status: async () => ({ remaining: 3 }),
      schema: async () => ({ tables: [], complete: true, statements: [] }),
    },
    startDraining: vi.fn(start),
    close: vi.fn(async () => undefined),
    wake: vi.fn(),
    doctor: async () => [],
  };
}

function build(
  openShop: (profile: unknown) => Promise<unknown>,
  examineShop: (profile: unknown) => Promise<unknown> = async () => [],
) {
  const book = new ProfileBook(memoryFile());
  const vault = new Vault(openKeychain(), memoryFile());
  const boot = { openShop, examineShop, openDemoShop: openShop } as unknown as Boot;
  const shops = new Shops({
    book,
    vault,
    loadBoot: async () => boot,
    stateRoot: 'state',
    version: '0',
    consoleName: 'here',
    report: () => undefined,
  });
  return { shops, vault, id: book.put(null, form).id };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the open shops', () => {
  it('can be looked at by the doctor when they cannot be reached', async () => {
    const steps = [{ id: 'database.reach', color: 'red' }];
    const examineShop = vi.fn(async () => steps);
    const { shops, vault, id } = build(async () => {
      throw new PostroomError('unreachable', 'nobody answers');
    }, examineShop);
    await vault.save(id, { 'smtp.password': 'geheim' });
    expect(await shops.connect(id)).toMatchObject({ phase: 'failed' });
    expect(await shops.doctor(id, () => {})).toBe(steps);
    expect(examineShop).toHaveBeenCalledWith(
      expect.objectContaining({ smtp: expect.objectContaining({ password: 'geheim' }) }),
      expect.any(Function),
    );
  });

  it('are opened with the secrets of the vault, and drain', async () => {
    const shop = fakeShop();
    const openShop = vi.fn(async () => shop);
    const { shops, vault, id } = build(openShop);
    await vault.save(id, { 'smtp.password': 'geheim' });
    expect(await shops.connect(id)).toEqual({ phase: 'open' });
    expect(openShop.mock.calls[0]).toMatchObject([
      { smtp: { password: 'geheim' } },
      { stateDir: expect.stringContaining(id) },
    ]);
    expect(shop.startDraining).toHaveBeenCalledOnce();
    expect(await shops.status(id)).toMatchObject({ remaining: 3, profile: id });
  });

  it('pass on what happens', async () => {
    const shop = fakeShop();
    const { shops, id } = build(async () => shop);
    await shops.connect(id);
    const heard: unknown[] = [];
    shops.on('changed', (profile) => heard.push(['changed', profile]));
    shops.on('ended', (profile, { id: row }) => heard.push(['ended', profile, row]));
    shop.events.emit('changed');
    shop.events.emit('ended', { id: 7, outcome: 'rejected' });
    shop.events.emit('connection', 'the line is down');
    expect(heard).toEqual([
      ['changed', id],
      ['ended', id, 7],
      ['changed', id],
    ]);
  });

  it('say why they are not open, and try again by themselves when the shop cannot be reached', async () => {
    const openShop = vi
      .fn()
      .mockRejectedValueOnce(new PostroomError('unreachable', 'No answer.'))
      .mockResolvedValue(fakeShop());
    const { shops, id } = build(openShop);
    expect(await shops.connect(id)).toMatchObject({ phase: 'failed', error: { message: 'No answer.' } });
    expect(() => shops.desk(id)).toThrow('No answer.');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(shops.connection(id)).toEqual({ phase: 'open' });
  });

  it('do not try again by themselves after a refused password', async () => {
    const openShop = vi.fn(() => Promise.reject(new PostroomError('login', 'Refused.')));
    const { shops, id } = build(openShop);
    await shops.connect(id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(openShop).toHaveBeenCalledOnce();
  });

  it('stay reached without their tables, and drain once those are installed', async () => {
    const bare = fakeShop(() => Promise.reject(new PostroomError('schema', 'No tables.')));
    const { shops, id } = build(vi.fn().mockResolvedValueOnce(bare).mockResolvedValue(fakeShop()));
    expect(await shops.connect(id)).toMatchObject({ phase: 'failed', error: { code: 'schema' } });
    expect(bare.close).not.toHaveBeenCalled();
    await shops.schema(id, true);
    expect(bare.close).toHaveBeenCalledOnce();
    expect(shops.connection(id)).toEqual({ phase: 'open' });
  });

  it('drop a shop that answers after the person has let it go', async () => {
    const shop = fakeShop();
    let answer: (value: unknown) => void = () => undefined;
    const { shops, id } = build(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const connecting = shops.connect(id);
    await vi.advanceTimersByTimeAsync(0);
    await shops.disconnect(id);
    answer(shop);
    await connecting;
    expect(shop.close).toHaveBeenCalledOnce();
    expect(shops.connection(id)).toEqual({ phase: 'closed' });
  });
});
