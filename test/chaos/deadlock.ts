/** A second session that locks what a worker needs next, and then asks for what the worker holds. */
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import type { Stage } from './stage.ts';
import type { WorkerPoint } from './words.ts';

/**
 * Makes a deadlock with a worker that stands at `point`; `go` lets it walk into it. True when one of the two lost.
 * The server rolls back the lighter transaction: ours is made the heavier one.
 */
export async function deadlock(
  stage: Stage,
  point: WorkerPoint,
  claims: readonly string[],
  go: () => void,
): Promise<boolean> {
  const { account, server } = stage;
  const other = await mysql.createConnection({
    socketPath: server.socket,
    user: 'root',
    database: account.database,
  });
  try {
    await other.query(
      'CREATE TABLE IF NOT EXISTS ballast (id INT AUTO_INCREMENT PRIMARY KEY, words VARCHAR(20))',
    );
    await other.query(
      'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, innodb_lock_wait_timeout = 4',
    );
    await other.beginTransaction();
    await other.query(
      `INSERT INTO ballast (words) VALUES ${Array.from({ length: 300 }, () => "('heavy')").join(', ')}`,
    );
    let asks: string;
    if (point === 'grant-locked') {
      // the gap behind the last ledger line: no new line can be opened
      await other.query(
        'SELECT id FROM wp_studiou_wcmq_attempts WHERE id > (SELECT MAX(id) FROM wp_studiou_wcmq_attempts a) FOR UPDATE',
      );
      asks = 'SELECT id FROM wp_studiou_wcmq_pace WHERE id = 1 FOR UPDATE';
    } else {
      const list = claims.map((claim) => mysql.escape(claim)).join(', ');
      await other.query(`SELECT id FROM wp_studiou_wcmq_attempts WHERE claim_id IN (${list}) FOR UPDATE`);
      asks = `SELECT id FROM wp_studiou_wcmq_queue WHERE claim_id IN (${list}) FOR UPDATE`;
    }
    const met = other.query(asks).then(
      () => true,
      (error: { errno?: number }) => error.errno === 1213,
    );
    await sleep(60);
    go();
    return await met;
  } catch {
    go(); // locked by yet another one: the worker must not stand for ever
    return false;
  } finally {
    other.destroy();
  }
}
