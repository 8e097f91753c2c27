/** Putting the connector into a shop, broken off at its worst moments: PHP never sees a part of it, and nothing is lost. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectorParts, installConnector, removeConnector } from '../../src-main/boot/connector.ts';
import type { ConnectorOrder } from '../../src-main/contract/connector.ts';
import { type ConnectorShop, lookAt, makeConnectorShop, order, removal } from '../support/connector-shop.ts';
import { startDelayProxy } from '../support/delay-proxy.ts';

let shop: ConnectorShop;
let parts: ConnectorParts;
const stub = 'postroom-connector.php';
const inFolder = (name: string) => path.join(shop.plugins, 'postroom-connector', name);
const install = (more: Partial<ConnectorOrder> = {}) => installConnector(parts, order(more));
const look = () => lookAt(parts);
const loads = () => shop.loads();

beforeAll(async () => {
  shop = await makeConnectorShop();
  parts = { ssh: shop.sshd.login(), database: shop.site.database };
});
afterAll(() => shop?.close());
beforeEach(() => shop.clear());

describe('a run that breaks off', () => {
  const whole = ['a-woocommerce.php', 'postroom-connector', stub];

  it('while it uploads: the shop is as before, and the next one succeeds', async () => {
    let cut = false;
    const broken = installConnector(parts, order(), {
      onProgress: (words) => {
        if (cut || !words.startsWith('Uploading, file 9')) return;
        cut = true;
        shop.sshd.cutSessions();
      },
    });
    await expect(broken).rejects.toMatchObject({ code: 'unreachable' });
    expect(await loads()).toBe(false);
    expect((await look()).leftovers).toHaveLength(1);
    expect(await install()).toMatchObject({ installed: true, report: { state: 'current', leftovers: [] } });
    expect(shop.there()).toEqual(whole);
  });

  it.each([0, 1, 2, 3, 4])('after %i of its four moves: what was there is there again', async (moves) => {
    await install();
    const mark = '// the old one\n';
    appendFileSync(inFolder('class-mail.php'), mark);
    // the server goes for good right after that many moves, so that nothing can be taken back at once
    const gone = await withMoves(moves);
    const far = { ...parts, ssh: shop.sshd.login({ port: gone.port }) };
    const broken = installConnector(far, order({ replaceChanged: true }), { onProgress: gone.onProgress });
    if (moves === 4) {
      await broken.catch(() => undefined);
    } else await expect(broken).rejects.toMatchObject({ code: 'unreachable' });
    await gone.ended();
    await shop.sshd.start();
    // PHP sees the old one, none, or the new one; never a part of it
    await loads();
    const left = await look();
    if (moves < 4) {
      await expect(install()).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('class-mail.php'),
      });
      expect(readFileSync(inFolder('class-mail.php'), 'utf8')).toContain(mark);
      expect(await loads()).toBe(true);
    } else expect(left.odd).toEqual([]);
    expect(await install({ replaceChanged: true })).toMatchObject({
      report: { state: 'current', odd: [], leftovers: [] },
    });
    expect(shop.there()).toEqual(whole);
    expect(await loads()).toBe(true);
  });

  /** Ends the server as soon as the plugins' folder shows that so many moves are done. */
  async function withMoves(moves: number, words = 'Putting it in place') {
    // on loopback all four are done before a server can be ended
    const proxy = await startDelayProxy(shop.sshd.port);
    let end: Promise<void> | null = null;
    let timer: NodeJS.Timeout | null = null;
    const done = () => {
      const there = shop.there();
      const aside = there.find((one) => one.startsWith('.postroom-'));
      const before = `${aside ?? '?'}/before`;
      const gone = [stub, 'postroom-connector'].map((one) =>
        existsSync(path.join(shop.plugins, before, one)),
      );
      // once both are away, what stands in their places is new
      const come = gone.every(Boolean) ? ['postroom-connector', stub].map((one) => there.includes(one)) : [];
      return [...gone, ...come].filter(Boolean).length;
    };
    const look = () => {
      if (end || done() < moves) return;
      end = shop.sshd.stop();
      if (timer) clearInterval(timer);
    };
    return {
      port: proxy.port,
      onProgress: (told: string) => {
        if (told !== words || timer) return;
        proxy.delayMs = 60;
        look();
        timer = setInterval(look, 0);
      },
      ended: async () => {
        if (timer) clearInterval(timer);
        end ??= shop.sshd.stop();
        await end;
        await proxy.close();
      },
    };
  }

  it('because a file changes on its way into place: the old ones stand there again', async () => {
    await install();
    appendFileSync(inFolder('class-mail.php'), '// the old one\n');
    const tampered = installConnector(parts, order({ replaceChanged: true }), {
      onProgress: (words) => {
        const aside = shop.there().find((one) => one.startsWith('.postroom-'));
        if (words === 'Putting it in place' && aside)
          appendFileSync(path.join(shop.plugins, aside, 'next/postroom-connector/load.php'), '// a scanner');
      },
    });
    await expect(tampered).rejects.toThrow(/load\.php was read back as another file/);
    expect(shop.there()).toEqual(whole);
    expect(readFileSync(inFolder('class-mail.php'), 'utf8')).toContain('// the old one');
    expect(readFileSync(inFolder('load.php'), 'utf8')).not.toContain('scanner');
    expect(await loads()).toBe(true);
  });

  it.each([1, 2])('while it takes it out, after %i of two moves: the next one succeeds', async (moves) => {
    await install();
    const gone = await withMoves(moves, 'Taking it out');
    const far = { ...parts, ssh: shop.sshd.login({ port: gone.port }) };
    await expect(removeConnector(far, removal(), { onProgress: gone.onProgress })).rejects.toMatchObject({
      code: 'unreachable',
    });
    await gone.ended();
    await shop.sshd.start();
    expect(await loads()).toBe(false);
    expect(await removeConnector(parts, removal())).toMatchObject({
      removed: true,
      report: { leftovers: [] },
    });
    expect(shop.there()).toEqual(['a-woocommerce.php']);
  });

  it('because it was stopped: nothing of it stays', async () => {
    const stop = new AbortController();
    const stopped = installConnector(parts, order(), {
      signal: stop.signal,
      onProgress: (words) => words.startsWith('Uploading, file 5') && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'stopped' });
    expect(shop.there()).toEqual(['a-woocommerce.php']);
  });
});
