import { Notification } from 'electron';
import type { Signals } from '../contract/channels.ts';
import type { Preferences } from '../contract/preferences.ts';
import type { LanePause } from '../contract/status.ts';
import { Announcements } from './announcements.ts';
import { failureKinds, plain } from './failure-kinds.ts';
import { type FailureGroup, FailureGrouping } from './grouping.ts';
import type { Shops } from './shops.ts';
import { type Standstill, StandstillWatch } from './standstill.ts';
import type { Watch } from './watch.ts';
import { say, told } from './words.ts';

interface Options {
  shops: Shops;
  watch: Watch;
  icon: string;
  wanted: () => Pick<Preferences, 'notifications' | 'quietHours'>;
  /** a notification was clicked */
  open: (place: Signals['window:show']) => void;
}

/** ms between two looks at what stands still and at quiet hours that end */
const lookEveryMs = 30_000;

/** Tells of what a person should know while the window may be out of sight. */
export class Notifications {
  private readonly grouping = new FailureGrouping((group) => this.tellFailures(group));
  private readonly standstill = new StandstillWatch();
  private readonly announcements: Announcements;
  private readonly pausedByFault = new Set<string>();
  /** shown ones are held, since a collected one loses its click */
  private readonly shown = new Set<Notification>();
  private readonly timer: ReturnType<typeof setInterval>;

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    const { shops, wanted } = options;
    this.announcements = new Announcements({
      wanted,
      show: ({ title, body, place }) => this.show(title, body, () => place && options.open(place)),
    });
    shops.on('ended', (profile, ended) => this.grouping.add(profile, ended));
    shops.on('lane', (profile, pause) => this.tellLane(profile, pause));
    this.timer = setInterval(() => this.look(performance.now()), lookEveryMs);
    this.timer.unref();
  }

  stop(): void {
    this.grouping.stop();
    clearInterval(this.timer);
  }

  /** A notification without a place to lead to, whatever the person wants to hear: an answer to what they just did. */
  plain(title: string, body: string, onClick: () => void = () => undefined): void {
    this.show(title, body, onClick);
  }

  /** @param nowMs monotonic */
  private look(nowMs: number): void {
    const { shops, watch } = this.options;
    for (const { id, demo, connection } of shops.summaries()) {
      if (demo) continue; // nobody waits for mail of the demo shop
      const found = this.standstill.look(id, { phase: connection.phase, status: watch.lastOf(id) }, nowMs);
      if (found) this.tellStandstill(id, found);
    }
    this.announcements.look();
  }

  private tellFailures({ profile, failed, inDoubt }: FailureGroup): void {
    const name = this.name(profile);
    if (failed.length > 0) {
      const title =
        failed.length === 1
          ? say('oneFailed', { recipient: plain(failed[0]?.recipient ?? '').slice(0, 80) })
          : say('failed', { count: failed.length });
      this.announcements.tell({
        kind: 'news',
        title,
        body: `${name}: ${failureKinds(failed)}`,
        place: { profile, screen: 'queue', filter: { state: 'failed', in_doubt: false } },
      });
    }
    if (inDoubt.length > 0)
      this.announcements.tell({
        kind: 'problem',
        title: say('inDoubt', { count: inDoubt.length }),
        body: `${name}: ${say('inDoubtBody')}`,
        place: { profile, screen: 'queue', filter: { state: 'failed', in_doubt: true } },
      });
  }

  private tellLane(profile: string, pause: LanePause | null): void {
    const name = this.name(profile);
    const place = { profile, screen: 'queue' } as const;
    if (pause?.by === 'fault') {
      if (this.pausedByFault.has(profile)) return; // only what is newly broken
      this.pausedByFault.add(profile);
      const body = `${name}: ${plain(told(pause.reason))}`;
      this.announcements.tell({ kind: 'problem', title: say('lanePaused'), body, place });
    } else if (pause === null && this.pausedByFault.delete(profile)) {
      // whoever was told of the trouble is told of its end
      this.announcements.tell({ kind: 'problem', title: say('laneResumed'), body: name, place });
    }
  }

  private tellStandstill(profile: string, found: Standstill): void {
    const name = this.name(profile);
    this.announcements.tell({
      kind: 'problem',
      title: say(found === 'stands' ? 'standsStill' : 'unreached', { name }),
      body: say(found === 'stands' ? 'standsStillBody' : 'unreachedBody'),
      place: { profile, screen: 'queue', filter: { state: 'pending' } },
    });
  }

  private name(profile: string): string {
    try {
      return this.options.shops.summary(profile).name;
    } catch {
      return 'Postroom'; // the profile was removed meanwhile
    }
  }

  private show(title: string, body: string, onClick: () => void): void {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title, body: clip(body), icon: this.options.icon });
    const done = () => this.shown.delete(notification);
    notification.on('click', () => {
      done();
      onClick();
    });
    notification.on('close', done);
    notification.on('failed', done);
    this.shown.add(notification);
    notification.show();
  }
}

function clip(text: string): string {
  return text.length > 220 ? `${text.slice(0, 219)}…` : text;
}
