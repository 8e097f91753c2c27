// How the scripts speak: plain lines on stderr (stdout belongs to the program that is run), and errors
// that end a script with one clear line instead of a stack trace.
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';

/** An error whose message is all a person needs to know. */
export class PlainError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function say(text) {
  // what other programs coloured stays readable in a file
  process.stderr.write(`postroom: ${process.stderr.isTTY ? text : stripVTControlCharacters(text)}\n`);
}

export function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/** Runs a script's body; POSTROOM_DEBUG=1 shows the stack of an error too. */
export async function run(body) {
  try {
    const code = await body();
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    const why =
      error?.cause?.message && error.cause.message !== error.message ? ` (${error.cause.message})` : '';
    say(`${error?.message ?? error}${why}`);
    if (process.env.POSTROOM_DEBUG) process.stderr.write(`${error?.stack}\n`);
    process.exitCode = error?.exitCode ?? 1;
  }
}

/** The exit code a shell would give a child that ended by a signal. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}
