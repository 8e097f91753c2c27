import type { DeskEvents } from '../contract/desk.ts';

type Ended = DeskEvents['ended'][0];

/** Failures of one shop that are told of together. */
export interface FailureGroup {
  profile: string;
  failed: Ended[];
  inDoubt: Ended[];
}

/**
 * Gathers failures for a while, so that seven of them are one notification and not seven. The first one starts
 * the clock: nothing waits longer than `afterMs`, however many follow.
 */
export class FailureGrouping {
  private readonly groups = new Map<string, FailureGroup>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  private readonly tell: (group: FailureGroup) => void;
  private readonly afterMs: number;

  constructor(tell: (group: FailureGroup) => void, afterMs = 10_000) {
    this.tell = tell;
    this.afterMs = afterMs;
  }

  add(profile: string, ended: Ended): void {
    if (ended.outcome !== 'in-doubt' && ended.outcome !== 'rejected' && ended.outcome !== 'deferred') return;
    const group = this.groups.get(profile) ?? { profile, failed: [], inDoubt: [] };
    (ended.outcome === 'in-doubt' ? group.inDoubt : group.failed).push(ended);
    this.groups.set(profile, group);
    if (this.timers.has(profile)) return;
    this.timers.set(
      profile,
      setTimeout(() => this.flush(profile), this.afterMs),
    );
  }

  /** Drops what was gathered and tells nobody. */
  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.groups.clear();
  }

  private flush(profile: string): void {
    const group = this.groups.get(profile);
    this.timers.delete(profile);
    this.groups.delete(profile);
    if (group) this.tell(group);
  }
}
