/** A worker on a shop's own table that kills itself at one named point of a row's life. Run as a process of its own. */
import { openShop } from '../../src-main/boot.ts';
import type { Profile } from '../../src-main/contract/profile.ts';
import type { Journal } from '../../src-main/engine/journal.ts';
import type { Database, Queryable } from '../../src-main/shop/database.ts';

export const points = [
  'in-grant',
  'after-claim',
  'after-hold',
  'guard-before',
  'guard-after',
  'after-journal',
  'in-settle',
  'told-shop',
  'after-settle',
] as const;

/**
 * Where the books lie with the console the shop's table is written in transactions of its own: just after the first write of a
 * process that has claimed nothing; after the write that follows the hold (held once more for the guard, or told its end where
 * the mail came to none); after the one that tells its end.
 */
export const pointsApart = ['shop-first', 'shop-again', 'shop-told'] as const;
export type KillPoint = (typeof points)[number] | (typeof pointsApart)[number];

interface Order {
  profile: Profile;
  stateDir: string;
  point: KillPoint;
}

/** The statements by which a point is known; a rewritten one shows as a worker that lives on. */
const statements = {
  openLines: /^INSERT INTO `\w+_attempts`/,
  // one statement on a server, two in one transaction on the embedded database
  pointOfNoReturn: /SET q\.claimed_at = .*body_ms|SET body_ms = /s,
  /** the shop's row, in its own words */
  hold: /SET .*(?:= 'processando'|= 'processing'|`reserved_at` = (?:NOW|datetime))/s,
  settleSent: /SET state = 'sent', sent_at/,
};

const order = JSON.parse(process.argv[2] ?? '{}') as Order;

function passes(point: KillPoint): void {
  if (point !== order.point) return;
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

/** Which write of the shop's table comes next, where it is written apart from the books. */
let next: 'hold' | (typeof pointsApart)[number] = 'shop-first';

function written(db: Database): void {
  // the console's own books are a file; nothing here is told apart where the shop's database has them, too
  if (db.dialect !== 'mysql') return;
  const point = next;
  if (point === 'hold') next = 'shop-again';
  else if (point === 'shop-again') next = 'shop-told';
  if (point !== 'hold') passes(point);
}

function watched(db: Database): Database {
  return {
    dialect: db.dialect,
    capabilities: () => db.capabilities(),
    ping: () => db.ping(),
    close: () => db.close(),
    query: (sql, params) => db.query(sql, params),
    run: async (sql, params) => {
      const guard = statements.pointOfNoReturn.test(sql);
      if (guard) passes('guard-before');
      const answer = await db.run(sql, params);
      if (guard) passes('guard-after');
      if (statements.hold.test(sql)) passes('after-hold');
      written(db);
      return answer;
    },
    transaction: async (work) => {
      const seen = { granted: false, guarded: false, held: false, settled: false, wrote: false };
      const value = await db.transaction(async (tx) => {
        const within: Queryable = {
          dialect: tx.dialect,
          query: (sql, params) => tx.query(sql, params),
          run: async (sql, params) => {
            if (statements.pointOfNoReturn.test(sql)) {
              seen.guarded = true;
              passes('guard-before');
            }
            const answer = await tx.run(sql, params);
            seen.wrote = true;
            if (statements.hold.test(sql)) seen.held = true;
            if (statements.openLines.test(sql)) {
              seen.granted = true;
              passes('in-grant');
            }
            if (statements.settleSent.test(sql)) {
              seen.settled = true;
              passes('in-settle');
            }
            return answer;
          },
        };
        const done = await work(within);
        // the shop was told, and the books are not committed: two databases where the books lie with the console
        if (seen.settled) passes('told-shop');
        return done;
      });
      if (seen.granted) next = 'hold';
      if (seen.granted) passes('after-claim');
      if (seen.guarded) passes('guard-after');
      if (seen.held) passes('after-hold');
      if (seen.settled) passes('after-settle');
      if (seen.wrote && !seen.granted) written(db);
      return value;
    },
  };
}

function watchedJournal(journal: Journal): Journal {
  return new Proxy(journal, {
    get(target, key) {
      if (key === 'remember')
        return async (...what: Parameters<Journal['remember']>) => {
          await target.remember(...what);
          passes('after-journal');
        };
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

if (process.argv[2]) {
  const shop = await openShop(order.profile, {
    stateDir: order.stateDir,
    name: 'to be killed',
    version: '0',
    instrument: { database: watched, journal: watchedJournal },
  });
  await shop.startDraining();
  await shop.untilEmpty();
  await shop.close();
}
