/**
 * The reaper, on its own timer and never only from the worker: a queue whose rows are all stranded has no worker left
 * to free them (plan section 8.1a). At start, every 5 min, on reconnect, on wake, on demand.
 */

import { showRow } from '../queue/browse.ts';
import { reap } from '../queue/reap.ts';
import { readStateAndSettings } from '../queue/settings-table.ts';
import type { Settlement } from '../queue/transitions.ts';
import type { EngineContext } from './context.ts';
import { readDots } from './dots.ts';
import { takeDeadIdentities } from './identity.ts';
import { Journal } from './journal.ts';
import type { Leases } from './leases.ts';
import type { Settler } from './settler.ts';

export interface ReaperReport {
  /** settled out of journals: accepted by a mail server before its console died */
  remembered: number;
  pending: number;
  inDoubt: number;
  failed: number;
}

/**
 * One pass. `ownIdIsFresh` = this process has claimed nothing under its identity yet, so that every claim under it is
 * a dead predecessor's. Journals are settled before any claim is judged.
 */
export async function reapOnce(
  context: EngineContext,
  rooms: { settler: Settler; leases: Leases },
  ownIdIsFresh: boolean,
  signal?: AbortSignal,
): Promise<ReaperReport> {
  const report: ReaperReport = { remembered: 0, pending: 0, inDoubt: 0, failed: 0 };
  const { settler, leases } = rooms;
  // what a predecessor left, and what could not be written at its time; conversations under way settle themselves
  const left = context.journal.unsettled().filter((entry) => !leases.has(entry.claimId));
  const remembered = [...(await settler.replay(left)).moved];
  const dead = await takeDeadIdentities(context.stateDir, context.self.id);
  /** nothing in their journals is waited for by other tables */
  const finished: (typeof dead)[number][] = [];
  let reaped = false;
  try {
    for (const identity of dead) {
      const { moved, kept } = await settler.replay(await Journal.readOnly(identity.journalFile));
      remembered.push(...moved);
      if (kept === 0) finished.push(identity);
    }
    await tellEnded(context, remembered);
    report.remembered = remembered.length;
    const { settings } = await readStateAndSettings(context.place);
    const consoleIds = [...dead.map((identity) => identity.id), ...(ownIdIsFresh ? [context.self.id] : [])];
    const dots = new Map(dead.map((identity) => [identity.id, readDots(identity.folder)]));
    if (ownIdIsFresh) dots.set(context.self.id, context.dots.before);
    for (const one of await reap(context.place, settings, { consoleIds, dots }, signal)) {
      report[one.to === 'in-doubt' ? 'inDoubt' : one.to] += 1;
      if (one.to === 'pending') continue;
      const { id, reason, recipient, subject } = one;
      context.events.emit('ended', {
        id,
        outcome: one.to === 'in-doubt' ? 'in-doubt' : 'rejected',
        reason,
        recipient,
        subject,
      });
    }
    reaped = true;
  } finally {
    // settled and reaped: nothing of it is needed any more. After a failure it waits for the next pass.
    for (const identity of dead)
      await (reaped && finished.includes(identity) ? identity.forget() : identity.release());
  }
  if (report.remembered + report.pending + report.inDoubt + report.failed > 0) context.events.emit('changed');
  return report;
}

/** An end that only the journal knew of is told like any other (promise 8). */
async function tellEnded(
  { place, events }: EngineContext,
  settlements: readonly Settlement[],
): Promise<void> {
  for (const one of settlements) {
    if (one.to === 'pending') continue;
    const row = await showRow(place, one.id);
    if (!row) continue;
    const { recipient, subject } = row;
    const reason = one.to === 'sent' ? one.note : one.reason;
    events.emit('ended', { id: one.id, outcome: one.ledger.outcome, reason, recipient, subject });
  }
}
