/** Checks the books of a seed by the mail server's own record. Each finding is a violation. */
import type { SqlValue } from '../../src-main/shop/database.ts';
import type { Console } from './console.ts';
import type { Hit } from './injector.ts';
import type { InsertedRow } from './stage.ts';
import type { WireReport } from './witness.ts';

export type Row = Record<string, SqlValue>;

export interface Books {
  inserted: readonly InsertedRow[];
  rows: Row[];
  lines: Row[];
  log: Row[];
  witness: WireReport;
  consoles: readonly Console[];
  hits: readonly Hit[];
  disturbed: ReadonlySet<string>;
  databaseDisturbed: boolean;
  maxReclaims: number;
  /** nothing spaces the mails */
  askedAhead: boolean;
}

/** Everything that does not hold, in words. */
export function audit(books: Books): string[] {
  const wrong: string[] = [];
  const rows = new Map(books.rows.map((row) => [String(row['id']), row]));
  for (const inserted of books.inserted) {
    const row = rows.get(inserted.id);
    if (!row) wrong.push(`row ${inserted.id} is lost`);
    else
      wrong.push(
        ...auditRow(inserted, row, books).map((words) => `row ${inserted.id} (${row['state']}): ${words}`),
      );
  }
  if (rows.size !== books.inserted.length)
    wrong.push(`${rows.size} rows, but ${books.inserted.length} were inserted`);
  for (const line of books.lines)
    if (line['finished_ms'] === null)
      wrong.push(`ledger line ${line['id']} of row ${line['queue_id']} is open`);
  wrong.push(...auditMails(books, rows), ...auditHits(books), ...auditTakeovers(books));
  return wrong;
}

function auditRow(inserted: InsertedRow, row: Row, books: Books): string[] {
  const wrong: string[] = [];
  const lines = books.lines.filter((line) => line['queue_id'] === row['id']);
  const mails = books.witness.mails.filter((mail) =>
    mail.to.some((address) => inserted.recipients.includes(address)),
  );
  const touched = books.witness.deeds.some((deed) =>
    deed.recipients.some((address) => inserted.recipients.includes(address)),
  );
  const taken = new Set(mails.flatMap((mail) => mail.to));
  const delivered = String(row['delivered_to'] ?? '');
  const state = String(row['state']);
  const inDoubt = Number(row['in_doubt']) === 1;
  if (state !== 'sent' && state !== 'failed') wrong.push('it is stuck');
  if (row['claim_id'] !== null || row['claimed_at'] !== null) wrong.push('it still has a claim');
  if (inserted.corrupt) {
    if (state !== 'failed' || inDoubt || mails.length > 0) wrong.push('it is corrupt and must have failed');
    if (row['attempts'] !== 0 || lines.length > 0) wrong.push('a corrupt row burnt an attempt');
    return wrong;
  }
  if (state === 'sent') {
    if (mails.length === 0) wrong.push('the mail server never took it');
    for (const address of inserted.recipients) {
      if (!taken.has(address) && !touched) wrong.push(`${address} never got it`);
    }
    if (row['sent_at'] === null) wrong.push('sent without a time');
  }
  if (state === 'failed' && !inDoubt) {
    const crashed = Number(row['reclaims']) > books.maxReclaims;
    if (!touched && !crashed) wrong.push(`failed without a cause: ${row['last_error']}`);
    for (const address of taken)
      if (!delivered.includes(address)) wrong.push(`failed although ${address} has got it`);
  }
  if (inDoubt) wrong.push(...auditDoubt(row, lines, inserted, books));
  const counted = expectedAttempts(row, lines, books.log);
  if (Number(row['attempts']) !== counted)
    wrong.push(`attempts is ${row['attempts']}, its books have ${counted}`);
  const deaths = books.log.filter(
    (line) =>
      line['queue_id'] === row['id'] &&
      /taken over .*(waits again|repeatedly crashed)/.test(String(line['message'])),
  ).length;
  if (Number(row['reclaims']) !== deaths)
    wrong.push(`reclaims is ${row['reclaims']}, its log has ${deaths} deaths`);
  if (new Set(lines.map((line) => line['message_id'])).size > 1)
    wrong.push('it went out under more than one Message-ID');
  return wrong;
}

/**
 * Completed conversations and those in doubt, by the ledger. An answer that came after its claim was taken over stands
 * in the ledger, but was not counted again (promise 6): then the log tells, written in the transactions that count.
 */
function expectedAttempts(row: Row, lines: Row[], log: Row[]): number {
  const words = log.filter((line) => line['queue_id'] === row['id']).map((line) => String(line['message']));
  const times = (pattern: RegExp) => words.filter((one) => pattern.test(one)).length;
  if (times(/the claim was no longer held/) === 0) {
    return lines.filter(
      (line) =>
        ['sent', 'deferred', 'in-doubt'].includes(String(line['outcome'])) ||
        (line['outcome'] === 'rejected' && Number(line['recipients']) > 0),
    ).length;
  }
  const doubts = times(/taken over .*may have arrived/);
  const remembered = times(/^Row \d+ sent, as the journal remembers/) > 0 && doubts === 0 ? 1 : 0;
  const settled = times(/^Row \d+ (sent(?!, as the journal)|will be tried again|is in doubt|failed)/);
  return doubts + remembered + settled;
}

