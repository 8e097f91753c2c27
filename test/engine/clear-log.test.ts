import { afterAll, beforeAll, expect, it } from 'vitest';
import { logQuery } from '../../src-main/contract/desk.ts';
import { clearLog } from '../../src-main/engine/retention.ts';
import { countLog, writeLog } from '../../src-main/queue/log.ts';
import type { Place } from '../../src-main/queue/place.ts';
import { pruneBatch } from '../../src-main/queue/prune.ts';
import { type Bench, sqliteBench } from '../queue/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await sqliteBench();
});
afterAll(() => bench?.close());

/** The database, while somebody presses Stop as the first batch goes. */
const stoppedByFirstChange = (db: Place['db'], stop: AbortController): Place['db'] =>
  new Proxy(db, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      return async (...args: unknown[]) => {
        const done: unknown = await found.apply(target, args);
        if (name === 'run') stop.abort();
        return done;
      };
    },
  });

it('clearing the log answers what is gone, also when it is stopped between two batches', async () => {
  const lines = Array.from({ length: pruneBatch * 2 + 7 }, (_, i) => ({
    level: 'info' as const,
    queueId: null,
    message: `line ${i}`,
  }));
  for (let at = 0; at < lines.length; at += 250) await writeLog(bench.place, lines.slice(at, at + 250));
  const left = () => countLog(bench.place, logQuery.parse({}));
  const all = await left();

  expect(await clearLog(bench.place, AbortSignal.abort())).toBe(0);
  expect(await left()).toBe(all);

  const stop = new AbortController();
  const place: Place = { ...bench.place, db: stoppedByFirstChange(bench.place.db, stop) };
  expect(await clearLog(place, stop.signal)).toBe(pruneBatch);
  expect(await left()).toBe(all - pruneBatch);

  expect(await clearLog(bench.place)).toBe(all - pruneBatch);
  expect(await left()).toBe(0);
});
