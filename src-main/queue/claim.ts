/**
 * Grant and claim: one transaction in which the pace row is locked *and written*, the clock read in a later
 * statement, the windows counted, rows taken and their ledger lines opened (promise 3). Lock order everywhere:
 * settings, pace, queue by id, attempts, log.
 */
import type { RowId } from '../contract/rows.ts';
import { type QueueState, readSettings, readState, type Settings } from '../contract/settings.ts';
import type { DrainBy } from '../contract/status.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { candidates, unreadable } from './candidates.ts';
import { marks } from './dialect.ts';
import { drainBySql, toDrainBy } from './drain-by.ts';
import { type PaceRow, paceColumns, toPaceRow } from './lane.ts';
import { type NewLogLine, writeLog } from './log.ts';
import type { Place } from './place.ts';
import { readAddressList } from './remember.ts';
import { fromJson } from './settings-table.ts';
import { holdAfterClaim, holdInClaim } from './shop-hold.ts';
import { tellShop } from './shop-rows.ts';
import { countWindows, type WindowUse } from './windows.ts';

/** A row in the hands of this console. */
export interface Claim {
  id: RowId;
  claimId: string;
  messageId: string;
  payload: string;
  attachmentDir: string | null;
  deliveredTo: string[];
  context: string;
  recipient: string;
  subject: string;
  attempts: number;
  reclaims: number;
  /** who was refused for good by an earlier conversation that others' mail went out with, and why; null = nobody */
  refusedBefore: string | null;
  /** envelope recipients of this conversation */
  recipients: number;
  createdAt: number;
}

/** A waiting row as the claim sees it, before it is known whether it may leave. */
export interface Candidate {
  id: RowId;
  payload: string;
  attachmentDir: string | null;
  deliveredTo: string[];
  context: string;
  createdAt: number;
}

/** What the gate decides upon; all times in ms by the database's clock. */
export interface GateFacts {
  nowMs: number;
  state: QueueState;
  settings: Settings;
  pace: PaceRow;
  /** the console that drains alone, where one has taken over */
  drainBy: DrainBy | null;
  /** lines that count in the last 60 s; envelope recipients in the last hour and day. Counted only where a cap asks. */
  used: WindowUse;
}

/** What this very transaction has already let start. */
export interface Started {
  conversations: number;
  recipients: number;
}

/** The gate's word on one conversation: start it, wait (ms) and why, or this mail can never pass a set cap. */
export type GateWord = { open: true } | GateClosed | { open: false; why: 'never'; reason: string };
export interface GateClosed {
  open: false;
  why: 'disabled' | 'aside' | 'paused' | 'interval' | 'minute' | 'hour' | 'day';
  waitMs: number;
}

export interface ClaimOrder {
  consoleId: string;
  /** most rows to take at once; more than one only where no minute gate spaces them */
  most: number;
  /** reads a payload: envelope recipients, or the reason why this row can never leave */
  read(candidate: Candidate): { ok: true; recipients: number } | { ok: false; reason: string };
  newMessageId(candidate: Candidate): string;
  newClaimId(): string;
  /** which windows a cap of this profile asks to be counted */
  windows(settings: Settings): { minute: boolean; hour: boolean; day: boolean };
  decide(facts: GateFacts, started: Started, recipients: number): GateWord;
}

export interface ClaimAnswer {
  facts: GateFacts;
  claims: Claim[];
  /** rows that failed without a conversation (corrupt, hostile, expired): terminal, logged in the same transaction */
  refused: { id: RowId; reason: string; recipient: string; subject: string }[];
  /** present when nothing may start now although rows may be waiting */
  closed: GateClosed | null;
}

/** ms between two looks whether the console that took over still drains alone */
const asideMs = 6_000;

/** A hostile flood must not hold the pace row for long: at most so many bad rows are failed in one transaction. */
const mostRefusals = 25;

export async function grantAndClaim(place: Place, order: ClaimOrder): Promise<ClaimAnswer> {
  const answer = await claimInBooks(place, order);
  if (!place.shop || place.shop.together) return answer;
  return { ...answer, claims: await holdAfterClaim(place, place.shop, answer.claims) };
}

