/**
 * Draining 5,000 small mails, uncapped, over 5 connections from MariaDB on loopback, every promise kept, against bare
 * pooled nodemailer into the same sink. The machine's speed drifts: every run is bracketed by bare ones, and the figure is
 * the ratio to their mean.
 */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { ServerDatabase } from '../src-main/contract/profile.ts';
import { openPlace } from '../src-main/queue/place.ts';
import { applySchema } from '../src-main/queue/schema.ts';
import { openMysql } from '../src-main/shop/mysql.ts';
import { makeDatabase, startMariadb } from '../test/support/mariadb.ts';
import { benchMails } from './mails.ts';

const count = Number(process.env['POSTROOM_BENCH_MAILS'] ?? 5000);
const rounds = Number(process.env['POSTROOM_BENCH_ROUNDS'] ?? 3);
const connections = 5;

type Message = Record<string, unknown>;

function next(child: ChildProcess, key: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: Message) => {
      if (!(key in message)) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message);
    };
    const onExit = (code: number | null) =>
      reject(new Error(`a bench process ended (${code}) before ${key}`));
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}

export async function drainAgainstBare(): Promise<void> {
  const server = await startMariadb({ durable: true });
  const sink = fork(process.env['POSTROOM_BENCH_SINK'] ?? '', {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const sinkPort = Number((await next(sink, 'port'))['port']);
  const one = async (contestant: 'bare' | 'postroom') => {
    const database = contestant === 'postroom' ? await filledDatabase(server) : null;
    const ready = next(sink, 'ready');
    sink.send({ want: count });
    await ready;
    const child = fork(path.join(import.meta.dirname, 'contestant.mjs'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const set = next(child, 'ready');
    child.send({ contestant, count, connections, sinkPort, database });
    await set;
    const full = next(sink, 'full');
    const done = next(child, 'done');
    const startMs = Date.now();
    child.send({ go: true });
    const end = await full;
    const figures = await done;
    const settledMs = Date.now() - startMs;
    child.disconnect();
    const seconds = (Number(end['atMs']) - startMs) / 1000;
    const result = {
      contestant,
      rate: count / seconds,
      cpuS: Number(figures['cpuS']),
      peakMb: Number(figures['peakMb']),
      again: Number(end['again']),
      settledMs,
    };
    console.error(
      `${contestant}: ${result.rate.toFixed(0)} mails/s, ${result.cpuS.toFixed(2)} s CPU, peak ${result.peakMb.toFixed(0)} MB, twice ${result.again}, settled after ${settledMs} ms`,
    );
    return result;
  };
  const ratios: number[] = [];
  const rates: number[] = [];
  await one('bare'); // warms the page cache and the sink
  let before = await one('bare');
  for (let round = 0; round < rounds; round += 1) {
    const ours = await one('postroom');
    const after = await one('bare');
    if (ours.again > 0) throw new Error(`${ours.again} mails arrived twice`);
    ratios.push(ours.rate / ((before.rate + after.rate) / 2));
    rates.push(ours.rate);
    before = after;
  }
  sink.disconnect();
  await server.remove();
  console.log(`| draining ${count} mails over ${connections} connections | median | min to max |`);
  console.log('| --- | --- | --- |');
  console.log(
    `| ratio to bare pooled nodemailer | ${median(ratios).toFixed(2)} | ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} |`,
  );
  console.log(
    `| mails/s | ${median(rates).toFixed(0)} | ${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)} |`,
  );
}

async function filledDatabase(server: Awaited<ReturnType<typeof startMariadb>>): Promise<ServerDatabase> {
  const database = await makeDatabase(server);
  const db = openMysql(database);
  const place = await openPlace(db, database.tablePrefix);
  await applySchema(place);
  const mails = benchMails(count);
  for (let at = 0; at < mails.length; at += 500) {
    const part = mails.slice(at, at + 500);
    await db.run(
      `INSERT INTO ${place.t.queue} (recipient, subject, payload, scheduled_at, created_at) VALUES ${part.map(() => '(?, ?, ?, 1, 1)').join(', ')}`,
      part.flatMap((mail) => [
        mail.to,
        mail.subject,
        JSON.stringify({
          to: mail.to,
          subject: mail.subject,
          message: mail.html,
          headers: 'Content-Type: text/html\r\n',
          attachments: [],
        }),
      ]),
    );
  }
  await db.close();
  return database;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
