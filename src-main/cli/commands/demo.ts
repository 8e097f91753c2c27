import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { DrainSummary } from '../../contract/desk.ts';
import { type ShapeName, shapeNames } from '../../contract/profile.ts';
import type { QueueRow } from '../../contract/rows.ts';
import type { OpenedDemoShop } from '../../demo/shop.ts';
import { withHome } from '../config.ts';
import { type DemoBooks, demoFaults, demoLines } from '../demo-words.ts';
import { exits } from '../exit.ts';
import type { Io } from '../io.ts';
import { closing, type Tools } from '../open.ts';
import { readCommon, wholeNumber, withCommon } from '../options.ts';
import { bar, startProgress } from '../progress.ts';
import { type Tally, tallyOf } from '../tally.ts';
import { fitCells, pad, plain, safeJson } from '../text.ts';
import { duration, shortTime } from '../times.ts';

const lookEveryMs = 250;
const barCells = 24;
/** cells of `arrived` and of the recipient in the lines of single mails */
const wordCells = 8;
const whoCells = 34;
/** rows that may be left at the end, far more than the greylisting domain has */
const mostLeft = 1_000;

const help = `
A whole shop in this terminal: its queue, its orders and a mail server that takes everything and sends nothing on.
Some of its customers have a full or unknown mailbox, one server is slow, one greylists: all of that is part of the
show. Exit code 0 when every promise was kept, 1 when one was broken.
--shape shows the same over a table that another program made: wp-email-queue, jobs or email-jobs.`;

export function demoCommand(program: Command, tools: Tools): void {
  withCommon(program.command('demo').summary('the demo shop in this terminal'), { config: false })
    .option('--mails <n>', 'mails that wait at the beginning', wholeNumber(1, 100_000), 24)
    .option('--rate <n>', 'mails a minute', wholeNumber(1, 60), 60)
    .addOption(
      new Option('--shape <shape>', 'layout of the queue table').choices(shapeNames).default('studiou-wcmq'),
    )
    .addHelpText('after', help)
    .action(async (options: { mails: number; rate: number; shape: ShapeName }, command: Command) => {
      const { folder, json } = readCommon(command);
      const signal = tools.interrupt.settling();
      const own = folder === undefined;
      const stateDir = own
        ? await mkdtemp(path.join(tmpdir(), 'postroom-demo-'))
        : path.resolve(withHome(folder));
      try {
        await run(tools, signal, { ...options, stateDir, json });
      } finally {
        if (own) await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
      }
    });
}

async function run(
  tools: Tools,
  signal: AbortSignal,
  {
    mails,
    rate,
    shape,
    stateDir,
    json,
  }: { mails: number; rate: number; shape: ShapeName; stateDir: string; json: boolean },
): Promise<void> {
  const { io } = tools;
  const order = { stateDir, version: tools.version, mails, rate };
  const shop =
    shape === 'studiou-wcmq'
      ? await (await import('../../demo/shop.ts')).openDemoShop(order)
      : await (await import('../../demo/shape-shop.ts')).openShapeDemo(shape, order);
  await closing(shop, async () => {
    io.say(
      `The demo shop has ${mails} mails to send, at most ${rate} a minute. Nothing leaves this machine.`,
    );
    const tally = tallyOf(shop.events, (ended) => {
      if (ended.outcome !== 'sent')
        io.say(endLine(io, 'red', 'refused', ended.recipient, ended.reason ?? ''));
    });
    shop.onArrival((mail) => io.say(endLine(io, 'green', 'arrived', mail.to.join(', '), mail.subject)));
    await shop.desk.enable();
    await shop.startDraining();
    const left = await watch(io, shop, tally, mails, signal);
    const summary = await shop.summary();
    const books: DemoBooks = { mails, rate, summary, proof: shop.proof(), left };
    const faults = signal.aborted ? [] : demoFaults(books);
    await report(io, books, faults, json);
    if (signal.aborted) io.say('Interrupted: what was on its way is settled, the rest was not sent.');
    else if (faults.length === 0) io.say(`Every promise was kept. It took ${duration(summary.took_s)}.`);
    tools.exit = signal.aborted ? exits.interrupted : faults.length > 0 ? exits.mailFailed : exits.done;
  });
}

/** Until nothing is left but what a greylisting server asked to come back with. Answers that. */
async function watch(
  io: Io,
  shop: OpenedDemoShop,
  tally: Tally,
  mails: number,
  signal: AbortSignal,
): Promise<QueueRow[]> {
  const progress = startProgress(io, async () => {
    const { next_at: next, now, remaining } = await shop.desk.status();
    const done = Math.max(0, mails - remaining);
    const when = next === null ? '' : ` · next at ${shortTime(next, now)}`;
    return `${bar(done / mails, barCells)} ${done} of ${mails} · ${tally.sent} sent · ${tally.failed} failed${when}`;
  });
  try {
    for (;;) {
      const { counts } = await shop.desk.status();
      const near = counts.sending === 0 && counts.pending <= mostLeft;
      const waiting = near || signal.aborted ? await triedBefore(shop) : [];
      if (signal.aborted || (near && counts.pending === waiting.length)) return waiting;
      await pause(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    progress.stop();
  }
}

/** Rows that wait for another try. */
async function triedBefore({ desk }: OpenedDemoShop): Promise<QueueRow[]> {
  const { rows } = await desk.list({ filter: { state: 'pending' }, limit: mostLeft, offset: 0 });
  return rows.filter((row) => row.attempts > 0);
}

function endLine(io: Io, color: 'red' | 'green', word: string, who: string, what: string): string {
  const text = `${pad(fitCells(plain(who), whoCells), whoCells)}  ${plain(what)}`;
  const shown = io.wordsOnTerminal ? fitCells(text, io.wordsWidth - wordCells - 2) : text;
  return `${io.paintWords(color, pad(word, wordCells))} ${shown}`;
}

async function report(io: Io, books: DemoBooks, faults: string[], json: boolean): Promise<void> {
  if (json) await io.data(safeJson(jsonOf(books, faults)));
  else for (const line of demoLines(books, io.paintData)) await io.data(line);
  for (const fault of faults) io.say(`${io.paintWords('red', 'A promise was broken')}: ${fault}`);
}

function jsonOf(
  { mails, rate, summary, proof, left }: DemoBooks,
  faults: string[],
): DrainSummary & Record<string, unknown> {
  return {
    ...summary,
    mails,
    rate_per_minute: rate,
    waiting_until: left.map((row) => row.scheduled_at),
    // by the mail server's own stamps and Message-IDs
    most_in_60s: proof.mostIn60s,
    duplicates: proof.duplicates,
    closest_ms: proof.closestMs,
    arrived: proof.arrived,
    ok: faults.length === 0,
    faults,
  };
}