/** In doubt only where the end came between the guard's stamp and the journal, or the answer was lost. */
function auditDoubt(row: Row, lines: Row[], inserted: InsertedRow, books: Books): string[] {
  const wrong: string[] = [];
  const line = lines.findLast((one) => one['body_ms'] !== null && one['outcome'] === 'in-doubt');
  // a late refusal may stand in the line: then the doubt came first, from a takeover
  if (
    !line &&
    !lines.some((one) => one['body_ms'] !== null && books.disturbed.has(String(one['console_id'])))
  ) {
    return ['in doubt, but no ledger line passed the guard'];
  }
  if (!line) return wrong;
  const claim = String(line['claim_id']);
  for (const console of books.consoles) {
    if (console.journaled.has(claim) && !console.forgotten.has(claim))
      wrong.push(`in doubt although ${console.setup.name} has the answer in its journal`);
  }
  const unheard = books.witness.deeds.some(
    (deed) =>
      ['dot', 'body'].includes(deed.step) &&
      deed.recipients.some((address) => inserted.recipients.includes(address)),
  );
  if (!unheard && !books.disturbed.has(String(line['console_id'])))
    wrong.push(`in doubt without need: ${row['last_error']}`);
  return wrong;
}

function auditMails(books: Books, rows: Map<string, Row>): string[] {
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  const stamped = new Set(
    books.lines.filter((line) => line['body_ms'] !== null).map((line) => String(line['message_id'])),
  );
  for (const mail of books.witness.mails) {
    for (const address of mail.to) seen.set(`${address}`, (seen.get(`${address}`) ?? 0) + 1);
    const inserted = books.inserted.find((one) =>
      mail.to.some((address) => one.recipients.includes(address)),
    );
    const row = inserted ? rows.get(inserted.id) : undefined;
    if (!row) {
      wrong.push(`the mail server took a mail of no row, to ${mail.to.join()}`);
      continue;
    }
    if (row['message_id'] !== mail.messageId)
      wrong.push(`row ${row['id']} was taken as ${mail.messageId}, but is ${row['message_id']}`);
    if (!stamped.has(String(mail.messageId)))
      wrong.push(`row ${row['id']} was taken without the guard's stamp`);
    const known = row['state'] === 'sent' || Number(row['in_doubt']) === 1;
    const partly = mail.to.every((address) => String(row['delivered_to'] ?? '').includes(address));
    if (!known && !partly)
      wrong.push(`row ${row['id']} was taken, but is ${row['state']}: ${row['last_error']}`);
  }
  for (const [address, times] of seen) if (times > 1) wrong.push(`${address} got its mail ${times} times`);
  return wrong;
}

/** What a kill at a point must have made of the claim that it hit. */
function auditHits(books: Books): string[] {
  const wrong: string[] = [];
  for (const hit of books.hits) {
    for (const claim of hit.claims) {
      const line = books.lines.find((one) => one['claim_id'] === claim);
      const outcome = line ? String(line['outcome']) : 'no line';
      const expected = expectedOutcome(hit, books.askedAhead);
      if (expected && !expected.includes(outcome))
        wrong.push(`${hit.kind}: its claim ended as ${outcome}, expected ${expected.join(' or ')}`);
    }
  }
  return wrong;
}

/** `askedAhead`: the guard was asked while the mail was still on its way, since nothing spaces the mails. */
function expectedOutcome({ type, point, folder, foreigner }: Hit, askedAhead: boolean): string[] | null {
  if (type === 'hold') return null;
  // a stopped one goes on with what it held; what was reaped before its guard is refused there
  const early = ['after-claim', 'before-data', 'mid-body', 'guard-before'];
  if (point === 'in-grant') return type === 'kill' ? ['no line'] : null;
  // only this machine, with the console's folder, knows that no dot followed a guard that had passed
  const known = type === 'kill' && folder !== 'deleted' && !foreigner;
  if (askedAhead && !known && ['before-data', 'mid-body'].includes(point)) return ['none', 'in-doubt'];
  if (early.includes(point)) return ['none'];
  if (type === 'stop')
    // an answer that was asked ahead has grown too old meanwhile, and the claim is lost
    return [
      'sent',
      'in-doubt',
      'deferred',
      'rejected',
      ...(askedAhead && point === 'guard-after' ? ['none'] : []),
    ];
  if (point === 'guard-after') return known ? ['none'] : ['in-doubt'];
  if (point === 'dot' || point === 'before-journal') return ['in-doubt'];
  if (point === 'after-settle') return null;
  return folder === 'deleted' ? ['in-doubt'] : ['sent', 'deferred', 'rejected'];
}

/** A claim is taken over only from a console that something was done to, or whose COMMIT was lost with the database. */
function auditTakeovers(books: Books): string[] {
  if (books.databaseDisturbed || books.disturbed.size > 0) return [];
  return books.log
    .filter((line) => String(line['message']).includes('was taken over'))
    .map((line) => `nobody died, but: ${line['message']}`);
}

/** Most weight in any half-open window of `ms`, with the moment at which it begins. */
export function fullestWindow(
  stamps: readonly { at: number; weight: number }[],
  ms: number,
): { most: number; at: number } {
  const sorted = [...stamps].sort((a, b) => a.at - b.at);
  let sum = 0;
  let first = 0;
  let fullest = { most: 0, at: 0 };
  for (const stamp of sorted) {
    sum += stamp.weight;
    while ((sorted[first]?.at ?? stamp.at) <= stamp.at - ms) {
      sum -= sorted[first]?.weight ?? 0;
      first += 1;
    }
    if (sum > fullest.most) fullest = { most: sum, at: sorted[first]?.at ?? stamp.at };
  }
  return fullest;
}
