/** A second session that locks what a worker needs next, and then asks for what the worker holds. */
import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import type { Stage } from './stage.ts';
import type { WorkerPoint } from './words.ts';

/**
 * Makes a deadlock with a worker that stands at `point`; `go` lets it walk into it. Answers how it went, in words: the
 * worker tells by itself whether it lost. The server rolls back the lighter transaction: ours is made the heavier one.
 */
export async function deadlock(
  stage: Stage,
  point: WorkerPoint,
  claims: readonly string[],
  go: () => void,
): Promise<string> {
  const { account, server } = stage;
  const socketPath = server.socket;
  let other: Connection | null = null;
  try {
    other = await mysql.createConnection({ socketPath, user: 'root', database: account.database });
    const session = other;
    // outside of the transaction: it ends one
    await session.query(
      'CREATE TABLE IF NOT EXISTS ballast (id INT AUTO_INCREMENT PRIMARY KEY, words VARCHAR(9))',
    );
    // a gap is locked under REPEATABLE READ alone; rows are better locked without their neighbours
    const isolation = point === 'grant-locked' ? 'REPEATABLE READ' : 'READ COMMITTED';
    await session.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`);
    await session.query('SET SESSION innodb_lock_wait_timeout = 3');
    await session.beginTransaction();
    const heavy = Array.from({ length: 500 }, () => "('heavy')").join(', ');
    await session.query(`INSERT INTO ballast (words) VALUES ${heavy}`);
    const asks =
      point === 'grant-locked' ? await lockGap(stage, session) : await lockLines(stage, session, claims);
    const met = session.query(asks).then(
      () => 'the worker lost',
      (error: Error) => `we lost: ${error.message}`,
    );
    await sleep(60);
    go();
    return await met;
  } catch (error) {
    go(); // the worker must not stand there for ever
    return `no deadlock: ${error instanceof Error ? error.message : error}`;
  } finally {
    other?.destroy();
  }
}

/** The gap behind the last ledger line: no line can be opened. Answers what to ask for then. */
async function lockGap({ t }: Stage, session: Connection): Promise<string> {
  const [rows] = await session.query<RowDataPacket[]>(
    `SELECT COALESCE(MAX(id), 0) AS last FROM ${t.attempts}`,
  );
  await session.query(`SELECT id FROM ${t.attempts} WHERE id > ${Number(rows[0]?.['last'])} FOR UPDATE`);
  return `SELECT id FROM ${t.pace} WHERE id = 1 FOR UPDATE`;
}

/** The ledger lines of claims that are being settled. */
async function lockLines({ t }: Stage, session: Connection, claims: readonly string[]): Promise<string> {
  const list = claims.map((claim) => mysql.escape(claim)).join(', ');
  const [lines] = await session.query<RowDataPacket[]>(
    `SELECT queue_id FROM ${t.attempts} FORCE INDEX (claim_id) WHERE claim_id IN (${list}) FOR UPDATE`,
  );
  const ids = lines.map((line) => mysql.escape(line['queue_id'])).join(', ');
  return `SELECT id FROM ${t.queue} WHERE id IN (${ids}) FOR UPDATE`;
}
