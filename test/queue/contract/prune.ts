import { describe, expect, test } from 'vitest';
import {
  clearLogBatch,
  pruneBatch,
  pruneLedger,
  pruneLog,
  pruneRows,
  unownedFolders,
} from '../../../src-main/queue/prune.ts';
import { type Bench, exists, linesOf, put, putLine } from '../bench.ts';

const day = 86_400;

export function pruneContract(bench: () => Bench): void {
  const left = async (...ids: number[]) => {
    const found: boolean[] = [];
    for (const id of ids) found.push(await exists(bench().place, id));
    return found;
  };

  describe('retention', () => {
    test('days are days: sent 8 days ago goes, 10 s ago and just under 7 days stay', async () => {
      const { place } = bench();
      const told = { state: 'sent', notified_at: 0 };
      const old = await put(place, { ...told, sent_at: 8 * day, attachment_dir: 'a'.repeat(32) });
      const edge = await put(place, { ...told, sent_at: 7 * day + 10 });
      const young = await put(place, {
        ...told,
        sent_at: 7 * day - 10,
        created_at: 90 * day,
        attachment_dir: 'b'.repeat(32),
      });
      const fresh = await put(place, { ...told, sent_at: 10 });
      expect(await pruneRows(place, 'sent', 7)).toEqual({ rows: 2, folders: ['a'.repeat(32)] });
      expect(await left(old, edge, young, fresh)).toEqual([false, false, true, true]);
      expect(await pruneRows(place, 'sent', 7)).toEqual({ rows: 0, folders: [] });
    });

    test('a failed row goes by when it was created, since it was never sent', async () => {
      const { place } = bench();
      const told = { state: 'failed', notified_at: 0 };
      const old = await put(place, { ...told, created_at: 31 * day });
      const young = await put(place, { ...told, created_at: 30 * day - 10 });
      expect((await pruneRows(place, 'failed', 30)).rows).toBe(1);
      expect(await left(old, young)).toEqual([false, true]);
    });

    test('each rule touches its own state, and 0 keeps for ever', async () => {
      const { place } = bench();
      const ids: number[] = [];
      for (const state of ['sent', 'failed', 'pending', 'sending']) {
        ids.push(
          await put(place, { state, sent_at: 999 * day, created_at: 999 * day, claimed_at: 999 * day }),
        );
      }
      expect((await pruneRows(place, 'sent', 0)).rows).toBe(0);
      expect((await pruneRows(place, 'failed', 0)).rows).toBe(0);
      expect(await left(...ids)).toEqual([true, true, true, true]);
      await pruneRows(place, 'sent', 7);
      expect(await left(...ids)).toEqual([false, true, true, true]);
      await pruneRows(place, 'failed', 7);
      expect(await left(...ids)).toEqual([false, false, true, true]);
    });

    test('a row whose end nobody was told of waits, at most twice its period', async () => {
      const { place } = bench();
      const untold = await put(place, { state: 'sent', sent_at: 8 * day });
      const almost = await put(place, { state: 'sent', sent_at: 14 * day - 10 });
      const longAgo = await put(place, { state: 'sent', sent_at: 14 * day + 10 });
      await pruneRows(place, 'sent', 7);
      expect(await left(untold, almost, longAgo)).toEqual([true, true, false]);
    });

    test('ledger lines go with their row, except those that still carry the cap of a day', async () => {
      const { place } = bench();
      const id = await put(place, { state: 'sent', sent_at: 8 * day, notified_at: 0 });
      const kept = await put(place, { state: 'sent', sent_at: 10, notified_at: 0 });
      await putLine(place, { queue_id: id, finished_ms: 8 * day * 1000 });
      await putLine(place, { queue_id: id, finished_ms: 23 * 3600 * 1000 });
      await putLine(place, { queue_id: kept, finished_ms: 8 * day * 1000 });
      await pruneRows(place, 'sent', 7);
      expect(await linesOf(place, id)).toHaveLength(1);
      expect(await linesOf(place, kept)).toHaveLength(1);
      expect(await pruneLedger(place)).toBe(0);
      await place.db.run(`UPDATE ${place.t.attempts} SET finished_ms = finished_ms - 7200000`);
      expect(await pruneLedger(place)).toBe(1);
      expect(await linesOf(place, id)).toEqual([]);
      expect(await linesOf(place, kept)).toHaveLength(1);
    });

    test('a line that is not finished is never pruned', async () => {
      const { place } = bench();
      await putLine(place, { queue_id: 4711, started_ms: 40 * day * 1000, finished_ms: null });
      expect(await pruneLedger(place)).toBe(0);
    });

    test('works in bounded batches', async () => {
      const { place } = bench();
      const columns = 'state, subject, payload, sent_at, notified_at';
      for (let n = 0; n < 520; n += 65) {
        await place.db.run(
          `INSERT INTO ${place.t.queue} (${columns}) VALUES ${Array.from({ length: 65 }, () => "('sent', '', '', 1, 1)").join(', ')}`,
        );
      }
      expect((await pruneRows(place, 'sent', 7)).rows).toBe(pruneBatch);
      expect((await pruneRows(place, 'sent', 7)).rows).toBe(20);
      expect((await pruneRows(place, 'sent', 7)).rows).toBe(0);
    });

    test('the log goes by its own days; clearing empties it by batches', async () => {
      const { place } = bench();
      const line = (ago: number) =>
        place.db.run(
          `INSERT INTO ${place.t.log} (level, message, created_at) VALUES ('info', '', ${place.d.nowS} - ?)`,
          [ago],
        );
      await line(15 * day);
      await line(14 * day - 10);
      await line(10);
      expect(await pruneLog(place, 0)).toBe(0);
      expect(await pruneLog(place, 14)).toBe(1);
      expect(await pruneLog(place, 14)).toBe(0);
      expect(await clearLogBatch(place)).toBe(2);
      expect(await clearLogBatch(place)).toBe(0);
    });

    test('a folder is garbage when no row owns it, or only rows that were sent', async () => {
      const { place } = bench();
      const dir = (letter: string) => letter.repeat(32);
      await put(place, { state: 'pending', attachment_dir: dir('a') });
      await put(place, { state: 'failed', attachment_dir: dir('b') });
      await put(place, { state: 'sent', attachment_dir: dir('c') });
      await put(place, { state: 'sent', attachment_dir: dir('d') });
      await put(place, { state: 'sending', attachment_dir: dir('d') });
      const folders = ['a', 'b', 'c', 'd', 'e'].map(dir);
      expect(await unownedFolders(place, folders)).toEqual([dir('c'), dir('e')]);
      expect(await unownedFolders(place, [])).toEqual([]);
    });
  });
}
