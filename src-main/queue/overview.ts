/** Figures over many rows for the overview: read when somebody looks at it, and by nothing else. */
import {
  ages,
  type Bucket,
  type DomainBacklog,
  type ErrorKind,
  type Span,
  spans,
} from '../contract/overview.ts';
import type { RowId } from '../contract/rows.ts';
import type { Place } from './place.ts';
import { sourcesOf } from './shop-rows.ts';

/** domains that are named; the long tail of one-mail domains is one line */
const mostDomains = 12;
/** ledger lines that are read for the kinds of errors: the newest ones of a week */
const mostErrorLines = 2_000;
const errorsReachMs = 7 * 86_400_000;
const mostErrors = 8;
/** characters of a server's words that tell one kind from another */
const wordsKept = 160;

/**
 * Conversations by when they ended, oldest bucket first, empty ones too. One range read of the key (finished_ms, ...); lines
 * that never came to MAIL FROM (recipients 0) are the transport's fault and no mail's.
 */
export async function readHistory(place: Place, nowMs: number, span: Span): Promise<Bucket[]> {
  const { bucketS, count } = spans[span];
  const bucketMs = bucketS * 1000;
  const firstMs = nowMs - count * bucketMs;
  const counted = span === 'minute' ? 'COUNT(*)' : 'SUM(recipients)';
  const rows = await place.db.query(
    `SELECT ${whole(place, `(finished_ms - ?) / ${bucketMs}`)} AS bucket,
       SUM(CASE WHEN outcome = 'sent' THEN 1 ELSE 0 END) AS sent,
       SUM(CASE WHEN outcome = 'deferred' THEN 1 ELSE 0 END) AS deferred,
       SUM(CASE WHEN outcome IN ('rejected', 'in-doubt') THEN 1 ELSE 0 END) AS failed,
       ${counted} AS counted
     FROM ${place.t.attempts} WHERE finished_ms > ? AND recipients > 0 GROUP BY bucket`,
    [firstMs, firstMs],
  );
  const buckets: Bucket[] = Array.from({ length: count }, (_, at) => ({
    at: Math.floor((firstMs + at * bucketMs) / 1000),
    ...{ sent: 0, deferred: 0, failed: 0, counted: 0 },
  }));
  for (const row of rows) {
    // a line stamped this very moment may lie a hair past the last bucket
    const bucket = buckets[Math.min(count - 1, Math.trunc(Number(row['bucket'])))];
    if (!bucket) continue;
    bucket.sent += Number(row['sent']);
    bucket.deferred += Number(row['deferred']);
    bucket.failed += Number(row['failed']);
    bucket.counted += Number(row['counted']);
  }
  return buckets;
}

const whole = (place: Place, number: string): string =>
  place.db.dialect === 'mysql' ? `FLOOR(${number})` : `CAST(${number} AS INTEGER)`;

/**
 * Waiting rows by the domain of their first recipient and by age. Grouped by the database, since a backlog may be 100,000 rows.
 * Rows of other shapes that do not say when they were made are as old as their due time.
 */
