/**
 * The same drain through one SSH session (database and mail over its channels, by a real sshd on loopback) and directly,
 * in turns in the same run: no delay is added, so the difference is encryption, channels and one more process.
 */
import { startMariadb } from '../test/support/mariadb.ts';
import { startSshd } from '../test/support/sshd.ts';
import { connections, contest, filledDatabase, median, startSink } from './run.ts';

const count = Number(process.env['POSTROOM_BENCH_MAILS'] ?? 5000);
const rounds = Number(process.env['POSTROOM_BENCH_ROUNDS'] ?? 3);

export async function drainThroughTunnel(): Promise<void> {
  const server = await startMariadb({ durable: true });
  const sink = await startSink();
  const sshd = await startSshd();
  const one = async (ssh: unknown) =>
    contest(sink, {
      contestant: 'postroom',
      count,
      sinkPort: sink.port,
      database: await filledDatabase(server, count),
      ssh,
    });
  const ratios: number[] = [];
  const rates = { direct: [] as number[], tunnel: [] as number[] };
  await one(null); // warms the page cache and the sink
  let before = await one(null);
  for (let round = 0; round < rounds; round += 1) {
    const tunnel = await one(sshd.login());
    const after = await one(null);
    ratios.push(tunnel.rate / ((before.rate + after.rate) / 2));
    rates.tunnel.push(tunnel.rate);
    rates.direct.push(after.rate);
    before = after;
  }
  await sshd.remove();
  await server.remove();
  sink.process.disconnect(); // last: the others' ends keep no program alive
  const line = (name: string, values: number[], digits: number) =>
    `| ${name} | ${median(values).toFixed(digits)} | ${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)} |`;
  console.log(`| draining ${count} mails over ${connections} connections | median | min to max |`);
  console.log('| --- | --- | --- |');
  console.log(line('through the tunnel, ratio to direct', ratios, 2));
  console.log(line('through the tunnel, mails/s', rates.tunnel, 0));
  console.log(line('directly, mails/s', rates.direct, 0));
}
