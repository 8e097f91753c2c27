/**
 * Draining 5,000 small mails, uncapped, over 5 connections from MariaDB on loopback, every promise kept, against bare
 * pooled nodemailer into the same sink. The machine's speed drifts: every run is bracketed by bare ones, and the figure is
 * the ratio to their mean.
 */
import { startMariadb } from '../test/support/mariadb.ts';
import { connections, contest, filledDatabase, median, startSink } from './run.ts';

const count = Number(process.env['POSTROOM_BENCH_MAILS'] ?? 5000);
const rounds = Number(process.env['POSTROOM_BENCH_ROUNDS'] ?? 3);

export async function drainAgainstBare(): Promise<void> {
  const server = await startMariadb({ durable: true });
  const sink = await startSink();
  const one = async (contestant: 'bare' | 'postroom') =>
    contest(sink, {
      contestant,
      count,
      sinkPort: sink.port,
      database: contestant === 'postroom' ? await filledDatabase(server, count) : null,
    });
  const ratios: number[] = [];
  const rates: number[] = [];
  await one('bare'); // warms the page cache and the sink
  let before = await one('bare');
  for (let round = 0; round < rounds; round += 1) {
    const ours = await one('postroom');
    const after = await one('bare');
    ratios.push(ours.rate / ((before.rate + after.rate) / 2));
    rates.push(ours.rate);
    before = after;
  }
  sink.process.disconnect();
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
