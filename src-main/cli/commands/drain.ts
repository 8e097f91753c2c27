import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OpenedShop } from '../../boot.ts';
import type { DrainSummary } from '../../contract/desk.ts';
import { PostroomError, toWireError } from '../../contract/errors.ts';
import type { QueueState } from '../../contract/settings.ts';
import { progressWords, summaryLines } from '../drain-words.ts';
import { exits } from '../exit.ts';
import type { Io } from '../io.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type Tally, tallyOf } from '../tally.ts';
import { plain, safeJson } from '../text.ts';
import { shortTime } from '../times.ts';

/** ms without a single mail after which `--until-empty` gives up on a mail server that cannot be used */
const mailPatienceMs = 20_000;
const lookEveryMs = 1_000;

const help = `
Without --until-empty it goes on until it is interrupted. Interrupted, it settles what is in flight first.
With --until-empty it ends when nothing waits any more; mails that are to be tried again later are waited for.
Exit code 1 when a mail failed or is in doubt; 3 when no mail at all could be handed to the mail server.`;

export function drainCommand(program: Command, tools: Tools): void {
  withCommon(program.command('drain').summary('send what waits, at the pace of the shop'))
    .option('--until-empty', 'end when nothing waits any more')
    .option('--take-over', 'drain alone: other consoles finish what they hold and take no more')
    .addHelpText('after', help)
    .action(async (options: { untilEmpty?: boolean; takeOver?: boolean }, command: Command) => {
      const common = readCommon(command);
      const signal = tools.interrupt.settling();
      const books = await withShop(tools, common, (shop) => drain(shop, tools.io, signal, options));
      await report(books(), tools, signal.aborted, common.json);
    });
}

interface Books {
  summary: DrainSummary;
  state: QueueState;
}

/** Drains, and answers how to read the books: after the shop was closed, so that what is settled then is in them. */
async function drain(
  shop: OpenedShop,
  io: Io,
  signal: AbortSignal,
  { untilEmpty = false, takeOver = false }: { untilEmpty?: boolean; takeOver?: boolean },
): Promise<() => Books | null> {
  const tally = tallyOf(shop.events, (ended) => {
    if (ended.outcome === 'sent') return;
    const word = io.paintWords('red', ended.outcome === 'in-doubt' ? 'In doubt' : 'Failed');
    io.say(
      `${word}: row ${ended.id} to ${plain(ended.recipient)}: ${plain(ended.reason ?? 'no reason given')}`,
    );
  });
  tellTroubles(shop, io);
  await shop.startDraining();
  await tellOthers(shop, io);
  if (takeOver) await shop.desk.takeOver();
  const progress = startProgress(io, () => lineOf(shop, tally));
  try {
    if (untilEmpty) await race(shop, tally, signal);
    else await aborted(signal);
  } finally {
    progress.stop();
  }
  const before = { ...tally };
  try {
    const summary = await shop.summary();
    const { state } = await shop.desk.status();
    return () => ({ summary: withLate(summary, before, tally), state });
  } catch (error) {
    // interrupted while the shop was out of reach: what is in flight is settled all the same
    if (!signal.aborted) throw error;
    io.say(`There is no summary: ${plain(toWireError(error).message)}`);
    return () => null;
  }
}

/** Mails that ended while the shop was being closed. */
function withLate(summary: DrainSummary, before: Tally, after: Tally): DrainSummary {
  const sent = after.sent - before.sent;
  const failed = after.failed - before.failed;
  const inDoubt = after.inDoubt - before.inDoubt;
  return {
    ...summary,
    sent: summary.sent + sent,
    failed: summary.failed + failed,
    in_doubt: summary.in_doubt + inDoubt,
    remaining: summary.remaining - sent - failed - inDoubt,
  };
}

