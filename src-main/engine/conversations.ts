/**
 * One claimed row's way out, top to bottom: compose, deliver, guard, outcome, journal, settle. One direction, no way
 * back. Nothing here throws for what a row, a server or the network did.
 */
import { PostroomError } from '../contract/errors.ts';
import type { Settings } from '../contract/settings.ts';
import { buildMail, type ReadMail } from '../mail/compose.ts';
import { type AttachmentRef, type Conversation, notBegun, type OutgoingMail } from '../mail/conversation.ts';
import { type Outcome, readOutcome } from '../mail/outcome.ts';
import type { Claim } from '../queue/claim.ts';
import { unownedFolders } from '../queue/prune.ts';
import { nothingSaid, released, type Settlement } from '../queue/transitions.ts';
import { Batcher } from './batcher.ts';
import type { EngineContext } from './context.ts';
import { effectiveIntervalMs } from './gate.ts';
import { Guards } from './guards.ts';
import type { Lane } from './lane.ts';
import type { Leases } from './leases.ts';
import { removeFolders } from './retention.ts';
import type { Settler } from './settler.ts';
import { Stumbles } from './stumbles.ts';
import { verdict } from './verdict.ts';

/** s until the next try of a mail whose guard said no */
const guardRetryS = 5;

/** What the gate knew when it let the conversation start. */
export interface Grant {
  settings: Settings;
  /** the interval in force, ms; 0 = uncapped */
  intervalMs: number;
  learnedMs: number | null;
}

export interface Tally {
  sent: number;
  failed: number;
  deferred: number;
  inDoubt: number;
}

export class Conversations {
  readonly tally: Tally;
  /** ms of the last conversations */
  private readonly replyTimes: number[] = [];
  private readonly context: EngineContext;
  private readonly settler: Settler;
  private readonly leases: Leases;
  private readonly lane: Lane;
  private readonly guards: Guards;
  private readonly folders: Batcher<string, boolean>;
  private readonly lostInBody = new Set<Claim['id']>();
  private readonly stumbles = new Stumbles();
  private readonly breakOff = new AbortController();

  /** @param tally goes on counting where the conversations before a sleep left off */
  constructor(context: EngineContext, settler: Settler, leases: Leases, lane: Lane, tally?: Tally) {
    this.tally = tally ?? { sent: 0, failed: 0, deferred: 0, inDoubt: 0 };
    this.context = context;
    this.settler = settler;
    this.leases = leases;
    this.lane = lane;
    const { place, profile, dots } = context;
    this.guards = new Guards(place, dots, {
      connections: profile.smtp.connections,
      uncapped: profile.uncapped,
      stopped: this.breakOff.signal,
    });
    this.folders = new Batcher(async (folders) => {
      // rows may share a folder: it goes with the last of them
      const free = await unownedFolders(context.place, folders);
      await removeFolders(context.files, free);
      return folders.map((folder) => free.includes(folder));
    });
  }

  /** Median ms of the last conversations, null before there were any. */
  get replyMs(): number | null {
    const times = [...this.replyTimes].sort((a, b) => a - b);
    return times[Math.floor(times.length / 2)] ?? null;
  }

  /** No dot is sent from now on: conversations before their guard are broken off and their rows given back. */
  stop(): void {
    this.breakOff.abort();
  }

  /** From its claim on a row is ours, whether or not its conversation has begun: its lease is renewed until it ends. */
  took(claim: Claim): void {
    this.leases.add(claim);
  }

  /**
   * Begins a conversation. `talked` resolves when its connection is free again; `settled` when the answer is in the
   * journal and then in the database. The next mail does not wait for the disk: a crash meanwhile leaves one mail more
   * in doubt, never one twice. What the lane makes of the outcome may fail with the database, and then takes nothing
   * along: the row is settled all the same.
   */
  hold(claim: Claim, grant: Grant, mail: ReadMail): { talked: Promise<void>; settled: Promise<void> } {
    const talk = this.talk(claim, grant, mail);
    const settled = talk
      .then(async ({ settlement, outcome }) => {
        // A journal that fails must not cost the answer: the database hears of it all the same, and `reserve` lets
        // nothing more start until the disk takes writes again.
        if (outcome.kind === 'sent') await this.context.journal.remember(settlement).catch(() => {});
        if ((await this.end(claim, settlement)) && settlement.to === 'sent') await this.cleanUp(claim);
      })
      .finally(() => this.leases.end(claim));
    const talked = talk.then(
      ({ conversation, outcome }) => this.react(grant, conversation, outcome),
      () => {}, // told by `settled`
    );
    return { talked, settled };
  }

