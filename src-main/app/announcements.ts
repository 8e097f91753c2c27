import type { Signals } from '../contract/channels.ts';
import type { NotifyLevel, QuietHours } from '../contract/preferences.ts';
import { isQuiet } from './quiet.ts';
import { say } from './words.ts';

/** Something to be told. `kind` says how much it matters. */
export interface Announcement {
  /** `news`: a failure; `problem`: a person must look, or need not any more */
  kind: 'news' | 'problem';
  title: string;
  body: string;
  /** where a click leads */
  place: Signals['window:show'] | null;
}

interface Options {
  wanted: () => { notifications: NotifyLevel; quietHours: QuietHours | null };
  show: (announcement: Announcement) => void;
  now?: () => Date;
}

/** Lets through what a person wants to hear, and keeps what came in their quiet hours for one summary at the end. */
export class Announcements {
  private held: Announcement[] = [];

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  tell(announcement: Announcement): void {
    if (!this.isWanted(announcement)) return;
    if (this.quiet()) this.held.push(announcement);
    else this.options.show(announcement);
  }

  /** To be asked once a minute: the quiet hours may be over. */
  look(): void {
    if (this.held.length === 0 || this.quiet()) return;
    const held = this.held.filter((one) => this.isWanted(one));
    this.held = [];
    const [first] = held;
    if (!first) return;
    if (held.length === 1) {
      this.options.show(first);
      return;
    }
    // a problem is where one wants to be first
    const worst = held.find((one) => one.kind === 'problem') ?? first;
    this.options.show({
      kind: worst.kind,
      title: say('quietSummary', { count: held.length }),
      body: [worst, ...held.filter((one) => one !== worst)].map((one) => one.title).join('\n'),
      place: worst.place,
    });
  }

  private isWanted({ kind }: Announcement): boolean {
    const { notifications } = this.options.wanted();
    return notifications === 'all' || (notifications === 'problems' && kind === 'problem');
  }

  private quiet(): boolean {
    return isQuiet(this.options.wanted().quietHours, this.options.now?.() ?? new Date());
  }
}
