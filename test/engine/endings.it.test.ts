/** How a row, an answer and a console come to their end when something fails beside them. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedShop, type OpenOptions, openShop } from '../../src-main/boot.ts';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { nothingSaid, sent } from '../../src-main/queue/transitions.ts';
import type { Database, Queryable } from '../../src-main/shop/database.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { behaviourOf } from '../support/smtp-server.ts';

const shops: TestShop[] = [];
const opened: OpenedShop[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const one of shops.splice(0)) await one.close();
});
const make = async (...options: Parameters<typeof makeShop>): Promise<TestShop> => {
  const shop = await makeShop(...options);
  shops.push(shop);
  return shop;
};
const open = async (shop: TestShop, instrument: NonNullable<OpenOptions['instrument']>) => {
  const { profile, stateDir } = shop;
  const one = await openShop(profile, { stateDir, name: 'test', version: '0', instrument });
  opened.push(one);
  return one;
};

/** The database, where `spoil` may throw before a statement. */
const spoiled = (spoil: (sql: string) => void) => (db: Database) => {
  const wrap = (on: Queryable): Queryable => ({
    dialect: on.dialect,
    query: async (sql, params) => {
      spoil(sql);
      return on.query(sql, params);
    },
    run: async (sql, params) => {
      spoil(sql);
      return on.run(sql, params);
    },
  });
  return new Proxy(db, {
    get(target, key) {
      if (key === 'query' || key === 'run') return wrap(target)[key];
      if (key === 'transaction')
        return (work: Parameters<Database['transaction']>[0]) => target.transaction((tx) => work(wrap(tx)));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

/** A console of this machine that died after it had journaled the 2xx of a row that it held. */
async function deadConsole(shop: TestShop): Promise<number> {
  const id = await shop.insert();
  const [consoleId, claimId, messageId] = [randomUUID(), randomUUID(), `<${randomUUID()}@shop.example>`];
  await shop.db.run(
    `UPDATE wp_studiou_wcmq_queue SET state = 'sending', claimed_at = UNIX_TIMESTAMP(), claim_id = ?, message_id = ? WHERE id = ?`,
    [claimId, messageId, id],
  );
  await shop.db.run(
    `INSERT INTO wp_studiou_wcmq_attempts (queue_id, console_id, claim_id, started_ms, body_ms, message_id)
     VALUES (?, ?, ?, UNIX_TIMESTAMP() * 1000, UNIX_TIMESTAMP() * 1000, ?)`,
    [id, consoleId, claimId, messageId],
  );
  const folder = path.join(shop.stateDir, 'consoles', consoleId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'identity.json'), JSON.stringify({ id: consoleId, host: hostname() }));
  const entry = sent({ id, claimId, messageId }, { ...nothingSaid, recipients: 1, smtpCode: 250 }, null);
  writeFileSync(path.join(folder, 'journal.ndjson'), `${JSON.stringify(entry)}\n`);
  return id;
}

describe('a journal', () => {
  it('of another shop in the same state folder waits for that shop', async () => {
    const ours = await make();
    const other = await make();
    const id = await deadConsole(ours);
    const elsewhere = await other.open({}, ours.stateDir);
    // one process takes the dead identity for its own, a second one finds it dead
    for (const one of [elsewhere, await other.open({}, ours.stateDir)]) await one.startDraining();
    await elsewhere.close();
    const console = await ours.open();
    const ended: unknown[] = [];
    console.events.on('ended', (one) => ended.push([one.id, one.outcome, one.recipient]));
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await ours.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent', attempts: 1, in_doubt: 0 });
    expect(ours.smtp.mails).toHaveLength(0);
    expect(ended).toEqual([[id, 'sent', 'customer@example.test']]);
  });

  it('that waits for a lost database does not keep the console from closing', async () => {
    const shop = await make();
    await deadConsole(shop);
    const console = await open(shop, {
      database: spoiled((sql) => {
        if (/^SELECT EXISTS \(SELECT 1 FROM `wp_studiou_wcmq_attempts`/.test(sql))
          throw new PostroomError('unreachable', 'The connection was lost.');
      }),
    });
    const start = console.startDraining().catch(() => 'ended');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const since = performance.now();
    await console.close();
    await start;
    expect(performance.now() - since).toBeLessThan(5_000);
  });
});

describe('an answer', () => {
  it('is not forgotten because a statement was killed while it was written', async () => {
    const shop = await make({
      smtp: { behaviour: behaviourOf([{ step: 'rcpt', action: { reply: '550 5.1.1 No such user' } }]) },
    });
    const id = await shop.insert();
    let kills = 1;
    const console = await open(shop, {
      database: spoiled((sql) => {
        if (!/^UPDATE `wp_studiou_wcmq_attempts` SET finished_ms/.test(sql) || kills-- <= 0) return;
        throw Object.assign(new Error('Query execution was interrupted'), { errno: 1317 });
      }),
    });
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(25_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'failed', in_doubt: 0, attempts: 1 });
  });

  it('that does not come before the console must go is in doubt at once', async () => {
    const shop = await make({
      smtp: { behaviour: behaviourOf([{ step: 'dot', action: { delayMs: 15_000 } }]) },
    });
    const id = await shop.insert();
    const console = await open(shop, { stopPatienceMs: 300 });
    await console.startDraining();
    await expect.poll(() => shop.smtp.dots, { timeout: 10_000 }).toBe(1);
    const since = performance.now();
    await console.close();
    expect(performance.now() - since).toBeLessThan(6_000);
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'failed', in_doubt: 1, attempts: 1 });
  });
});

describe('attachments', () => {
  it('that changed burn no attempt, however far the mail had come', async () => {
    const shop = await make();
    const token = shop.attach('a.pdf', 'x'.repeat(100));
    const file = { name: 'a.pdf', file: `${token}/a.pdf`, size: 100, sha256: '0'.repeat(64) };
    const id = await shop.insert({ attachment_dir: token, payload: planPayload({ attachments: [file] }) });
    const console = await shop.open();
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'failed', attempts: 0 });
    expect(shop.smtp.mails).toHaveLength(0);
  });

  it('that rows share go with the last of them', async () => {
    const shop = await make();
    const token = shop.attach('a.pdf', 'brochure');
    const payload = planPayload({ attachments: [`${token}/a.pdf`] });
    for (let n = 0; n < 3; n += 1) await shop.insert({ attachment_dir: token, payload });
    const [first] = await shop.rows();
    const console = await shop.open({ uncapped: true });
    await console.desk.remove({ ids: [Number(first?.['id'])] });
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await shop.rows()).map((row) => row['state'])).toEqual(['sent', 'sent']);
    expect(existsSync(path.join(shop.filesRoot, token))).toBe(false);
  });

  it('whose folder is not there are no lost shop', async () => {
    const shop = await make();
    const console = await shop.open({
      files: { root: path.join(shop.filesRoot, 'no', 'such'), via: 'local' },
    });
    const lost: unknown[] = [];
    console.events.on('connection', (cause) => lost.push(cause));
    await console.startDraining();
    await expect
      .poll(async () => (await console.desk.log({ limit: 10 })).map((line) => line.message).join(), {
        timeout: 10_000,
      })
      .toMatch(/could not be looked at/);
    expect(lost).toEqual([]);
  });
});
