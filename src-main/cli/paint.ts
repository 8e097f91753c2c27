export type Color = 'red' | 'green' | 'yellow' | 'grey' | 'bold';

const codes: Record<Color, [number, number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  grey: [90, 39],
  bold: [1, 22],
};

export type Paint = (color: Color, text: string) => string;

/** Colours only where a person looks on: a terminal that can show them, and no wish against it (https://no-color.org). */
export function paintFor(isTerminal: boolean, env: NodeJS.ProcessEnv): Paint {
  const colored = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return (color, text) => {
    const [on, off] = codes[color];
    return colored ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}
