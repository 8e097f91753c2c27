import type { Command } from 'commander';
import type { RowState } from '../../contract/rows.ts';
import {
  type ConsoleSeen,
  holdsMailTypes,
  type Light,
  ownWord,
  type ShopStatus,
} from '../../contract/status.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import type { Color, Paint } from '../paint.ts';
import { factLines, plain, safeJson } from '../text.ts';
import { count, duration, shortTime } from '../times.ts';

export function statusCommand(program: Command, tools: Tools): void {
  withCommon(program.command('status').summary('what the queue is doing, and who drains it')).action(
    async (_options, command: Command) => {
      const common = readCommon(command);
      const { io } = tools;
      await withShop(tools, common, async (shop) => {
        const status = await shop.desk.status();
        if (common.json) return io.data(safeJson(status));
        for (const line of statusLines(status, io.paintData)) await io.data(line);
      });
    },
  );
}

const stateColors: Record<ShopStatus['state'], Color> = {
  enabled: 'green',
  draining: 'yellow',
  disabled: 'grey',
};
const stateWords: Record<ShopStatus['state'], string> = {
  enabled: 'the shop queues its mail, consoles send it',
  draining: 'what waits is still sent, then the queue is disabled',
  disabled: 'the shop sends its mail itself',
};

const rowWords: readonly [RowState, string][] = [
  ['pending', 'waiting'],
  ['sending', 'being sent'],
  ['sent', 'sent'],
  ['failed', 'failed'],
];

/** The program that fills a table of the shop's own knows nothing of these states. */
const ownTableWords: Record<ShopStatus['state'], string> = {
  enabled: "what is in the shop's table is sent",
  draining: "what is in the shop's table is still sent",
  disabled: 'nothing is due; what the shop adds is still sent',
};

/** The banner in plain words. */
export function statusLines(status: ShopStatus, paint: Paint): string[] {
  const { counts, now } = status;
  const ownTable = !holdsMailTypes(status.shape.name);
  const state = `${paint(stateColors[status.state], status.state)}: ${(ownTable ? ownTableWords : stateWords)[status.state]}`;
  const rows = rowWords
    .map(([key, word]) => {
      const own = ownWord(status.shape.words, key);
      return `${counts[key]} ${word}${own ? ` (${own})` : ''}`;
    })
    .join(', ');
  const facts: [string, string][] = [
    ['shop', plain(status.profile)],
    ['state', state],
    ['mails', counts.in_doubt > 0 ? `${rows} (${paint('yellow', `${counts.in_doubt} in doubt`)})` : rows],
  ];
  if (ownTable) facts.push(['shape', status.shape.name], ['books', booksWords(status)]);
  if (status.next_at !== null) facts.push(['next leaves', shortTime(status.next_at, now)]);
  if (status.empty_at !== null)
    facts.push(['empty', `${shortTime(status.empty_at, now)}, in ${duration(status.empty_at - now)}`]);
  facts.push(['pace', paceWords(status)]);
  if (status.pause) facts.push(['paused', paint('yellow', pauseWords(status.pause, now))]);
  facts.push(...lightFacts(status.lights, paint));
  facts.push([
    'drained by',
    status.consoles.length ? status.consoles.map((seen) => consoleWords(seen, now)).join('; ') : 'nobody',
  ]);
  if (Math.abs(status.skew_ms) > 2000)
    facts.push([
      'clock',
      `this machine's is ${duration(Math.abs(status.skew_ms) / 1000)} ${status.skew_ms > 0 ? 'ahead' : 'behind'}`,
    ]);
  return factLines(facts);
}

/** Where ledger, pace and log lie, and what that means for a second console. */
function booksWords({ shape }: ShopStatus): string {
  return shape.books === 'shop'
    ? "in the shop's database: all consoles share the cap and know of doubts"
    : 'with this console alone: two consoles cannot share the cap, a mail in doubt is known here alone (`postroom schema` says what would change it)';
}

export function pauseWords(pause: NonNullable<ShopStatus['pause']>, now: number): string {
  const reason = plain(pause.reason) || (pause.by === 'person' ? 'by hand' : 'a fault');
  return `until ${shortTime(pause.until, now)}: ${reason}`;
}

function paceWords({ rate }: ShopStatus): string {
  if (rate.uncapped) return 'no cap by the minute';
  const words = [`at most ${rate.set_per_minute} a minute, one every ${duration(rate.interval_ms / 1000)}`];
  if (rate.learned_interval_ms !== null)
    words.push(`slowed down by the mail server to one every ${duration(rate.learned_interval_ms / 1000)}`);
  words.push(`${rate.used_minute} in the last minute`);
  if (rate.cap_hour > 0) words.push(`${rate.used_hour} of ${rate.cap_hour} this hour`);
  if (rate.cap_day > 0) words.push(`${rate.used_day} of ${rate.cap_day} today`);
  return words.join(', ');
}

const lightColors: Record<Light['color'], Color> = {
  green: 'green',
  amber: 'yellow',
  red: 'red',
  grey: 'grey',
};
const lightWords: Record<Light['color'], string> = {
  green: 'good',
  amber: 'careful',
  red: 'bad',
  grey: 'not known',
};

function lightFacts(lights: ShopStatus['lights'], paint: Paint): [string, string][] {
  const names = [
    ['shop', 'way to the shop'],
    ['database', 'database'],
    ['mail', 'mail server'],
  ] as const;
  return names.map(([key, title]) => {
    const { color, cause } = lights[key];
    return [title, `${paint(lightColors[color], lightWords[color])}${cause ? `: ${plain(cause)}` : ''}`];
  });
}

function consoleWords(seen: ConsoleSeen, now: number): string {
  const name = seen.self ? 'this one' : `${plain(seen.name) || seen.id} ${plain(seen.version)}`.trim();
  const able =
    seen.able_at === null ? 'never able to send' : `able to send ${duration(now - seen.able_at)} ago`;
  const holds = seen.holds > 0 ? `, holds ${count(seen.holds, 'mail')}` : '';
  return `${name} (seen ${duration(now - seen.seen_at)} ago, ${able}${holds})`;
}