async function report(books: Books | null, tools: Tools, interrupted: boolean, json: boolean): Promise<void> {
  const { io } = tools;
  if (interrupted) tools.exit = exits.interrupted;
  else if (books && books.summary.failed + books.summary.in_doubt > 0) tools.exit = exits.mailFailed;
  if (!books) return;
  if (json) await io.data(safeJson({ ...books.summary, state: books.state, interrupted }));
  else for (const line of summaryLines(books.summary, io.paintData)) await io.data(line);
}

/** Who drains this shop already: both share the cap, so nothing is wrong with it; but whoever starts a second one should know. */
async function tellOthers(shop: OpenedShop, io: Io): Promise<void> {
  const status = await shop.desk.status().catch(() => null);
  if (!status) return;
  const { consoles, now } = status;
  for (const { name, since, seen_at, self, able_at } of consoles)
    if (!self && able_at !== null && now - seen_at < 180)
      io.say(
        `${plain(name)} drains this shop too${since === null ? '' : ` since ${shortTime(since, now)}`}, seen ${now - seen_at} s ago: both share the limit.`,
      );
}

/** Faults are told at once, and their end, also where no progress line is drawn. */
function tellTroubles(shop: OpenedShop, io: Io): void {
  shop.events.on('lane', (lane) => {
    if (!lane) io.say('The mail server answers again.');
    else if (lane.by === 'fault')
      io.say(`${io.paintWords('yellow', 'Waiting for the mail server')}: ${plain(lane.reason)}`);
  });
  shop.events.on('aside', (by) => {
    io.say(
      by
        ? `${plain(by.name)} has taken over and drains alone: this one waits. --take-over takes it back.`
        : 'This console drains again.',
    );
  });
  shop.events.on('woke', ({ from, to, waited, sent, given_back, failed, in_doubt }) => {
    io.say(
      `Slept for ${Math.round((to - from) / 60)} min: ${waited} waiting; taken over: ${sent} sent before, ${given_back} given back, ${failed} failed, ${in_doubt} in doubt.`,
    );
  });
  shop.events.on('connection', (cause) => {
    io.say(
      cause === null
        ? 'The shop is back.'
        : `${io.paintWords('yellow', 'The shop is out of reach')}: ${plain(cause)}`,
    );
  });
}

async function lineOf(shop: OpenedShop, tally: Tally): Promise<string> {
  try {
    return progressWords(await shop.desk.status(), tally);
  } catch (error) {
    return `${tally.sent} sent · ${tally.failed} failed · ${plain(toWireError(error).message)}`;
  }
}

/** Until the queue is empty, or a signal comes, or the mail server proves to be of no use. */
async function race(shop: OpenedShop, tally: Tally, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const empty = shop.untilEmpty(either).catch((error: unknown) => {
    if (!either.aborted) throw error;
  });
  try {
    await Promise.race([empty, mailServerOfNoUse(shop, tally, either)]);
  } finally {
    over.abort();
  }
}

/**
 * A server that fails once may answer the next minute, and is waited for. One that has not taken a single mail of this
 * run, with its lane paused by faults all the while, is told to whoever called: a job of the night must not hang.
 */
async function mailServerOfNoUse(shop: OpenedShop, tally: Tally, signal: AbortSignal): Promise<void> {
  let faultySince: number | null = null;
  while (!signal.aborted) {
    await pause(lookEveryMs, undefined, { signal }).catch(() => {});
    const status = signal.aborted ? null : await shop.desk.status().catch(() => null);
    if (!status) continue;
    const idle = tally.sent + tally.failed + tally.inDoubt === 0;
    if (!idle || status.pause?.by !== 'fault') {
      faultySince = null;
      continue;
    }
    faultySince ??= performance.now();
    if (performance.now() - faultySince < mailPatienceMs) continue;
    const waiting = `${status.remaining} ${status.remaining === 1 ? 'mail waits' : 'mails wait'}`;
    throw new PostroomError('unreachable', `No mail could be sent, ${waiting}: ${status.pause.reason}`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    // an abort listener alone does not keep the process alive
    const hold = setInterval(() => {}, 60_000);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(hold);
        resolve();
      },
      { once: true },
    );
  });
}
