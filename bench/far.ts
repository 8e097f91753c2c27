/**
 * The same drain through a proxy that delays every byte: the database 40 ms away (a shop reached through SSH), then the
 * mail server too. 40 ms is the whole round trip.
 */
import { startDelayProxy } from '../test/support/delay-proxy.ts';
import { startMariadb } from '../test/support/mariadb.ts';
import { connections, contest, filledDatabase, startSink } from './run.ts';

const count = 1000;
const roundTripMs = 40;

export async function drainFarAway(): Promise<void> {
  const server = await startMariadb({ durable: true });
  const sink = await startSink();
  console.log(`| ${count} mails over ${connections} connections at ${roundTripMs} ms | mails/s |`);
  console.log('| --- | --- |');
  for (const farMail of [false, true]) {
    const proxies = [await startDelayProxy(server.port)];
    if (farMail) proxies.push(await startDelayProxy(sink.port));
    for (const proxy of proxies) proxy.delayMs = roundTripMs / 2;
    const database = { ...(await filledDatabase(server, count)), port: proxies[0]?.port ?? 0 };
    const sinkPort = proxies[1]?.port ?? sink.port;
    const { rate } = await contest(sink, { contestant: 'postroom', count, sinkPort, database });
    console.log(`| the database${farMail ? ' and the mail server' : ''} far away | ${rate.toFixed(0)} |`);
    for (const proxy of proxies) await proxy.close();
  }
  sink.process.disconnect();
  await server.remove();
}
