import { describe, expect, it } from 'vitest';
import { countText, withCount } from '../../src-main/app/count-on-icon.ts';

/** The drawn part as text: # ink, . plate, blank = untouched. */
function picture(n: number, width = 22): string[] {
  const drawn = withCount(new Uint8Array(width * width * 4), width, width, n);
  return Array.from({ length: width }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = (y * width + x) * 4;
      return drawn[at + 3] === 0 ? ' ' : drawn[at] === 255 ? '.' : '#';
    }).join(''),
  );
}

describe('the number on the icon', () => {
  it('has two places at most', () => {
    expect([1, 42, 99, 100, 50_000].map(countText)).toEqual(['1', '42', '99', '99+', '99+']);
  });

  it('is drawn as it is read', () => {
    const half = picture(7)
      .filter((_, y) => y % 2 === 0)
      .map((line) =>
        [...line]
          .filter((_, x) => x % 2 === 0)
          .join('')
          .trimEnd(),
      )
      .filter((line) => line !== '');
    expect(half).toEqual(['.....', '.###.', '...#.', '..#..', '..#..', '..#..', '.....']);
  });

  it('stays inside the icon, whatever its size, and leaves it alone where nothing waits', () => {
    for (const width of [16, 22, 24, 32])
      for (const n of [8, 88, 888]) {
        const lines = picture(n, width);
        expect(lines.some((line) => line.includes('#'))).toBe(true);
        // the plate ends where it should: its last column is no ink
        for (const line of lines) expect(line.trimEnd().endsWith('#')).toBe(false);
      }
    expect(picture(0).join('').trim()).toBe('');
  });
});
