/** One contestant's run into the counting sink, each in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { ServerDatabase } from '../src-main/contract/profile.ts';
import { openPlace } from '../src-main/queue/place.ts';
import { applySchema } from '../src-main/queue/schema.ts';
import { openMysql } from '../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase } from '../test/support/mariadb.ts';
import { benchMails } from './mails.ts';

export const connections = 5;

export interface Sink {
  port: number;
  process: ChildProcess;
}

export async function startSink(): Promise<Sink> {
  const sink = fork(process.env['POSTROOM_BENCH_SINK'] ?? '', {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return { process: sink, port: Number((await next(sink, 'port'))['port']) };
}

export interface Run {
  contestant: 'bare' | 'postroom';
  count: number;
  /** where the contestant finds the sink; another port than the sink's own where a proxy stands between */
  sinkPort: number;
  database: ServerDatabase | null;
  /** the ssh part of a profile: database and mail go through it */
  ssh?: unknown;
}

/** mails/s until the sink had all; CPU s and peak MB of the contestant until it had settled all. */
export interface Figures {
  rate: number;
  cpuS: number;
  peakMb: number;
  settledMs: number;
}

export async function contest(
  sink: Sink,
  { contestant, count, sinkPort, database, ssh = null }: Run,
): Promise<Figures> {
  const ready = next(sink.process, 'ready');
  sink.process.send({ want: count });
  await ready;
  const child = fork(path.join(import.meta.dirname, 'contestant.mjs'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const set = next(child, 'ready');
  child.send({ contestant, count, connections, sinkPort, database, ssh });
  await set;
  const full = next(sink.process, 'full');
  const done = next(child, 'done');
  const startMs = Date.now();
  child.send({ go: true });
  const end = await full;
  const said = await done;
  const settledMs = Date.now() - startMs;
  child.disconnect();
  if (Number(end['again']) > 0) throw new Error(`${end['again']} mails arrived twice`);
  const figures = {
    rate: count / ((Number(end['atMs']) - startMs) / 1000),
    cpuS: Number(said['cpuS']),
    peakMb: Number(said['peakMb']),
    settledMs,
  };
  console.error(
    `${contestant}${ssh ? ' (tunnel)' : ''}: ${figures.rate.toFixed(0)} mails/s, ${figures.cpuS.toFixed(2)} s CPU, peak ${figures.peakMb.toFixed(0)} MB, settled after ${settledMs} ms`,
  );
  return figures;
}

/** A database with `count` waiting rows. */
export async function filledDatabase(server: MariadbServer, count: number): Promise<ServerDatabase> {
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
