/** The lane between this console and one mail server: what pauses it, what slows it down, and who is held up by that. */
import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeskEvents } from '../../src-main/contract/desk.ts';
import { Lane } from '../../src-main/engine/lane.ts';
import type { MailServer } from '../../src-main/mail/deliver.ts';
import { readPace } from '../../src-main/queue/lane.ts';
import { sqliteBench } from '../queue/bench.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { behaviourOf } from '../support/smtp-server.ts';

let shop: TestShop | undefined;
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});

describe('the lane', () => {
  it('counts conversations that die of one fault once, and waits longer when a probe had promised too much', async () => {
    const bench = await sqliteBench();
    const { place } = bench;
    const events = new EventEmitter<DeskEvents>();
    const told: (string | null)[] = [];
    events.on('lane', (pause) => told.push(pause?.by ?? null));
    const lane = new Lane(place, { probe: async () => {} } as unknown as MailServer, events);
    const pauseS = async () => {
      const { pause, nowS } = await readPace(place);
      return (pause?.until ?? nowS) - nowS;
    };
    await Promise.all([lane.fault('gone'), lane.fault('gone'), lane.fault('gone')]);
    expect(await pauseS()).toBeLessThanOrEqual(7);
    expect(lane.faulty).toBe(true);
    await lane.probe();
    expect(lane.faulty).toBe(false);
    await lane.fault('sender refused');
    expect(await pauseS()).toBeGreaterThanOrEqual(9);
    await lane.probe();
    await lane.went(1000, null);
    await lane.fault('gone');
    expect(await pauseS()).toBeLessThanOrEqual(7);
    expect(told).toEqual(['fault', null, 'fault', null, 'fault']);
    await bench.close();
  });

  it('climbs back from a learned rate by tenths, not in one leap', async () => {
    shop = await makeShop();
    for (let n = 0; n < 11; n += 1) await shop.insert();
    await shop.db.run('UPDATE wp_studiou_wcmq_pace SET learned_interval_ms = 1300');
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(40_000));
    const [pace] = await shop.db.query('SELECT learned_interval_ms FROM wp_studiou_wcmq_pace');
    expect(Number(pace?.['learned_interval_ms'])).toBe(1170);
  });

  it('is not blocked for ever by a row at which it stumbles each time', async () => {
    shop = await makeShop({
      smtp: {
        behaviour: behaviourOf([
          { step: 'rcpt', recipient: 'far@', action: { reply: '550 5.7.1 Relaying denied' } },
        ]),
      },
    });
    const bad = await shop.insert({ priority: 1, payload: planPayload({ to: 'far@away.test' }) });
    const good = await shop.insert();
    const console = await shop.open();
    await console.startDraining();
    await shop.smtp.waitForMails(1, 50_000);
    await expect.poll(async () => (await shop?.rows('id = ?', [good]))?.[0]?.['state']).toBe('sent');
    const [row] = await shop.rows('id = ?', [bad]);
    expect(row).toMatchObject({ state: 'pending', attempts: 0, reclaims: 0 });
    expect(Number(row?.['scheduled_at'])).toBeGreaterThan((await shop.now()) + 20);
  });

  it('a pause made while rows are taken ahead holds for them too', async () => {
    shop = await makeShop({ smtp: { behaviour: behaviourOf([{ step: 'dot', action: { delayMs: 800 } }]) } });
    for (let n = 0; n < 15; n += 1) await shop.insert();
    const console = await shop.open({ uncapped: true });
    await console.startDraining();
    await shop.smtp.waitForMails(1, 10_000);
    // another console's, as it were: this one is not told
    await shop.db.run(
      "UPDATE wp_studiou_wcmq_pace SET paused_until = UNIX_TIMESTAMP() + 600, pause_reason = 'person: stop'",
    );
    await expect
      .poll(async () => (await shop?.rows("state = 'sending'"))?.length, { timeout: 8_000 })
      .toBe(0);
    expect(shop.smtp.mails.length).toBeLessThanOrEqual(6);
    expect((await shop.rows("state = 'pending'")).every((row) => row['attempts'] === 0)).toBe(true);
  });
});
