/**
 * A shop whose every way leads through one real SSH session and a proxy that is a bad network; and the judge who reads the
 * mail server's own record beside the tables. `POSTROOM_SCENARIOS=full` (npm run test:scenarios) gives outages their full
 * length; otherwise they last longer than every timeout that they have to outlive: keepalive (12 s until a peer is dead),
 * the console's wait_timeout (20 s) and the longest pause between two tries (5 s). Nothing new happens after those.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { OpenedShop } from '../../src-main/boot.ts';
import type { Profile } from '../../src-main/contract/profile.ts';
import { type DelayProxy, startDelayProxy } from '../support/delay-proxy.ts';
import { type MariadbServer, startMariadb } from '../support/mariadb.ts';
import { makeShop, planPayload, type TestShop, type TestShopOptions } from '../support/shop.ts';
import type { AcceptedMail, ScriptedSmtpServer } from '../support/smtp-server.ts';
import { mostInWindow } from '../support/smtp-server.ts';
import { type SshdOptions, type SshServer, startSshd } from '../support/sshd.ts';

export const full = process.env.POSTROOM_SCENARIOS === 'full';
/** ms: the full length under `full`, else the short one */
export const lasting = (shortMs: number, fullMs: number): number => (full ? fullMs : shortMs);
/** ms that the issue allows from the network's return to the next mail */
export const backWithinMs = 10_000;

export interface Ways {
  shop: TestShop;
  sshd: SshServer;
  /** between the console and sshd */
  network: DelayProxy;
  /** own server, where the scenario hurts it */
  mariadb: MariadbServer | null;
  /** what the console said of its connection, null = back; with the times */
  said: { at: number; words: string | null }[];
  /** opens the console by the tunnel */
  open(changes?: Partial<Profile>): Promise<OpenedShop>;
  /** `count` rows for recipients of their own */
  put(count: number): Promise<void>;
  /** resolves when the mail servers have had so many mails; rejects after `ms` */
  arrived(count: number, ms?: number): Promise<void>;
  /** resolves when so many rows are sent: their answers are no longer on the way, and the next mail is up to a second off */
  settled(count: number): Promise<void>;
  /** ms from now until the next mail is accepted */
  nextMail(limitMs: number): Promise<number>;
  /** what all mail servers of this scenario accepted */
  mails(): AcceptedMail[];
  /** another mail server that the judge must read too */
  alsoJudge(server: ScriptedSmtpServer): void;
}

type Finished = (end: () => Promise<void>) => void;

export interface WaysOptions {
  shop?: TestShopOptions;
  sshd?: SshdOptions;
  ownDatabase?: boolean;
  /** default tunnel */
  mail?: 'tunnel' | 'direct';
  login?: Parameters<SshServer['login']>[0];
}

/** @param finished of the test's own context: beside others the global one does not know whose it is */
export async function makeWays(finished: Finished, options: WaysOptions = {}): Promise<Ways> {
  const mariadb = options.ownDatabase ? await startMariadb() : null;
  const sshd = await startSshd(options.sshd);
  const network = await startDelayProxy(sshd.port);
  const shop = await makeShop({
    settings: { rate_per_minute: 60 },
    ...options.shop,
    ...(mariadb ? { server: mariadb } : {}),
  });
  const witnesses: ScriptedSmtpServer[] = [shop.smtp];
  const said: Ways['said'] = [];
  let numbers = 0;
  finished(async () => {
    network.thaw();
    await shop.close();
    await network.close();
    await sshd.remove();
    await mariadb?.remove();
  });
  const mails = () => witnesses.flatMap((server) => server.mails).sort((a, b) => a.at - b.at);
  const count = () => witnesses.reduce((sum, server) => sum + server.mails.length, 0);
  const arrived = (wanted: number, ms = 30_000) =>
    until(
      `${wanted} mails`,
      () => count() >= wanted,
      ms,
      () => `${count()} mails; ${JSON.stringify(said)}`,
    );
  return {
    shop,
    sshd,
    network,
    mariadb,
    said,
    async open(changes = {}) {
      const console = await shop.open({
        ssh: sshd.login({ port: network.port, ...options.login }),
        files: { root: shop.filesRoot, via: 'sftp' },
        smtp: { ...shop.profile.smtp, via: options.mail ?? 'tunnel' },
        ...changes,
      });
      console.events.on('connection', (words) => said.push({ at: Date.now(), words }));
      return console;
    },
    async put(rows) {
      for (let n = 0; n < rows; n += 1) {
        const to = `customer${++numbers}@example.test`;
        await shop.insert({ recipient: to, payload: planPayload({ to, subject: `Order ${numbers}` }) });
      }
    },
    arrived,
    settled: (wanted) =>
      until(`${wanted} sent`, async () => (await shop.rows("state = 'sent'")).length >= wanted),
    async nextMail(limitMs) {
      const since = Date.now();
      await arrived(count() + 1, limitMs);
      return (mails().at(-1)?.at ?? Date.now()) - since;
    },
    mails,
    alsoJudge: (server) => void witnesses.push(server),
  };
}

/** Enables and drains. */
export async function drain(console: OpenedShop): Promise<void> {
  await console.desk.enable();
  await console.startDraining();
}

export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  ms = 30_000,
  why: () => string = () => '',
): Promise<void> {
  for (const end = Date.now() + ms; !(await look()); await sleep(20))
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what} ${why()}`);
}

/** Words of the last loss that matches. */
export const lastWords = (ways: Ways): string =>
  ways.said.findLast(({ words }) => words !== null)?.words ?? '';

/**
 * Nothing lost, nothing twice, the distance kept: the mail server's record against the tables. A row in doubt may have
 * arrived once or not; every other one is sent, by its first conversation, and has arrived exactly once. With `waiting`
 * it may also wait for a later try, and then has not arrived.
 */
export async function judge(ways: Ways, { doubts = 0, capped = true, waiting = false } = {}): Promise<void> {
  const arrivals = new Map<string, number>();
  for (const mail of ways.mails()) for (const to of mail.to) arrivals.set(to, (arrivals.get(to) ?? 0) + 1);
  const rows = await ways.shop.rows();
  const doubtful = rows.filter((row) => Number(row['in_doubt']) === 1);
  const wrong = rows.filter((row) => {
    const times = arrivals.get(String(row['recipient'])) ?? 0;
    if (Number(row['in_doubt']) === 1) return times > 1;
    if (waiting && /^(?:pending|sending)$/.test(String(row['state']))) return times > 0;
    if (waiting) return row['state'] !== 'sent' || times !== 1;
    return row['state'] !== 'sent' || times !== 1 || Number(row['attempts']) !== 1;
  });
  expect(wrong.map(({ id, state, attempts, last_error }) => ({ id, state, attempts, last_error }))).toEqual(
    [],
  );
  expect(doubtful.length).toBeLessThanOrEqual(doubts);
  expect([...arrivals.keys()].filter((to) => !rows.some((row) => row['recipient'] === to))).toEqual([]);
  if (!capped) return;
  const stamps = ways.mails().map(({ at }) => at);
  expect(mostInWindow(stamps, 60_000)).toBeLessThanOrEqual(60);
  const gaps = stamps.slice(1).map((at, n) => at - (stamps[n] ?? 0));
  // 1 s by the database's clock; 50 ms for what the mail server's own answers jitter on a busy machine
  expect(Math.min(...gaps)).toBeGreaterThan(950);
}

/** A figure for the reader of a full run. */
export function report(what: string, ms: number): void {
  if (full) console.log(`${what}: ${(ms / 1000).toFixed(1)} s`);
}
