/** Planned departures of one shop's waiting rows: gathers what the forecast needs, and keeps it for a moment. */
import type { RowId } from '../contract/rows.ts';
import type { Settings } from '../contract/settings.ts';
import { recentLines, waitingRows } from '../queue/browse.ts';
import { type PaceRow, readPace } from '../queue/lane.ts';
import type { Place } from '../queue/place.ts';
import { readStateAndSettings } from '../queue/settings-table.ts';
import { countWindows } from '../queue/windows.ts';
import { forecast, type GateView } from './forecast.ts';
import { effectiveIntervalMs, windowsOf } from './gate.ts';

/** Rows that are forecast at most: beyond these the end of the queue is extrapolated from the pace. */
const mostRows = 20_000;
/** ms for which an outlook is good enough to be shown again */
const freshMs = 1_000;

export interface Outlook {
  /** ms by the database's clock */
  nowMs: number;
  settings: Settings;
  pace: PaceRow;
  intervalMs: number;
  /** planned departures, ms */
  departures: Map<RowId, number>;
  nextMs: number | null;
  emptyMs: number | null;
  used: { minute: number; hour: number; day: number };
}

export class Outlooks {
  private kept: { at: number; outlook: Outlook } | null = null;
  private asking: Promise<Outlook> | null = null;
  private readonly place: Place;
  private readonly profile: { uncapped: boolean; connections: number };
  private readonly replyMs: () => number;

  constructor(place: Place, profile: { uncapped: boolean; connections: number }, replyMs: () => number) {
    this.place = place;
    this.profile = profile;
    this.replyMs = replyMs;
  }

  now(): Promise<Outlook> {
    if (this.kept && performance.now() - this.kept.at < freshMs) return Promise.resolve(this.kept.outlook);
    this.asking ??= this.look().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** Rows moved: the next question is answered anew. */
  forget(): void {
    this.kept = null;
  }

  private async look(): Promise<Outlook> {
    const { settings } = await readStateAndSettings(this.place);
    const pace = await readPace(this.place);
    const rows = await waitingRows(this.place, mostRows);
    const windows = windowsOf(settings, this.profile.uncapped);
    // only what a cap asks for: an open relay leaves millions of lines in an hour
    const reachMs = windows.day ? 86_400_000 : windows.hour ? 3_600_000 : windows.minute ? 60_000 : 0;
    const lines = await recentLines(this.place, pace.nowMs, reachMs);
    const asked = { minute: true, hour: true, day: windows.day };
    const used = await countWindows(this.place, this.place.db, pace.nowMs, asked);
    const intervalMs = effectiveIntervalMs(settings, pace.learnedIntervalMs, this.profile.uncapped);
    const gate: GateView = {
      nowMs: pace.nowMs,
      lastStartMs: pace.lastStartMs,
      intervalMs,
      caps: {
        minute: windows.minute ? settings.rate_per_minute : null,
        hour: windows.hour ? settings.rate_per_hour : null,
        day: windows.day ? settings.rate_per_day : null,
      },
      lines,
      openFromMs: Math.max(pace.nowMs, (pace.pause?.until ?? 0) * 1000),
      replyMs: this.replyMs(),
      connections: this.profile.connections,
    };
    const departures = forecast(
      rows.map((row) => ({
        id: row.id,
        priority: row.priority,
        notBeforeMs: Math.max(row.scheduledAt, row.heldUntil ?? 0) * 1000,
        recipients: 1,
      })),
      gate,
    );
    const moments = [...departures.values()];
    const outlook: Outlook = {
      nowMs: pace.nowMs,
      settings,
      pace,
      intervalMs,
      departures,
      nextMs: moments.length ? moments.reduce((a, b) => Math.min(a, b)) : null,
      emptyMs: moments.length ? moments.reduce((a, b) => Math.max(a, b)) : null,
      used: { minute: used.minute, hour: used.hour, day: windows.day ? used.day : used.hour },
    };
    this.kept = { at: performance.now(), outlook };
    return outlook;
  }
}
