/** Where the program speaks: data to stdout, words to stderr. */
import { type Paint, paintFor } from './paint.ts';

type Output = NodeJS.WriteStream;

/** A line of words that is drawn over and over on a terminal. */
const clearLine = '\r\u001b[2K';

export class Io {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  readonly paintData: Paint;
  readonly paintWords: Paint;
  /** words go to a terminal: a line may be drawn again */
  readonly wordsOnTerminal: boolean;
  readonly #stdout: Output;
  readonly #stderr: Output;
  /** whoever read our output has gone (`| head`): that is no error, there is just nobody to write to */
  #brokenStdout = false;
  #status = '';

  constructor(from: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>) {
    this.env = from.env;
    this.stdin = from.stdin;
    this.#stdout = from.stdout;
    this.#stderr = from.stderr;
    this.paintData = paintFor(Boolean(from.stdout.isTTY), from.env);
    this.paintWords = paintFor(Boolean(from.stderr.isTTY), from.env);
    this.wordsOnTerminal = Boolean(from.stderr.isTTY) && from.env['TERM'] !== 'dumb';
    from.stdout.on('error', () => {
      this.#brokenStdout = true;
    });
    from.stderr.on('error', () => {});
  }

  /** Cells of the terminal that data goes to; null = a file or pipe. */
  get dataWidth(): number | null {
    return this.#stdout.isTTY ? (this.#stdout.columns ?? 80) : null;
  }

  get wordsWidth(): number {
    return this.#stderr.columns ?? 80;
  }

  /** Nobody reads stdout any more. */
  get brokenStdout(): boolean {
    return this.#brokenStdout;
  }

  /** One line of data. Waits while the reader is slower than we are. */
  async data(line: string): Promise<void> {
    if (this.#brokenStdout) return;
    if (this.#stdout.write(`${line}\n`)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ['drain', 'error', 'close']) this.#stdout.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'error', 'close']) this.#stdout.on(event, done);
    });
  }

  /** One line of words; a status line moves below it. */
  say(line: string): void {
    this.#stderr.write(this.#status ? `${clearLine}${line}\n${this.#status}` : `${line}\n`);
  }

  /** Draws the status line, '' takes it away. Only on a terminal. */
  status(line: string): void {
    if (!this.wordsOnTerminal || line === this.#status) return;
    this.#stderr.write(`${clearLine}${line}`);
    this.#status = line;
  }
}
