/** Sleep and wake of the real engine, and two consoles of which one takes over. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenedShop } from '../../src-main/boot.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeShop, type TestShop } from '../support/shop.ts';
import { mostInWindow } from '../support/smtp-server.ts';

let shop: TestShop | null = null;
const consoles: OpenedShop[] = [];
afterEach(async () => {
  for (const one of consoles.splice(0)) await one.close();
  await shop?.close();
  shop = null;
});

async function open(made: TestShop, name = 'one'): Promise<OpenedShop> {
  const one = await made.open({}, path.join(made.stateDir, name));
  await one.desk.saveSettings({ rate_per_minute: 60 });
  consoles.push(one);
  return one;
}

describe('a machine that sleeps', () => {
  it('gives back what has not reached the point of no return, twice asked or not, and goes on at the pace', async () => {
    const made = await makeShop();
    shop = made;
    // the server is slow to say yes to a recipient: the mail is under way and no dot was sent
    made.smtp.behaviour = ({ step }) => (step === 'rcpt' ? { delayMs: 20_000 } : undefined);
    for (let n = 0; n < 4; n += 1) await made.insert({ recipient: `c${n}@shop.example` });
    const one = await open(made);
    await one.startDraining();
    await expect.poll(async () => (await made.rows("state = 'sending'")).length).toBe(1);
    const began = performance.now();
    await Promise.all([one.suspend(), one.suspend()]);
    await one.suspend();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await made.rows("state = 'pending' AND attempts = 0 AND reclaims = 0")).toHaveLength(4);
    expect((await one.desk.status()).consoles[0]?.able_at).toBeNull();
    await sleep(2_500);
    expect(await made.rows("state = 'pending'")).toHaveLength(4); // nothing leaves while it sleeps

    made.smtp.behaviour = () => undefined;
    const told = new Promise((resolve) => one.events.once('woke', resolve));
    one.wake('resume');
    one.wake('resume');
    expect(await told).toMatchObject({ waited: 4, sent: 0, given_back: 0, failed: 0, in_doubt: 0 });
    await one.untilEmpty(AbortSignal.timeout(30_000));
    expect(made.smtp.mails).toHaveLength(4);
    const stamps = made.smtp.mails.map(({ at }) => at);
    for (const [at, stamp] of stamps.entries())
      if (at > 0) expect(stamp - (stamps[at - 1] ?? 0)).toBeGreaterThan(850);
    expect((await one.desk.status()).sleep).toMatchObject({ waited: 4 });
  });

  it('settles after waking what the server had said before, and says so', async () => {
    const made = await makeShop();
    shop = made;
    // the answer to the dot comes while it sleeps
    made.smtp.behaviour = ({ step }) => (step === 'dot' ? { delayMs: 6_000 } : undefined);
    await made.insert({ recipient: 'late@shop.example' });
    const one = await open(made);
    await one.startDraining();
    await expect.poll(() => made.smtp.dots, { timeout: 10_000 }).toBe(1);
    await one.suspend();
    await expect.poll(async () => (await made.rows("state = 'sent'")).length, { timeout: 15_000 }).toBe(1);
    one.wake('resume');
    await one.untilEmpty(AbortSignal.timeout(20_000));
    expect(made.smtp.mails).toHaveLength(1);
    expect(await made.rows('in_doubt = 1')).toHaveLength(0);
  });

  it('wakes after eight hours with 300 mails waiting, and looks to the mail server like at any other hour', async () => {
    const made = await makeShop();
    shop = made;
    for (let n = 0; n < 300; n += 1) await made.insert({ recipient: `c${n}@shop.example` });
    await made.db.run(
      'UPDATE wp_studiou_wcmq_queue SET created_at = created_at - 28800, scheduled_at = scheduled_at - 28800',
    );
    const one = await open(made);
    await one.desk.enable();
    await one.startDraining();
    await made.smtp.waitForMails(2);
    await one.suspend();
    // eight hours of sleep: everything that has a time is that much older
    await made.db.run(
      'UPDATE wp_studiou_wcmq_attempts SET started_ms = started_ms - 28800000, finished_ms = finished_ms - 28800000',
    );
    await made.db.run('UPDATE wp_studiou_wcmq_pace SET last_start_ms = last_start_ms - 28800000');
    const before = made.smtp.mails.length;
    one.wake('resume');
    await sleep(12_000);
    const mails = made.smtp.mails.slice(before);
    expect(mails.length).toBeGreaterThan(6);
    expect(
      mostInWindow(
        mails.map(({ at }) => at),
        1_000,
      ),
    ).toBeLessThanOrEqual(2);
    expect(
      mostInWindow(
        mails.map(({ at }) => at),
        10_000,
      ),
    ).toBeLessThanOrEqual(11);
    expect((await one.desk.status()).sleep?.waited).toBeGreaterThan(290);
  });
});

describe('a machine that falls asleep inside a transaction', () => {
  it('does not hold another console up for more than 25 s', async () => {
    const made = await makeShop();
    shop = made;
    const one = await open(made);
    await one.startDraining();
    // the sleeper holds the pace row's lock, and says no more
    let locked = () => {};
    const held = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const sleeper = openMysql(made.database);
    const asleep = sleeper.transaction(async (tx) => {
      await tx.query('SELECT * FROM wp_studiou_wcmq_pace WHERE id = 1 FOR UPDATE');
      locked();
      await sleep(30_000);
    });
    asleep.catch(() => {});
    await held;
    await made.insert({ recipient: 'awake@shop.example' });
    const began = performance.now();
    one.wake('manual');
    await made.smtp.waitForMails(1, 28_000);
    expect(performance.now() - began).toBeLessThan(25_000);
    await sleeper.close();
  });
});

describe('two consoles of one shop', () => {
  it('see each other since when they drain; one takes over, the other takes no more; then they share again', async () => {
    const made = await makeShop();
    shop = made;
    const first = await open(made, 'first');
    await first.startDraining();
    const second = await open(made, 'second');
    await second.startDraining();
    const seen = (await second.desk.status()).consoles;
    expect(seen).toHaveLength(2);
    for (const { since, able_at } of seen)
      expect([since, able_at].every((at) => Number(at) > 1_600_000_000)).toBe(true);

    await second.desk.takeOver();
    const self = (await second.desk.status()).consoles.find((one) => one.self)?.id;
    expect((await first.desk.status()).drain_by).toMatchObject({ id: self });
    await made.db.run('DELETE FROM wp_studiou_wcmq_attempts');
    for (let n = 0; n < 6; n += 1) await made.insert({ recipient: `c${n}@shop.example` });
    first.wake('manual');
    await made.smtp.waitForMails(6, 25_000);
    const senders = () =>
      made.db.query<{ console_id: string }>('SELECT DISTINCT console_id FROM wp_studiou_wcmq_attempts');
    expect((await senders()).map((row) => row.console_id)).toEqual([self]);

    await first.desk.shareAgain();
    expect((await second.desk.status()).drain_by).toBeNull();
    for (let n = 0; n < 10; n += 1) await made.insert({ recipient: `d${n}@shop.example` });
    first.wake('manual');
    second.wake('manual');
    await made.smtp.waitForMails(16, 30_000);
    expect((await senders()).length).toBe(2);
  });

  it('go on without the one that took over when it goes, or is not heard of any more', async () => {
    const made = await makeShop();
    shop = made;
    const first = await open(made, 'first');
    await first.startDraining();
    const second = await open(made, 'second');
    await second.startDraining();
    await second.desk.takeOver();
    await second.close();
    expect((await first.desk.status()).drain_by).toBeNull();
    expect((await first.desk.status()).consoles.find(({ self }) => !self)?.since).toBeNull();

    const third = await open(made, 'third');
    await third.startDraining();
    await third.desk.takeOver();
    await third.suspend(); // its heartbeat stops
    await made.db.run(
      "UPDATE wp_studiou_wcmq_settings SET updated_at = updated_at - 200 WHERE name = 'drain_by'",
    );
    await made.insert({ recipient: 'c@shop.example' });
    first.wake('manual');
    await made.smtp.waitForMails(1, 20_000);
  });
});