async function claimInBooks(place: Place, order: ClaimOrder): Promise<ClaimAnswer> {
  return place.db.transaction(async (tx) => {
    const facts = await readFacts(place, tx, order);
    const answer: ClaimAnswer = { facts, claims: [], refused: [], closed: null };
    if (place.shop) place.shop.leaseS = facts.settings.claim_timeout;
    if (facts.drainBy && facts.drainBy.id !== order.consoleId)
      return { ...answer, closed: { open: false, why: 'aside', waitMs: asideMs } };
    const first = order.decide(facts, { conversations: 0, recipients: 0 }, 1);
    if (!first.open && first.why !== 'never') return { ...answer, closed: first };

    const taken: { row: Record<string, SqlValue>; recipients: number }[] = [];
    const seen: RowId[] = [];
    while (taken.length < order.most && answer.refused.length < mostRefusals && !answer.closed) {
      const nowS = Math.floor(facts.nowMs / 1000);
      const { rows, more } = await candidates(place, tx, nowS, order.most - taken.length, seen);
      for (const row of rows) {
        seen.push(row['id'] as RowId);
        const started = {
          conversations: taken.length,
          recipients: taken.reduce((sum, one) => sum + one.recipients, 0),
        };
        const verdict = unreadable(row) ?? judge(toCandidate(row), facts, started, order);
        if ('recipients' in verdict) taken.push({ row, recipients: verdict.recipients });
        else if ('reason' in verdict) {
          const { recipient, subject } = row;
          answer.refused.push({
            id: row['id'] as RowId,
            reason: verdict.reason,
            recipient: String(recipient),
            subject: String(subject),
          });
        } else {
          // First in order, first to leave: a mail with many recipients is not overtaken for ever by small ones.
          answer.closed = verdict;
          break;
        }
      }
      if (!more) break;
    }
    await refuse(place, tx, answer.refused);
    await tellShop(place, tx, answer.refused);
    if (taken.length > 0) answer.claims = await take(place, tx, order, facts, taken);
    if (place.shop?.together) await holdInClaim(place.shop, tx, answer.claims);
    return answer;
  });
}

/** May this row leave now, later, or never? */
function judge(
  candidate: Candidate,
  facts: GateFacts,
  started: Started,
  order: ClaimOrder,
): { recipients: number } | { reason: string } | GateClosed {
  const stale = staleReason(candidate, facts);
  if (stale !== null) return { reason: stale };
  const read = order.read(candidate);
  if (!read.ok) return { reason: read.reason };
  const word = order.decide(facts, started, read.recipients);
  if (word.open) return { recipients: read.recipients };
  return word.why === 'never' ? { reason: word.reason } : word;
}

async function readFacts(place: Place, tx: Queryable, order: ClaimOrder): Promise<GateFacts> {
  const rows = await tx.query(`SELECT ${paceColumns} FROM ${place.t.pace} WHERE id = 1${place.d.forUpdate}`);
  const row = rows[0];
  if (!row) {
    await tx.run(`${place.d.insertIgnore} ${place.t.pace} (id, last_start_ms) VALUES (1, 0)`);
    return readFacts(place, tx, order);
  }
  // Only now, with the lock in hand: a plain read beside the lock would have opened REPEATABLE READ's snapshot before
  // the wait, and the windows below would miss what another console started meanwhile.
  const [at] = await tx.query(
    `SELECT ${place.d.nowMs} AS now_ms,
       (SELECT value FROM ${place.t.settings} WHERE name = 'state') AS state,
       (SELECT value FROM ${place.t.settings} WHERE name = 'settings') AS settings, ${drainBySql(place)} AS drain_by`,
  );
  const nowMs = Number(at?.['now_ms']);
  const settings = readSettings(fromJson(at?.['settings']));
  return {
    nowMs,
    state: readState(fromJson(at?.['state'])),
    settings,
    pace: toPaceRow(row),
    drainBy: toDrainBy(at?.['drain_by']),
    used: await countWindows(place, tx, nowMs, order.windows(settings)),
  };
}

