/**
 * s until a deferred row's next try: max(interval * 2^attempts, 5 min * attempts^2), at most 1 h (DESIGN section 5).
 * Greylisters want 5 min; the first term alone would try after 24 s and 48 s and fail. `attempts` = after this one.
 */
export function retryDelayS(intervalS: number, attempts: number): number {
  return Math.min(3600, Math.max(intervalS * 2 ** attempts, 300 * attempts ** 2));
}

/** s of the n-th pause of a lane in a row: 5 s to 5 min, doubling, with up to a quarter of jitter so that consoles do not probe in step. */
export function lanePauseS(faultsInARow: number, random: number): number {
  const base = Math.min(300, 5 * 2 ** Math.max(0, faultsInARow - 1));
  return Math.min(300, base * (1 + random / 4));
}

/** ms until the next look at a database that is gone: 0.5 s to 5 s. */
export function reconnectDelayMs(failures: number): number {
  return Math.min(5000, 500 * 2 ** Math.max(0, failures - 1));
}
