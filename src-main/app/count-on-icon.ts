/** Digits of three by five dots, the smallest that can be told apart; each row from the left, 1 = ink. */
const digits: Record<string, readonly string[]> = {
  '0': ['111', '101', '101', '101', '111'],
  '1': ['010', '110', '010', '010', '111'],
  '2': ['111', '001', '111', '100', '111'],
  '3': ['111', '001', '111', '001', '111'],
  '4': ['101', '101', '111', '001', '001'],
  '5': ['111', '100', '111', '001', '111'],
  '6': ['111', '100', '111', '101', '111'],
  '7': ['111', '001', '010', '010', '010'],
  '8': ['111', '101', '111', '101', '111'],
  '9': ['111', '101', '111', '001', '111'],
  '+': ['000', '010', '111', '010', '000'],
};

/** What is written on the icon: two places are all that can be read. */
export const countText = (n: number): string => (n > 99 ? '99+' : String(n));

/**
 * Draws a number into the upper left of an icon, dark on a pale plate: the state's badge is at the lower right.
 * @param pixels BGRA, premultiplied, `width` × `height`; a copy is returned
 */
export function withCount(pixels: Uint8Array, width: number, height: number, n: number): Uint8Array {
  const drawn = Uint8Array.from(pixels);
  if (n <= 0) return drawn;
  const text = countText(n);
  // dots of two pixels from 22 pixels on; three places only fit with small ones
  const dot = Math.max(1, Math.floor(width / (text.length > 2 ? 22 : 11)));
  const plate = { width: (text.length * 4 + 1) * dot, height: 7 * dot };
  const paint = (x: number, y: number, [b, g, r]: readonly [number, number, number]) => {
    for (let dy = 0; dy < dot; dy += 1)
      for (let dx = 0; dx < dot; dx += 1) {
        const [px, py] = [x + dx, y + dy];
        if (px < width && py < height) drawn.set([b, g, r, 255], (py * width + px) * 4);
      }
  };
  for (let y = 0; y < plate.height; y += dot)
    for (let x = 0; x < plate.width; x += dot) paint(x, y, [255, 255, 255]);
  for (const [place, character] of [...text].entries())
    for (const [row, dots] of (digits[character] ?? []).entries())
      for (const [column, ink] of [...dots].entries())
        if (ink === '1') paint((1 + place * 4 + column) * dot, (1 + row) * dot, [79, 64, 22]); // #16404f
  return drawn;
}
