/** The network between console and shop: gone and back, and slow. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startDelayProxy } from '../support/delay-proxy.ts';
import { planPayload } from '../support/shop.ts';
import { backWithinMs, drain, full, judge, lasting, lastWords, makeWays, report, until } from './kit.ts';

/** s until a dead peer must have been noticed */
const noticedWithinMs = 15_000;
const timeout = full ? 1_200_000 : 90_000;

describe.concurrent('the network', () => {
  it('freezes under a draining tunnel (no reset) and comes back', { timeout }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished);
    await ways.put(6);
    const console = await ways.open();
    await drain(console);
    await ways.settled(2);
    ways.network.freeze();
    const frozenAt = Date.now();
    await until('told of the loss', () => ways.said.length > 0, noticedWithinMs);
    expect(lastWords(ways)).toContain('no longer answers');
    await sleep(Math.max(0, lasting(25_000, 360_000) - (Date.now() - frozenAt)));
    expect(ways.mails()).toHaveLength(2);
    ways.network.thaw();
    const back = await ways.nextMail(backWithinMs);
    report('tunnel frozen for 6 min, next mail after', back);
    await console.untilEmpty();
    await judge(ways);
    expect(ways.said.at(-1)?.words).toBeNull();
  });

  it('freezes when the mail server has taken a mail and its answer is on the way: one doubt, told, never again', {
    timeout,
  }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished);
    let dots = 0;
    ways.shop.smtp.behaviour = ({ step }) => {
      if (step === 'dot' && ++dots === 2) ways.network.freeze();
      return undefined;
    };
    await ways.put(4);
    const console = await ways.open();
    await drain(console);
    await ways.arrived(2);
    await until('told of the loss', () => ways.said.length > 0, noticedWithinMs);
    await sleep(lasting(5_000, 60_000));
    ways.network.thaw();
    await ways.nextMail(backWithinMs);
    await console.untilEmpty();
    await judge(ways, { doubts: 1 });
    const [doubt] = await ways.shop.rows('in_doubt = 1');
    expect(doubt?.['last_error']).toContain('no answer came');
  });

  it('is gone altogether, for the mail server beside the tunnel too', { timeout }, async ({
    onTestFinished,
  }) => {
    const ways = await makeWays(onTestFinished, { mail: 'direct' });
    const way = await startDelayProxy(ways.shop.smtp.port);
    await ways.put(6);
    const console = await ways.open({
      smtp: { ...ways.shop.profile.smtp, port: way.port, via: 'direct' },
    });
    await drain(console);
    await ways.settled(2);
    ways.network.freeze();
    way.freeze();
    await sleep(lasting(25_000, 360_000));
    ways.network.thaw();
    way.thaw();
    const back = await ways.nextMail(backWithinMs);
    report('everything frozen for 6 min, next mail after', back);
    await console.untilEmpty();
    await judge(ways);
    await console.close();
    await way.close();
  });

  it('loses the SSH server, which is started again', { timeout }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished);
    await ways.put(6);
    const console = await ways.open();
    await drain(console);
    await ways.settled(2);
    await ways.sshd.stop();
    await sleep(lasting(8_000, 60_000));
    expect(lastWords(ways)).toMatch(/hung up|refused|lost/);
    await ways.sshd.start();
    const back = await ways.nextMail(backWithinMs);
    report('sshd restarted, next mail after', back);
    await console.untilEmpty();
    await judge(ways);
  });

  it('forgets an idle connection: without a word, by a reset, and by killed sessions', {
    timeout,
  }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished);
    const console = await ways.open();
    await drain(console);
    await ways.put(1);
    await ways.settled(1);
    // longer than the keepalive needs, and than wait_timeout leaves our sessions at the database
    ways.network.freezeOpen();
    await sleep(lasting(25_000, 900_000));
    await ways.put(1);
    report('after an idle cut, the next mail needs', await ways.nextMail(backWithinMs));
    await ways.settled(2);
    ways.network.cut();
    await sleep(1_000);
    await ways.put(1);
    await ways.nextMail(backWithinMs);
    await ways.settled(3);
    ways.sshd.cutSessions();
    await sleep(1_000);
    await ways.put(1);
    await ways.nextMail(backWithinMs);
    await console.untilEmpty();
    await judge(ways);
  });

  it('is slow: an attachment comes at 50 KB/s, and no other console takes the mail meanwhile', {
    timeout,
  }, async ({ onTestFinished }) => {
    const size = full ? 20_000_000 : 2_000_000;
    const ways = await makeWays(onTestFinished, {
      mail: 'direct',
      shop: {
        smtp: { keepRaw: false, keepCommands: false },
        // the shortest there is: a lease that were not renewed would be taken over several times
        settings: { claim_timeout: 60, rate_per_minute: 60 },
      },
    });
    const { shop } = ways;
    const bytes = randomBytes(size);
    const token = shop.attach('catalogue.pdf', bytes);
    await shop.insert({
      recipient: 'customer@example.test',
      attachment_dir: token,
      payload: planPayload({
        attachments: [
          {
            name: 'catalogue.pdf',
            file: `${token}/catalogue.pdf`,
            size,
            sha256: createHash('sha256').update(bytes).digest('hex'),
          },
        ],
      }),
    });
    const console = await ways.open();
    await console.desk.enable();
    ways.network.bytesPerS = 50_000;
    const began = Date.now();
    await console.startDraining();
    await until('the row is taken', async () => (await shop.rows("state = 'sending'")).length === 1);
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 100);
    // beside it, by a quick way: its reaper looks around each time it starts
    const looks = lasting(3, 30);
    for (let n = 0; n < looks; n += 1) {
      await sleep(lasting(8_000, 12_000));
      const other = await shop.open({}, `${shop.stateDir}-other${n}`);
      await other.startDraining();
      await other.close();
      expect((await shop.rows())[0]).toMatchObject({ state: 'sending', reclaims: 0 });
    }
    await ways.arrived(1, lasting(60_000, 600_000));
    clearInterval(watch);
    report('20 MB at 50 KB/s took', Date.now() - began);
    if (full) globalThis.console.log(`memory grew by ${(most / 1e6).toFixed(0)} MB`);
    expect(Date.now() - began).toBeGreaterThan((size / 50_000) * 900);
    expect(ways.mails()[0]?.bytes).toBeGreaterThan((size * 4) / 3);
    // the file and its base64 would be 47 MB in full
    expect(most).toBeLessThan(full ? 45e6 : 60e6);
    await console.untilEmpty();
    await judge(ways);
    expect(readdirSync(shop.filesRoot)).toEqual([]);
  });
});
