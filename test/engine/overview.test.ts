import { describe, expect, it } from 'vitest';
import { curve } from '../../src-main/engine/overview.ts';

describe('the curve of what still waits', () => {
  it('begins with all and ends with none, and never rises', () => {
    const now = 1_700_000_000;
    const points = curve(
      now,
      Array.from({ length: 300 }, (_, at) => (now + 12 * (at + 1)) * 1000),
    );
    expect(points[0]).toEqual({ at: now, remaining: 300 });
    expect(points.at(-1)).toEqual({ at: now + 3600, remaining: 0 });
    expect(points).toHaveLength(48);
    for (const [at, point] of points.entries())
      if (at > 0) expect(point.remaining).toBeLessThanOrEqual(points[at - 1]?.remaining ?? 0);
    expect(points[24]?.remaining).toBeGreaterThan(140);
    expect(points[24]?.remaining).toBeLessThan(155);
  });

  it('is empty when nothing leaves, and short when little does', () => {
    expect(curve(100, [])).toEqual([]);
    expect(curve(100, [160_000])).toEqual([
      { at: 100, remaining: 1 },
      { at: 160, remaining: 0 },
    ]);
    expect(curve(100, [40_000]).at(-1)?.remaining).toBe(0);
  });
});
