/** Text for a terminal: hostile characters made harmless, columns aligned. Pure. */

/** Control, format (also bidirectional overrides), surrogate halves and line separators: nothing of a row may move the cursor. */
const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of visible text. Subjects and server replies come from strangers: an escape sequence in one stays text. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(harmful, '\u{fffd}').trim();
}

/** As `plain`, but with the lines kept: for the body of a mail. */
export function plainLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\t/g, '    ').replace(harmful, '\u{fffd}'))
    .join('\n');
}

/** JSON in one line that also does no harm to a terminal: the controls that JSON itself does not escape are escaped. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, undefined, 0).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** East Asian wide and full-width blocks, and emoji: two cells each. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Cells of a terminal that a text takes. */
export function cellsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) cells += wide.test(segment) ? 2 : 1;
  return cells;
}

/** A text cut to a number of cells, with an ellipsis where something was cut. */
export function fitCells(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = wide.test(segment) ? 2 : 1;
    if (used + width > cells - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}

/** Filled up with blanks to a number of cells. */
export function pad(text: string, cells: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, cells - cellsOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

export interface TableColumn {
  title: string;
  /** numbers stand to the right */
  align?: 'left' | 'right';
  /** of the columns with it, the ones that are cut when the line is longer than the terminal */
  flexible?: boolean;
}

/**
 * Lines of an aligned table, the titles first.
 * @param width cells of the terminal; null = a file or pipe, nothing is cut
 */
export function tableLines(
  columns: readonly TableColumn[],
  rows: readonly string[][],
  width: number | null,
): string[] {
  const gap = 2;
  const sizes = columns.map((column, at) =>
    Math.max(cellsOf(column.title), ...rows.map((row) => cellsOf(row[at] ?? ''))),
  );
  if (width !== null) shrink(columns, sizes, width - gap * (columns.length - 1));
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, at) => pad(fitCells(cells[at] ?? '', sizes[at] ?? 0), sizes[at] ?? 0, align ?? 'left'))
      .join(' '.repeat(gap))
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...rows.map(line)];
}

/** Takes cells from the widest flexible column, one by one, until the line fits or nothing more can be taken. */
function shrink(columns: readonly TableColumn[], sizes: number[], room: number): void {
  const least = 12;
  for (let over = sizes.reduce((sum, size) => sum + size, 0) - room; over > 0; over -= 1) {
    let widest = -1;
    columns.forEach(({ flexible }, at) => {
      if (flexible && (sizes[at] ?? 0) > Math.max(least, sizes[widest] ?? 0)) widest = at;
    });
    if (widest < 0) return;
    sizes[widest] = (sizes[widest] ?? 0) - 1;
  }
}

/** `name:   value` lines, the values below one another. */
export function factLines(facts: readonly (readonly [string, string])[]): string[] {
  const size = Math.max(...facts.map(([name]) => cellsOf(name))) + 1;
  return facts.map(([name, value]) => `${pad(`${name}:`, size)}  ${value}`);
}
