import { Notification } from 'electron';
import type { Signals } from '../contract/channels.ts';
import type { LanePause } from '../contract/status.ts';
import { type FailureGroup, FailureGrouping } from './grouping.ts';
import type { Shops } from './shops.ts';
import { say, told } from './words.ts';

interface Options {
  shops: Shops;
  icon: string;
  /** a notification was clicked */
  open: (place: Signals['window:show']) => void;
}

/** Tells of what a person should know while the window may be out of sight. */
export class Notifications {
  private readonly grouping = new FailureGrouping((group) => this.tellFailures(group));
  private readonly pausedByFault = new Set<string>();
  /** shown ones are held, since a collected one loses its click */
  private readonly shown = new Set<Notification>();

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    const { shops } = options;
    shops.on('ended', (profile, ended) => this.grouping.add(profile, ended));
    shops.on('lane', (profile, pause) => this.tellLane(profile, pause));
  }

  stop(): void {
    this.grouping.stop();
  }

  /** A notification without a place to lead to. */
  plain(title: string, body: string, onClick: () => void = () => undefined): void {
    this.show(title, body, onClick);
  }

  private tellFailures({ profile, failed, inDoubt }: FailureGroup): void {
    const name = this.name(profile);
    if (failed.length > 0) {
      const title =
        failed.length === 1
          ? say('oneFailed', { recipient: failed[0]?.recipient ?? '' })
          : say('failed', { count: failed.length });
      const body = `${name}: ${mostCommon(failed.map((one) => (one.reason === null ? say('noReason') : told(one.reason))))}`;
      this.show(title, body, () =>
        this.options.open({ profile, screen: 'queue', filter: { state: 'failed' } }),
      );
    }
    if (inDoubt.length > 0) this.tellDoubts(profile, inDoubt.length);
  }

  private tellDoubts(profile: string, count: number): void {
    const place = { profile, screen: 'queue', filter: { state: 'failed', in_doubt: true } } as const;
    this.show(say('inDoubt', { count }), `${this.name(profile)}: ${say('inDoubtBody')}`, () =>
      this.options.open(place),
    );
  }

  private tellLane(profile: string, pause: LanePause | null): void {
    const name = this.name(profile);
    const open = () => this.options.open({ profile, screen: 'queue' });
    if (pause?.by === 'fault') {
      if (this.pausedByFault.has(profile)) return; // only what is newly broken
      this.pausedByFault.add(profile);
      this.show(say('lanePaused'), `${name}: ${told(pause.reason)}`, open);
    } else if (pause === null && this.pausedByFault.delete(profile)) {
      this.show(say('laneResumed'), name, open);
    }
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

function mostCommon(reasons: string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

function clip(text: string): string {
  return text.length > 220 ? `${text.slice(0, 219)}…` : text;
}
