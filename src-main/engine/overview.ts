/** The overview of one shop: what sending came to, who waits, what goes wrong. Kept for a moment, since it reads many rows. */
import type { Overview } from '../contract/overview.ts';
import { readBacklog, readErrors, readHistory } from '../queue/overview.ts';
import type { Place } from '../queue/place.ts';
import { windowsOf } from './gate.ts';
import type { Outlooks } from './outlook.ts';

/** ms for which an overview is good enough to be shown again */
const freshMs = 5_000;
/** points of the forecast's curve */
const curvePoints = 48;

export class Overviews {
  private kept: { at: number; overview: Overview } | null = null;
  private asking: Promise<Overview> | null = null;
  private readonly place: Place;
  private readonly outlooks: Outlooks;
  private readonly uncapped: boolean;

  constructor(place: Place, outlooks: Outlooks, uncapped: boolean) {
    this.place = place;
    this.outlooks = outlooks;
    this.uncapped = uncapped;
  }

  now(): Promise<Overview> {
    if (this.kept && performance.now() - this.kept.at < freshMs) return Promise.resolve(this.kept.overview);
    this.asking ??= this.look().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async look(): Promise<Overview> {
    const { place } = this;
    const { nowMs, settings, departures } = await this.outlooks.now();
    const now = Math.floor(nowMs / 1000);
    const windows = windowsOf(settings, this.uncapped);
    const overview: Overview = {
      now,
      // one after the other: three range reads at once would take three of the few connections from the worker
      history: {
        minute: await readHistory(place, nowMs, 'minute'),
        hour: await readHistory(place, nowMs, 'hour'),
        day: await readHistory(place, nowMs, 'day'),
      },
      caps: {
        minute: windows.minute ? settings.rate_per_minute : null,
        hour: windows.hour ? settings.rate_per_hour : null,
        day: windows.day ? settings.rate_per_day : null,
      },
      domains: await readBacklog(place, now),
      forecast: curve(now, [...departures.values()]),
      errors: await readErrors(place, nowMs),
    };
    this.kept = { at: performance.now(), overview };
    return overview;
  }
}

/** How many rows still wait, from now to the last departure, at evenly spaced moments. */
export function curve(nowS: number, departuresMs: readonly number[]): Overview['forecast'] {
  if (departuresMs.length === 0) return [];
  const leaves = departuresMs.map((ms) => Math.max(nowS, Math.ceil(ms / 1000))).sort((a, b) => a - b);
  const last = leaves[leaves.length - 1] ?? nowS;
  const points = Math.min(curvePoints, leaves.length + 1);
  const stepS = (last - nowS) / Math.max(1, points - 1);
  let gone = 0;
  return Array.from({ length: points }, (_, at) => {
    const moment = at === points - 1 ? last : Math.round(nowS + at * stepS);
    while (gone < leaves.length && (leaves[gone] ?? 0) <= moment) gone += 1;
    return { at: moment, remaining: leaves.length - gone };
  });
}
