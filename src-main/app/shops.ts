import { EventEmitter } from 'node:events';
import path from 'node:path';
import type { OpenedShop } from '../boot.ts';
import type { ProfileSummary, ShopConnection } from '../contract/channels.ts';
import type { Desk, DeskEvents, DoctorStep, SchemaReport, TestMailReport } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { Profile } from '../contract/profile.ts';
import type { LanePause, ShopStatus, SleepReport } from '../contract/status.ts';
import type { OpenedDemoShop } from '../demo/shop.ts';
import { type BookEntry, demoProfileId, fullProfile, type ProfileBook } from '../settings/book.ts';
import type { Vault } from '../settings/vault.ts';
import type { Boot } from './boot-door.ts';
import { plainError, type Report } from './plain-error.ts';

/** What the rest of the app hears of the shops. */
export interface ShopsEvents {
  changed: [profile: string];
  connection: [profile: string, connection: ShopConnection];
  ended: [profile: string, ended: DeskEvents['ended'][0]];
  lane: [profile: string, pause: LanePause | null];
  /** the machine has slept while this shop was drained */
  woke: [profile: string, report: SleepReport];
  /** a fresh status was read, by whoever asked */
  status: [profile: string, status: ShopStatus];
}

interface Place {
  connection: ShopConnection;
  shop: OpenedShop | null;
  /** rises with each connect and disconnect, so that a late answer of an older one is dropped */
  turn: number;
}

/** ms between two tries to open a shop that could not be reached */
const retryAfterMs = 15_000;

interface Tools {
  book: ProfileBook;
  vault: Vault;
  loadBoot: () => Promise<Boot>;
  /** folder below which each profile has its state folder */
  stateRoot: string;
  version: string;
  /** name by which other consoles know this one */
  consoleName: string;
  report: Report;
}

/** The shops that are open, by profile. A shop that is open drains by itself; the window only looks on. */
export class Shops extends EventEmitter<ShopsEvents> {
  private readonly places = new Map<string, Place>();
  private readonly testMails = new Map<string, AbortController>();

  private readonly tools: Tools;

  constructor(tools: Tools) {
    super();
    this.tools = tools;
  }

  summaries(): ProfileSummary[] {
    return this.tools.book.list().map((entry) => this.summary(entry.id));
  }

  summary(id: string): ProfileSummary {
    const { name, demo, guide } = this.tools.book.get(id);
    return { id, name, demo, guide, connection: this.connection(id) };
  }

  connection(id: string): ShopConnection {
    return this.places.get(id)?.connection ?? { phase: 'closed' };
  }

  /** Ids of the shops that are open now. */
  openIds(): string[] {
    return [...this.places].filter(([, place]) => place.connection.phase === 'open').map(([id]) => id);
  }

  isDemo(id: string): boolean {
    return this.tools.book.list().some((entry) => entry.id === id && entry.demo);
  }

  /** Opens a shop and lets it drain. Never rejects: the answer says how it went. */
  async connect(id: string): Promise<ShopConnection> {
    const entry = this.tools.book.get(id);
    const place = this.place(id);
    if (place.connection.phase === 'open' || place.connection.phase === 'connecting') return place.connection;
    if (place.shop) await this.disconnect(id); // reached, but without its tables
    const turn = ++place.turn;
    this.say(id, { phase: 'connecting' });
    let shop: OpenedShop | null = null;
    try {
      shop = await this.open(entry);
      if (place.turn !== turn) {
        await shop.close();
        return place.connection;
      }
      this.listen(id, shop);
      place.shop = shop;
      await shop.startDraining();
      this.say(id, { phase: 'open' });
    } catch (thrown) {
      if (place.turn !== turn) return place.connection;
      const error = plainError(thrown, 'connecting', this.tools.report);
      // a shop whose tables are not there yet stays reached, so that they can be installed
      if (error.code !== 'schema') {
        place.shop = null;
        await shop?.close().catch(() => undefined);
      }
      this.say(id, { phase: 'failed', error });
      if (error.code === 'unreachable') this.tryAgainLater(id, turn);
    }
    return place.connection;
  }

  /** Looks at the tables, or installs what lacks; then a shop that could not drain for want of them starts. */
  async schema(id: string, apply: boolean): Promise<SchemaReport> {
    const report = await this.reached(id).desk.schema(apply);
    const connection = this.connection(id);
    if (apply && connection.phase === 'failed' && connection.error.code === 'schema') {
      await this.disconnect(id);
      await this.connect(id);
    }
    return report;
  }

  async disconnect(id: string): Promise<ShopConnection> {
    const place = this.place(id);
    place.turn += 1;
    const shop = place.shop;
    place.shop = null;
    await shop?.close();
    this.say(id, { phase: 'closed' });
    return place.connection;
  }

