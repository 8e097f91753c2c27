/**
 * The gate: the one place that lets a conversation start (promise 3). Pure; queue/claim.ts asks it inside the
 * transaction that holds the pace row.
 */
import { intervalMs, type Settings } from '../contract/settings.ts';
import type { GateFacts, GateWord, Started } from '../queue/claim.ts';

/** Longest sleep between two looks at a closed gate, ms: a setting changed elsewhere is noticed by then. */
const longestWaitMs = 5_000;
/** A window filled by unfinished conversations alone frees at an unknown moment: look again soon. */
const unknownWaitMs = 250;

/** ms between two starts: the set pace, or the slower one that the mail server's throttling taught us. */
export function effectiveIntervalMs(settings: Settings, learnedMs: number | null, uncapped: boolean): number {
  const set = uncapped ? 0 : intervalMs(settings.rate_per_minute);
  return Math.max(set, learnedMs ?? 0);
}

/** Which windows have a cap at all: the others are not counted. */
export function windowsOf(
  settings: Settings,
  uncapped: boolean,
): { minute: boolean; hour: boolean; day: boolean } {
  return { minute: !uncapped, hour: settings.rate_per_hour > 0, day: settings.rate_per_day > 0 };
}

/** May one more conversation with `recipients` envelope recipients start, after what this transaction already let start? */
export function decide(facts: GateFacts, started: Started, recipients: number, uncapped: boolean): GateWord {
  const { nowMs, settings, pace, used } = facts;
  const wait = (ms: number | null): number => Math.min(longestWaitMs, Math.max(1, ms ?? unknownWaitMs));

  if (facts.state === 'disabled') return { open: false, why: 'disabled', waitMs: longestWaitMs };
  // A fault's pause ends only by the probe, a person's by its time.
  if (pace.pause && (pace.pause.by === 'fault' || pace.pause.until * 1000 > nowMs)) {
    return { open: false, why: 'paused', waitMs: wait(pace.pause.until * 1000 - nowMs) };
  }
  for (const [cap, name] of [
    [settings.rate_per_hour, 'an hour'],
    [settings.rate_per_day, 'a day'],
  ] as const) {
    if (cap > 0 && recipients > cap) {
      return {
        open: false,
        why: 'never',
        reason: `it has ${recipients} recipients, more than the cap of ${cap} ${name} lets through`,
      };
    }
  }
  const interval = effectiveIntervalMs(settings, pace.learnedIntervalMs, uncapped);
  if (interval > 0) {
    if (started.conversations > 0) return { open: false, why: 'interval', waitMs: wait(interval) };
    const dueMs = pace.lastStartMs + interval;
    if (nowMs < dueMs) return { open: false, why: 'interval', waitMs: wait(dueMs - nowMs) };
  }
  if (!uncapped && used.minute + started.conversations >= settings.rate_per_minute) {
    return { open: false, why: 'minute', waitMs: wait(until(used.minuteFreeMs, nowMs)) };
  }
  const recipientsNow = started.recipients + recipients;
  if (settings.rate_per_hour > 0 && used.hour + recipientsNow > settings.rate_per_hour) {
    return { open: false, why: 'hour', waitMs: wait(until(used.hourFreeMs, nowMs)) };
  }
  if (settings.rate_per_day > 0 && used.day + recipientsNow > settings.rate_per_day) {
    return { open: false, why: 'day', waitMs: wait(until(used.dayFreeMs, nowMs)) };
  }
  return { open: true };
}

function until(momentMs: number | null, nowMs: number): number | null {
  return momentMs === null ? null : momentMs - nowMs;
}
