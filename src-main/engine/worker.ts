/**
 * The worker: asks the gate, takes rows, lets conversations go. One loop; everything that takes long runs beside it,
 * at most `connections` at a time.
 */
import { randomUUID } from 'node:crypto';
import { makeMessageId, type ReadMail, readMail } from '../mail/compose.ts';
import {
  type Candidate,
  type Claim,
  type ClaimAnswer,
  type GateFacts,
  grantAndClaim,
} from '../queue/claim.ts';
import { type Glance, glance } from '../queue/glance.ts';
import { readPace } from '../queue/lane.ts';
import { withClaimKey } from '../queue/place.ts';
import type { ConnectionWatch } from './connection.ts';
import type { EngineContext } from './context.ts';
import type { Conversations, Grant } from './conversations.ts';
import { decide, effectiveIntervalMs, windowsOf } from './gate.ts';
import type { Lane } from './lane.ts';
import { Sleeper } from './sleep.ts';
import type { StateKeeper } from './state.ts';
import { stockFor } from './stock.ts';

/** ms between two looks while nothing waits: 10 statements a minute, one heartbeat beside them (at most 12). */
const idleMs = 6_000;
/** ms until the disk is looked at again */
const diskWaitMs = 5_000;
/** characters of payloads in hand beyond which no more rows are taken: a stock of large mails must not fill the memory */
const mostAheadSize = 8 * 1024 * 1024;
/** answers in the journal that the database has not taken yet */
const mostLanding = { capped: 20, uncapped: 1000 };
/** ms between two looks at the pace row while rows taken ahead are leaving */
const aheadLookMs = 1_000;
/** ms until the loop looks around by itself although nothing made room */
const noRoomMs = 60_000;

export class Worker {
  private readonly sleeper = new Sleeper();
  /** conversations that hold a connection, and answers on their way into the database */
  private readonly flying = new Set<Promise<void>>();
  private readonly landing = new Set<Promise<void>>();
  private readonly ahead: { claim: Claim; grant: Grant; mail: ReadMail }[] = [];
  /** rows as the last claim read them: a payload is read once, in the transaction that takes it */
  private readonly readings = new Map<Claim['id'], ReadMail>();
  /** rows to have in hand, ahead of the connections, and the characters of those that are */
  private stock: number;
  private aheadSize = 0;
  /** how long the last claim took */
  private claimMs = 0;
  private stopping = false;
  /** nothing was due at the last look: one cheap glance is asked before the next claim */
  private idle = false;
  private loop: Promise<void> | null = null;
  /** why nothing starts although something waits: for the banner and the drain's progress */
  lastWord: ClaimAnswer['closed'] = null;
  /** the disk's words while the journal cannot be written */
  diskCause: string | null = null;
  private readonly context: EngineContext;
  private readonly conversations: Conversations;
  private readonly lane: Lane;
  private readonly connection: ConnectionWatch;
  private readonly state: StateKeeper;
  private readonly failed: (error: unknown) => void;

  constructor(
    context: EngineContext,
    rooms: { conversations: Conversations; lane: Lane; connection: ConnectionWatch; state: StateKeeper },
    failed: (error: unknown) => void,
  ) {
    this.context = context;
    this.conversations = rooms.conversations;
    this.lane = rooms.lane;
    this.connection = rooms.connection;
    this.state = rooms.state;
    this.failed = failed;
    this.stock = stockFor(context.profile.smtp.connections, null, 0);
  }

  start(): void {
    this.loop ??= this.run().catch((error: unknown) => this.failed(error));
  }

  wake(): void {
    this.sleeper.wake();
  }

  get inFlight(): number {
    return this.flying.size;
  }