export async function readBacklog(place: Place, nowS: number): Promise<DomainBacklog[]> {
  const db = place.shop?.db ?? place.db;
  const since = 'CASE WHEN created_at > 0 THEN created_at ELSE scheduled_at END';
  const waiting = place.shop
    ? sourcesOf(place.shop.table, 'pending')
        .map(({ source, where }) => `${source.select} WHERE ${where}`)
        .join(' UNION ALL ')
    : `SELECT recipient, attempts, created_at, scheduled_at FROM ${place.t.queue} WHERE state = 'pending'`;
  const age = `(? - (${since}))`;
  const sums = ages.map((upTo, at) => {
    const from = at === 0 ? null : (ages[at - 1] ?? 0) * 60;
    const over = from === null ? '' : `${age} >= ${from}`;
    const below = upTo === null ? '' : `${age} < ${upTo * 60}`;
    return `SUM(CASE WHEN ${[over, below].filter(Boolean).join(' AND ')} THEN 1 ELSE 0 END) AS age${at}`;
  });
  const asked = sums.join('').split('?').length - 1;
  const rows = await db.query(
    `SELECT domain, COUNT(*) AS total, SUM(CASE WHEN attempts > 0 THEN 1 ELSE 0 END) AS tried, ${sums.join(', ')}
     FROM (SELECT ${domainSql(db.dialect)} AS domain, attempts, created_at, scheduled_at FROM (${waiting}) rows_waiting) by_domain
     GROUP BY domain ORDER BY total DESC, domain LIMIT 1000`,
    Array.from({ length: asked }, () => nowS),
  );
  const backlog = rows.map((row) => ({
    domain: String(row['domain'] ?? ''),
    total: Number(row['total']),
    byAge: ages.map((_, at) => Number(row[`age${at}`])),
    tried: Number(row['tried']),
  }));
  return backlog.length <= mostDomains
    ? backlog
    : [...backlog.slice(0, mostDomains), backlog.slice(mostDomains).reduce(together)];
}

/** What stands behind the first @, up to where an address ends: `a@b.test, c@d.test` and `["a@b.test"]` are b.test. */
function domainSql(dialect: 'mysql' | 'sqlite'): string {
  const ends = [',', '>', '"', ' ', ';'];
  if (dialect === 'mysql') {
    const behind = "SUBSTRING_INDEX(SUBSTRING_INDEX(recipient, '@', 2), '@', -1)";
    return `LOWER(${ends.reduce((text, end) => `SUBSTRING_INDEX(${text}, '${end}', 1)`, behind)})`;
  }
  const behind = "substr(recipient, instr(recipient, '@') + 1)";
  return `LOWER(${ends.reduce((text, end) => `substr(${text}, 1, instr(${text} || '${end}', '${end}') - 1)`, behind)})`;
}

function together(all: DomainBacklog, one: DomainBacklog): DomainBacklog {
  return {
    domain: '',
    total: all.total + one.total,
    byAge: all.byAge.map((n, at) => n + (one.byAge[at] ?? 0)),
    tried: all.tried + one.tried,
  };
}

/** What servers said when they did not take a mail, by kind. */
export async function readErrors(place: Place, nowMs: number): Promise<ErrorKind[]> {
  const rows = await place.db.query(
    `SELECT queue_id, outcome, smtp_code, enhanced_code, response, finished_ms FROM ${place.t.attempts}
     WHERE finished_ms > ? AND outcome IN ('rejected', 'deferred', 'in-doubt') ORDER BY finished_ms DESC LIMIT ${mostErrorLines}`,
    [nowMs - errorsReachMs],
  );
  const kinds = new Map<string, ErrorKind>();
  for (const row of rows) {
    const outcome = String(row['outcome']) as ErrorKind['outcome'];
    const codes = [row['smtp_code'], row['enhanced_code']].filter((code) => code != null && code !== '');
    const words = kindOf(String(row['response'] ?? ''), codes.join(' '));
    const key = `${outcome} ${words}`;
    const known = kinds.get(key);
    if (known) known.count += 1;
    else
      kinds.set(key, {
        words,
        outcome,
        count: 1,
        lastAt: Math.floor(Number(row['finished_ms']) / 1000),
        example: (row['queue_id'] as RowId | null) ?? null,
      });
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt).slice(0, mostErrors);
}

/** A reply without what differs from mail to mail: addresses (redacted already), queue ids, session ids, long numbers. */
function kindOf(response: string, codes: string): string {
  const words = response
    .replace(/<?\*\*\*@[^\s>]+>?:?/g, '…')
    .replace(/\b(?=[\w.-]*\d)[\w.-]{10,}\b/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
  const told = words.startsWith(codes) ? words : `${codes} ${words}`.trim();
  return told.slice(0, wordsKept);
}
