/** A line that tells how far it is: drawn again and again on a terminal, else a new line every 10 s. */
import type { Io } from './io.ts';
import { fitCells } from './text.ts';

/** ms */
const redrawEvery = 500;
const lineEvery = 10_000;

export interface Progress {
  stop(): void;
}

/** @param line the words of now, null when there is nothing to say yet; errors become words themselves */
export function startProgress(io: Io, line: () => Promise<string | null>): Progress {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const every = io.wordsOnTerminal ? redrawEvery : lineEvery;
  const draw = async () => {
    const words = await line();
    if (stopped || words === null) return;
    if (io.wordsOnTerminal) io.status(fitCells(words, io.wordsWidth - 1));
    else io.say(words);
  };
  const next = (ms: number) => {
    timer = setTimeout(() => {
      void draw().finally(() => {
        if (!stopped) next(every);
      });
    }, ms);
  };
  next(io.wordsOnTerminal ? 0 : every);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      io.status('');
    },
  };
}

/** `███████░░░░░` @param share 0 to 1 */
export function bar(share: number, cells: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}