  /**
   * Stops: no new row is taken, rows taken ahead are given back, conversations before their point of no return are
   * broken off and given back, the others are waited for until `deadlineMs`. True when nothing is left in flight.
   */
  async stop(deadlineMs: number): Promise<boolean> {
    this.stopping = true;
    this.conversations.stop();
    this.wake();
    // a claim that was on its way comes back after the first giving back
    const end = this.landed().then(() => this.giveBackAhead('the console was stopped'));
    const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), deadlineMs).unref());
    const back = this.giveBackAhead('the console was stopped');
    // what cannot be given back ends by its lease
    return (await Promise.race([Promise.allSettled([end, back]), late])) !== 'late';
  }

  private async landed(): Promise<void> {
    await this.loop;
    while (this.flying.size + this.landing.size > 0)
      await Promise.allSettled([...this.flying, ...this.landing]);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        const waitMs = await this.turn();
        this.connection.worked();
        if (waitMs > 0 && !this.stopping) await this.sleeper.sleep(waitMs);
      } catch (error) {
        await this.sleeper.sleep(this.connection.failed(error));
      }
    }
  }

  /** One turn of the loop; answers the ms to sleep. */
  private async turn(): Promise<number> {
    const { connections } = this.context.profile.smtp;
    if (this.lane.blocked) await this.giveBackAhead('the mail lane was paused');
    this.launch(connections);
    const room = this.roomFor(connections);
    if (room <= 0) {
      // whatever makes room wakes the loop
      if (this.ahead.length === 0) return noRoomMs;
      await this.heedPause();
      return aheadLookMs;
    }
    if (this.idle) {
      const waitMs = await this.whileIdle();
      if (waitMs > 0) return waitMs;
      this.idle = false;
    }
    // each connection may have one answer on the wire and one on its way to the disk
    if (!(await this.diskIsReady(2 * connections + room))) return diskWaitMs;
    const sinceMs = performance.now();
    const answer = await this.claim(room);
    this.claimMs = performance.now() - sinceMs;
    this.tellAside(answer);
    this.lastWord = answer.closed;
    if (answer.closed?.why === 'aside') await this.giveBackAhead('another console has taken over');
    else if (answer.closed?.why === 'paused') await this.giveBackAhead('the mail lane was paused');
    else this.lane.opened();
    this.take(answer);
    this.launch(connections);
    if (answer.claims.length > 0 || answer.refused.length > 0) return 0;
    if (answer.closed && answer.closed.why !== 'disabled')
      return this.whileClosed(answer.closed, answer.facts);
    this.idle = true;
    // due rows that another console is just locking must not make this a tight loop
    return 100;
  }

  /** Told once when another console takes over, and once when it lets go. */
  private tellAside({ closed, facts }: ClaimAnswer): void {
    const [was, is] = [this.lastWord?.why === 'aside', closed?.why === 'aside'];
    if (was !== is) this.context.events.emit('aside', is ? facts.drainBy : null);
  }

  private take(answer: ClaimAnswer): void {
    this.stock = stockFor(this.context.profile.smtp.connections, this.conversations.replyMs, this.claimMs);
    for (const { id, reason, recipient, subject } of answer.refused) {
      this.conversations.tally.failed += 1;
      this.context.events.emit('ended', { id, outcome: 'rejected', reason, recipient, subject });
    }
    const grant = this.grantOf(answer.facts);
    for (const claim of answer.claims) {
      const mail = this.readings.get(claim.id);
      if (!mail) continue;
      this.conversations.took(claim);
      this.ahead.push({ claim, grant, mail });
      this.aheadSize += claim.payload.length;
    }
    this.readings.clear();
    if (answer.refused.length > 0 || answer.claims.length > 0) this.context.events.emit('changed');
  }

  private async giveBackAhead(why: string): Promise<void> {
    const ahead = this.ahead.splice(0);
    this.aheadSize = 0;
    await Promise.all(ahead.map(({ claim }) => this.conversations.giveBack(claim, why)));
  }

  /** A pause that was made after rows were taken ahead holds for them too, whoever made it. */
  private async heedPause(): Promise<void> {
    const { pause, nowS } = await readPace(this.context.place);
    if (pause && (pause.by === 'fault' || pause.until > nowS))
      await this.giveBackAhead('the mail lane was paused');
  }

  /** How many rows to take now: what is free, or a stock ahead of the connections where nothing spaces them. */
  private roomFor(connections: number): number {
    // a database that takes no answers gets no new questions
    if (this.landing.size > this.mostLanding) return 0;
    if (!this.context.profile.uncapped) return connections - this.flying.size - this.ahead.length;
    if (this.ahead.length > this.stock / 2 || this.aheadSize > mostAheadSize) return 0;
    return this.stock - this.ahead.length;
  }

  private get mostLanding(): number {
    return mostLanding[this.context.profile.uncapped ? 'uncapped' : 'capped'];
  }

  private launch(connections: number): void {
    while (!this.stopping && !this.lane.blocked && this.flying.size < connections) {
      const next = this.ahead.shift();
      if (!next) return;
      this.aheadSize -= next.claim.payload.length;
      const { talked, settled } = this.conversations.hold(next.claim, next.grant, next.mail);
      const landing = settled
        .catch((error: unknown) => this.failed(error))
        .finally(() => {
          this.landing.delete(landing);
          // what was given back waits again: nobody else would look for it now
          if (this.landing.size === this.mostLanding || this.idle) this.wake();
        });
      this.landing.add(landing);
      const flight = talked
        .catch((error: unknown) => this.failed(error))
        .finally(() => {
          this.flying.delete(flight);
          this.launch(connections);
          if (this.stopping || this.lane.blocked || this.roomFor(connections) > 0) this.wake();
        });
      this.flying.add(flight);
    }
  }

  private claim(most: number): Promise<ClaimAnswer> {
    const { place, self, profile, sender } = this.context;
    return withClaimKey(place, () =>
      grantAndClaim(place, {
        consoleId: self.id,
        // a shape's document says how many rows its worker takes in one cycle
        most: profile.uncapped ? Math.min(most, place.shop?.shape.most ?? most) : 1,
        read: (candidate) => {
          const { payload, attachmentDir, deliveredTo } = candidate;
          const reading = readMail({ payload, sender, attachmentDir, deliveredTo });
          if (!reading.ok) return reading;
          this.readings.set(candidate.id, reading.mail);
          return { ok: true, recipients: reading.mail.envelope.to.length };
        },
        newMessageId: (candidate: Candidate) =>
          makeMessageId(`${place.prefix}\n${candidate.id}\n${candidate.createdAt}\n${randomUUID()}`, sender),
        newClaimId: randomUUID,
        windows: (settings) => windowsOf(settings, profile.uncapped),
        decide: (facts, started, recipients) => decide(facts, started, recipients, profile.uncapped),
      }),
    );
  }

  private grantOf(facts: GateFacts): Grant {
    const learnedMs = facts.pace.learnedIntervalMs;
    return {
      settings: facts.settings,
      intervalMs: effectiveIntervalMs(facts.settings, learnedMs, this.context.profile.uncapped),
      learnedMs,
    };
  }

  private async whileClosed(word: NonNullable<ClaimAnswer['closed']>, facts: GateFacts): Promise<number> {
    const { pause } = facts.pace;
    if (word.why === 'paused' && pause?.by === 'fault' && pause.until * 1000 <= facts.nowMs) {
      await this.lane.probe();
      return 0;
    }
    return word.waitMs;
  }

  /** ms until something is due, 0 when it is now. A row that arrived after disabling moves the state (promise 11). */
  private async whileIdle(): Promise<number> {
    const seen: Glance = await glance(this.context.place);
    const state = await this.state.settle(seen);
    if (seen.dueS === null || state === 'disabled') return idleMs;
    return Math.min(idleMs, Math.max(0, (seen.dueS - seen.nowS) * 1000));
  }

  private async diskIsReady(conversations: number): Promise<boolean> {
    try {
      await this.context.journal.reserve(conversations);
      this.diskCause = null;
      return true;
    } catch (error) {
      this.diskCause = error instanceof Error ? error.message : String(error);
      this.context.events.emit('changed');
      return false;
    }
  }
}