  private async talk(
    claim: Claim,
    grant: Grant,
    mail: ReadMail,
  ): Promise<{ settlement: Settlement; conversation: Conversation; outcome: Outcome }> {
    const conversation = await this.converse(claim, grant, mail);
    const outcome = readOutcome(conversation);
    const settlement = this.judge(claim, grant, conversation, outcome);
    return { settlement, conversation, outcome };
  }

  private async converse(claim: Claim, grant: Grant, mail: ReadMail): Promise<Conversation> {
    let outgoing: OutgoingMail;
    try {
      outgoing = buildMail(mail, { messageId: claim.messageId, date: new Date() });
    } catch (error) {
      // our own bug, but it must not come back with every lease that runs out
      return notBegun('ECOMPOSE', `the mail cannot be built: ${String(error)}`);
    }
    const pass = this.guards.pass(claim, grant.intervalMs);
    const short = outgoing.attachments.length === 0;
    return this.context.mail.converse(outgoing, {
      onPhase: (phase) => {
        if (phase === 'mail' && short) pass.askAhead();
      },
      guard: () => pass.beforeDot(),
      openAttachment: (ref) => this.openAttachment(ref),
      signal: this.breakOff.signal,
    });
  }

  /** Gives a claim back that no conversation was begun for. */
  async giveBack(claim: Claim, reason: string): Promise<void> {
    try {
      await this.settler.settle(released(claim, { ...nothingSaid, recipients: 0 }, reason));
    } finally {
      this.leases.end(claim);
    }
  }

  private judge(claim: Claim, grant: Grant, conversation: Conversation, outcome: Outcome): Settlement {
    const lost = outcome.lostInBody && !conversation.guardRefused;
    const settlement = verdict(
      claim,
      conversation,
      { ...outcome, lostInBody: lost },
      {
        settings: grant.settings,
        intervalMs: grant.intervalMs,
        lostBefore: this.lostInBody.has(claim.id),
        backoffS: this.context.place.shop?.shape.backoffS,
      },
    );
    // a released row that was lost in its body is deferred the next time
    if (lost && settlement.to === 'pending' && !settlement.counted) this.lostInBody.add(claim.id);
    else this.lostInBody.delete(claim.id);
    // a guard that cannot be asked must not become a loop that hammers the mail server with half a mail
    const unguarded = conversation.guardRefused && !this.breakOff.signal.aborted;
    const delayS = unguarded ? guardRetryS : this.stumbles.after(claim.id, outcome);
    if (outcome.kind === 'sent') {
      this.replyTimes.push(conversation.tookMs);
      if (this.replyTimes.length > 50) this.replyTimes.shift();
    }
    return settlement.to === 'pending' && !settlement.counted ? { ...settlement, delayS } : settlement;
  }

  private async react(grant: Grant, conversation: Conversation, outcome: Outcome): Promise<void> {
    // broken off by ourselves says nothing about the mail server
    if (conversation.guardRefused || this.breakOff.signal.aborted) return;
    if (outcome.lane === 'pause') await this.lane.fault(outcome.reason);
    else if (outcome.lane === 'slow-down') await this.lane.throttled(outcome.reason, grant.intervalMs);
    else if (outcome.kind === 'sent') {
      const setMs = effectiveIntervalMs(grant.settings, null, this.context.profile.uncapped);
      await this.lane.went(setMs, grant.learnedMs);
    }
  }

  private async end(claim: Claim, settlement: Settlement): Promise<boolean> {
    const moved = await this.settler.settle(settlement);
    this.context.dots.ended(claim.claimId);
    if (!moved) return false;
    if (settlement.to === 'sent') this.tally.sent += 1;
    else if (settlement.to === 'pending' && settlement.counted) this.tally.deferred += 1;
    else if (settlement.to === 'failed') this.tally[settlement.inDoubt ? 'inDoubt' : 'failed'] += 1;
    if (settlement.to !== 'pending') {
      const { recipient, subject } = claim;
      const reason = settlement.to === 'failed' ? settlement.reason : settlement.note;
      this.context.events.emit('ended', {
        id: claim.id,
        outcome: settlement.ledger.outcome,
        reason,
        recipient,
        subject,
      });
    }
    this.context.events.emit('changed');
    return true;
  }

  private async openAttachment(ref: AttachmentRef) {
    const { files } = this.context;
    if (!files)
      throw new PostroomError('refused', 'the profile names no folder for attachments (files.root)');
    return files.open(ref.folder, ref.file);
  }

  /** The customer's papers lie on the shop's disk for the queue's delay and not one second more (plan section 3.3). */
  private async cleanUp(claim: Claim): Promise<void> {
    if (!claim.attachmentDir || !this.context.files) return;
    // retention tries again what fails here
    await this.folders.add(claim.attachmentDir).catch(() => false);
  }
}
