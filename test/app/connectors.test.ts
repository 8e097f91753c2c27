import { expect, it, vi } from 'vitest';
import type { Boot } from '../../src-main/app/boot-door.ts';
import { Connectors } from '../../src-main/app/connectors.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';
import type { Profile } from '../../src-main/contract/profile.ts';

function build(boot: object) {
  const shops = { disconnect: vi.fn(async () => undefined), connect: vi.fn(async () => undefined) };
  const tell = vi.fn();
  const connectors = new Connectors({
    profileOf: async () => ({ name: 'Studio U' }) as Profile,
    loadBoot: async () => boot as Boot,
    shops,
    tell,
  });
  return { connectors, shops, tell };
}
const removal = { folder: null, replaceChanged: false, tables: true, withWaiting: false };

it('works on one thing at a time, tells how it goes on, and is free again afterwards', async () => {
  let end: (report: { report: string }) => void = () => undefined;
  const installConnector = vi.fn(
    (_parts: unknown, _order: unknown, options: { onProgress: (w: string) => void }) => {
      options.onProgress('half way');
      return new Promise((resolve) => (end = resolve));
    },
  );
  const { connectors, tell } = build({ installConnector });
  const order = { folder: null, replaceChanged: false, anyPhp: false };
  const first = connectors.install('a', 'p', order);
  await expect(connectors.install('b', 'p', order)).rejects.toMatchObject({ code: 'busy' });
  await vi.waitFor(() => expect(tell).toHaveBeenCalledWith({ look: 'a', progress: { words: 'half way' } }));
  end({ report: 'there' });
  expect(await first).toBe('there');
  const again = connectors.install('c', 'p', order);
  await vi.waitFor(() => expect(installConnector).toHaveBeenCalledTimes(2));
  end({ report: 'there' });
  await again;
});

it('is stopped by its own name alone', async () => {
  const connectorStatus = (_parts: unknown, _folder: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new PostroomError('stopped', ''))),
    );
  const { connectors } = build({ connectorStatus });
  const status = expect(connectors.status('a', 'p', null)).rejects.toMatchObject({ code: 'stopped' });
  await vi.waitFor(() => undefined);
  connectors.stop('b');
  await new Promise((resolve) => setTimeout(resolve, 5));
  connectors.stop('a');
  await status;
});

it('closes the shop before its tables go, and opens it again when they stayed', async () => {
  const removeConnector = vi.fn(async () => ({ removed: true }));
  const { connectors, shops } = build({ removeConnector });
  await connectors.remove('a', 'p', { ...removal, tables: false });
  expect(shops.disconnect).not.toHaveBeenCalled();
  await connectors.remove('b', 'p', removal);
  expect([shops.disconnect.mock.calls, shops.connect.mock.calls]).toEqual([[['p']], []]);
  removeConnector.mockRejectedValueOnce(new PostroomError('refused', '1 mail waits'));
  await expect(connectors.remove('c', 'p', removal)).rejects.toMatchObject({ code: 'refused' });
  expect(shops.connect).toHaveBeenCalledExactlyOnceWith('p');
});