function toCandidate(row: Record<string, SqlValue>): Candidate {
  return {
    id: row['id'] as RowId,
    payload: String(row['payload'] ?? ''),
    attachmentDir:
      row['attachment_dir'] == null || row['attachment_dir'] === '' ? null : String(row['attachment_dir']),
    deliveredTo: readAddressList(row['delivered_to']),
    context: String(row['context'] ?? ''),
    createdAt: Number(row['created_at'] ?? 0),
  };
}

/** Stale mail: a row older than its mail type's `expire_after` fails instead of leaving late. */
function staleReason(candidate: Candidate, facts: GateFacts): string | null {
  const { expire_after } = facts.settings;
  // a context may be named like something that every object has
  const limit = Object.hasOwn(expire_after, candidate.context) ? (expire_after[candidate.context] ?? 0) : 0;
  const age = Math.floor(facts.nowMs / 1000) - candidate.createdAt;
  if (limit === 0 || candidate.createdAt === 0 || age <= limit) return null;
  return `expired: waited ${age} s, this mail type may wait ${limit} s`;
}

async function refuse(place: Place, tx: Queryable, refused: ClaimAnswer['refused']): Promise<void> {
  const lines: NewLogLine[] = [];
  for (const { id, reason } of refused) {
    await tx.run(
      `UPDATE ${place.t.queue} SET state = 'failed', last_error = ?, claimed_at = NULL, claim_id = NULL, notified_at = NULL
       WHERE id = ? AND state = 'pending'`,
      [place.spell(reason.slice(0, 4000)), id],
    );
    lines.push({ level: 'error', queueId: id, message: `Row ${id} failed: ${reason}` });
  }
  await writeLog(place, lines, tx);
}

/** What a partly delivered row's last words say of recipients who will never get it (mail/outcome writes them so). */
function refusedIn(lastError: string): string | null {
  return /refused for good: .*?(?=; refused for now: |$)/s.exec(lastError)?.[0] ?? null;
}

async function take(
  place: Place,
  tx: Queryable,
  order: ClaimOrder,
  facts: GateFacts,
  taken: { row: Record<string, SqlValue>; recipients: number }[],
): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const { row, recipients } of taken) {
    const candidate = toCandidate(row);
    const stored = row['message_id'];
    claims.push({
      ...candidate,
      claimId: order.newClaimId(),
      messageId: typeof stored === 'string' && stored !== '' ? stored : order.newMessageId(candidate),
      recipient: String(row['recipient'] ?? ''),
      subject: String(row['subject'] ?? ''),
      attempts: Number(row['attempts'] ?? 0),
      reclaims: Number(row['reclaims'] ?? 0),
      refusedBefore: candidate.deliveredTo.length > 0 ? refusedIn(String(row['last_error'] ?? '')) : null,
      recipients,
    });
  }
  const cases = claims.map(() => 'WHEN ? THEN ?').join(' ');
  const ids = claims.map((claim) => claim.id);
  const { matched } = await tx.run(
    `UPDATE ${place.t.queue} SET state = 'sending', claimed_at = ${place.d.nowS},
       claim_id = CASE id ${cases} END, message_id = CASE id ${cases} END
     WHERE state = 'pending' AND id IN (${marks(ids.length)})`,
    [
      ...claims.flatMap((claim) => [claim.id, claim.claimId]),
      ...claims.flatMap((claim) => [claim.id, claim.messageId]),
      ...ids,
    ],
  );
  // Without SKIP LOCKED in an older server the rows are locked all the same; anything else is a fault worth a stop.
  if (matched !== claims.length) throw new Error(`Expected to claim ${claims.length} rows, got ${matched}`);
  await tx.run(
    `INSERT INTO ${place.t.attempts} (queue_id, console_id, claim_id, started_ms, recipients, message_id)
     VALUES ${claims.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
    claims.flatMap((claim) => [
      claim.id,
      order.consoleId,
      claim.claimId,
      facts.nowMs,
      claim.recipients,
      claim.messageId,
    ]),
  );
  await tx.run(`UPDATE ${place.t.pace} SET last_start_ms = ? WHERE id = 1`, [facts.nowMs]);
  return claims;
}
