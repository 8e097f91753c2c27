/** Holding and waiting for locks on a real server, so that two consoles meet where a test wants them to. */
import type { Queryable } from '../../src-main/shop/database.ts';
import { sharedMariadb } from '../support/mariadb.ts';
import type { Bench } from './bench.ts';

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A transaction of the other console that holds its locks until `commit` is called. */
export async function holding(
  on: Bench,
  work: (tx: Queryable) => Promise<unknown>,
): Promise<{ tx: Queryable; commit(): Promise<void> }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const tx = await new Promise<Queryable>((resolve, reject) => {
    done = on.other.db.transaction(async (open) => {
      await work(open);
      resolve(open);
      await released;
    });
    done.catch(reject);
  });
  return {
    tx,
    async commit() {
      release();
      await done;
    },
  };
}

/** Resolves when so many transactions wait for a lock: the other side has arrived at it. */
export async function untilWaiting(n = 1): Promise<void> {
  const server = await sharedMariadb();
  for (let tries = 0; tries < 400; tries += 1) {
    // not from information_schema.INNODB_TRX, which is cached and can tell of the test before
    const [row] = await server.admin("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    if (Number(row?.['Value']) >= n) return;
    await sleep(10);
  }
  throw new Error('nobody came to wait for a lock');
}
