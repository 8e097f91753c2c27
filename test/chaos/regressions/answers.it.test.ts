/** An answer of the mail server is never thrown away, whatever fails beside it. */
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedShop, openShop } from '../../../src-main/boot.ts';
import { PostroomError } from '../../../src-main/contract/errors.ts';
import type { Journal } from '../../../src-main/engine/journal.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { makeShop, type TestShop } from '../../support/shop.ts';
import { behaviourOf } from '../../support/smtp-server.ts';

let shop: TestShop;
const opened: OpenedShop[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await shop?.close();
});

type Instrument = { database?: (db: Database) => Database; journal?: (journal: Journal) => Journal };

async function open(instrument: Instrument = {}, connections = 1): Promise<OpenedShop> {
  const { profile, stateDir } = shop;
  const changed = { ...profile, uncapped: true, smtp: { ...profile.smtp, connections } };
  const one = await openShop(changed, { stateDir, name: 'test', version: '0', instrument });
  opened.push(one);
  return one;
}

/** The database, with every transaction of the lane (a learned rate) failing as one whose server is away. */
function withoutLane(db: Database): Database {
  return new Proxy(db, {
    get(target, key) {
      if (key === 'transaction') {
        return <T>(work: Parameters<Database['transaction']>[0]) =>
          target.transaction(async (tx) =>
            work({
              dialect: tx.dialect,
              query: (sql, params) => {
                if (/^SELECT learned_interval_ms/.test(sql))
                  throw new PostroomError('unreachable', 'The connection was lost.');
                return tx.query(sql, params);
              },
              run: (sql, params) => tx.run(sql, params),
            }),
          ) as Promise<T>;
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('an answer', () => {
  it('that the journal cannot take goes into the database all the same', async () => {
    shop = await makeShop();
    const id = await shop.insert();
    const console = await open({
      journal: (journal) =>
        new Proxy(journal, {
          get(target, key) {
            if (key === 'remember')
              return () => Promise.reject(new PostroomError('disk', 'The journal cannot be written.'));
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect(shop.smtp.mails).toHaveLength(1);
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent', attempts: 1, in_doubt: 0 });
  });

  it('that slows the lane down is settled although the lane cannot be written', async () => {
    shop = await makeShop({
      smtp: {
        behaviour: behaviourOf([{ step: 'dot', action: { reply: '451 4.7.28 slow down' }, times: 1 }]),
      },
    });
    const id = await shop.insert();
    const console = await open({ database: withoutLane });
    await console.startDraining();
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await shop.rows('id = ?', [id]))[0]).toMatchObject({ state: 'sent', attempts: 1, in_doubt: 0 });
    const lines = await shop.db.query('SELECT outcome FROM wp_studiou_wcmq_attempts ORDER BY id');
    expect(lines.map((line) => line['outcome'])).toEqual(['none', 'sent']);
  });
});

describe('rows taken ahead of their conversations', () => {
  it('are held, so that their leases are renewed while a slow server answers', async () => {
    shop = await makeShop({
      smtp: { behaviour: behaviourOf([{ step: 'dot', action: { delayMs: 700 }, times: 1 }]) },
    });
    for (let n = 0; n < 6; n += 1) await shop.insert();
    const console = await open();
    await console.startDraining();
    await expect.poll(async () => (await shop.rows("state = 'sending'")).length).toBe(6);
    expect((await console.desk.status()).in_flight).toHaveLength(6);
    await console.untilEmpty(AbortSignal.timeout(10_000));
    expect((await console.desk.status()).in_flight).toEqual([]);
  });

  it('are given back when the console is closed, also those that a claim was just bringing', async () => {
    shop = await makeShop({ smtp: { behaviour: behaviourOf([{ step: 'dot', action: { delayMs: 300 } }]) } });
    for (let n = 0; n < 40; n += 1) await shop.insert();
    let claimed = () => {};
    const claiming = new Promise<void>((resolve) => {
      claimed = resolve;
    });
    const console = await open({
      database: (db) =>
        new Proxy(db, {
          get(target, key) {
            if (key === 'transaction') {
              return async <T>(work: Parameters<Database['transaction']>[0]) => {
                let grant = false;
                const value = (await target.transaction((tx) =>
                  work({
                    dialect: tx.dialect,
                    query: (sql, params) => tx.query(sql, params),
                    run: (sql, params) => {
                      grant ||= /^INSERT INTO `\w+_attempts`/.test(sql);
                      return tx.run(sql, params);
                    },
                  }),
                )) as T;
                // its rows are taken, and the console does not know it yet
                if (grant) {
                  claimed();
                  await new Promise((resolve) => setTimeout(resolve, 500));
                }
                return value;
              };
            }
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    await console.startDraining();
    await claiming;
    await console.close();
    expect(await shop.rows("state = 'sending'")).toEqual([]);
  });
});