  /** Connects with what the profile is now; what was open before is let go first. Does not wait for the shop. */
  async reconnect(id: string): Promise<void> {
    if (this.connection(id).phase !== 'closed') await this.disconnect(id);
    void this.connect(id);
  }

  /** @throws PostroomError with the reason why the shop is not open */
  desk(id: string): Desk {
    if (this.connection(id).phase === 'failed') this.refuse(id);
    return this.reached(id).desk;
  }

  async status(id: string): Promise<ShopStatus> {
    const status = { ...(await this.desk(id).status()), profile: id };
    this.emit('status', id, status);
    return status;
  }

  /** Looks at the whole way, also to a shop that cannot be reached: that is when it is asked most. */
  async doctor(id: string, onStep: (step: DoctorStep) => void): Promise<DoctorStep[]> {
    const shop = this.places.get(id)?.shop;
    if (shop) return shop.doctor(onStep);
    const entry = this.tools.book.get(id);
    const { examineShop } = await this.tools.loadBoot();
    return examineShop(await this.profileOf(entry), onStep);
  }

  /** One test mail at a time for each shop: another one stops it. */
  async testMail(id: string, address: string, onProgress: (words: string) => void): Promise<TestMailReport> {
    const shop = this.reached(id);
    this.stopTestMail(id);
    const stop = new AbortController();
    this.testMails.set(id, stop);
    try {
      return await shop.testMail(address, { signal: stop.signal, onProgress });
    } finally {
      if (this.testMails.get(id) === stop) this.testMails.delete(id);
    }
  }

  stopTestMail(id: string): undefined {
    this.testMails.get(id)?.abort();
    return undefined;
  }

  demo(): OpenedDemoShop {
    const shop = this.places.get(demoProfileId)?.shop;
    if (!shop || !('inbox' in shop)) throw new PostroomError('not-found', 'The demo shop is not open.');
    return shop as OpenedDemoShop;
  }

  /** Full profile of an entry, secrets and all; stays in this process. */
  async profileOf(entry: BookEntry): Promise<Profile> {
    return fullProfile(entry.form, await this.tools.vault.open(entry.id));
  }

  /** The machine is about to sleep: every shop gives back what has not reached its point of no return. */
  async suspend(): Promise<void> {
    await Promise.allSettled([...this.places.values()].map((place) => place.shop?.suspend()));
  }

  wake(reason: 'resume' | 'network' | 'manual'): void {
    for (const [id, place] of this.places) {
      if (place.connection.phase === 'open') place.shop?.wake(reason);
      else if (place.connection.phase === 'failed') void this.connect(id);
    }
  }

  /** Closes every shop; each settles what it has in flight. */
  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.places.keys()].map((id) => this.disconnect(id)));
  }

  private async open(entry: BookEntry): Promise<OpenedShop> {
    const { loadBoot, stateRoot, version, consoleName } = this.tools;
    const boot = await loadBoot();
    const stateDir = path.join(stateRoot, entry.id);
    if (entry.demo) return boot.openDemoShop({ stateDir, version });
    return boot.openShop(await this.profileOf(entry), { stateDir, name: consoleName, version });
  }

  private reached(id: string): OpenedShop {
    return this.places.get(id)?.shop ?? this.refuse(id);
  }

  private refuse(id: string): never {
    const connection = this.connection(id);
    if (connection.phase !== 'failed') {
      throw new PostroomError('unreachable', 'This shop is not connected at the moment.');
    }
    const { code, message, detail } = connection.error;
    throw new PostroomError(code, message, detail ? { detail } : {});
  }

  private place(id: string): Place {
    const known = this.places.get(id);
    if (known) return known;
    const made: Place = { connection: { phase: 'closed' }, shop: null, turn: 0 };
    this.places.set(id, made);
    return made;
  }

  private say(id: string, connection: ShopConnection): void {
    this.place(id).connection = connection;
    this.emit('connection', id, connection);
  }

  private listen(id: string, shop: OpenedShop): void {
    shop.events.on('changed', () => this.emit('changed', id));
    shop.events.on('ended', (ended) => this.emit('ended', id, ended));
    shop.events.on('woke', (report) => this.emit('woke', id, report));
    shop.events.on('lane', (pause) => this.emit('lane', id, pause));
    // the way to an open shop is the engine's to mend; the lights tell of it
    shop.events.on('connection', () => this.emit('changed', id));
  }

  private tryAgainLater(id: string, turn: number): void {
    const timer = setTimeout(() => {
      const place = this.places.get(id);
      if (place?.turn === turn && place.connection.phase === 'failed') void this.connect(id);
    }, retryAfterMs);
    timer.unref();
  }
}
