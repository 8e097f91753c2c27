/** `--state` of the commands that touch rows: a state of rows, in our word or the shop's own, or the state folder. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { PostroomError } from '../contract/errors.ts';
import type { ShapeName } from '../contract/profile.ts';
import { type RowState, rowStates } from '../contract/rows.ts';
import { ownWord, type ShapeSeen } from '../contract/status.ts';
import { shapeNamed } from '../queue/shapes/index.ts';
import { readConfig, withHome } from './config.ts';
import { type Common, readCommon } from './options.ts';

/** The common options of a command that touches rows. */
export interface RowCommon extends Common {
  /** state of rows, where one was named */
  rowState: RowState | undefined;
  /** the shop's own words for its states, null where they are ours */
  words: ShapeSeen['words'];
}

/**
 * Reads the options of a command that was made with `rowState`. Which words there are depends on the shop, so the
 * config file is read first.
 * @throws PostroomError `usage` for a word that is no state and no folder
 */
export async function readRowCommon(command: Command, env: NodeJS.ProcessEnv): Promise<RowCommon> {
  const common = readCommon(command);
  const words = wordsOf((await readConfig(common.config, env)).shape);
  let rowState: RowState | undefined;
  let folder = command.parent?.opts<{ state?: string[] }>().state?.at(-1);
  for (const value of command.opts<{ state?: string[] }>().state ?? []) {
    const state = stateNamed(value, words);
    if (state) rowState = state;
    else {
      refuseTypo(value, words);
      folder = value;
    }
  }
  return { ...common, folder, rowState, words };
}

export const wordsOf = (shape: ShapeName): ShapeSeen['words'] => shapeNamed(shape)?.words ?? null;

/** The state that a word means: ours, or the shop's own. */
export function stateNamed(value: string, words: ShapeSeen['words']): RowState | undefined {
  return rowStates.find((state) => state === value) ?? rowStates.find((state) => words?.[state] === value);
}

/** A state as a table of rows shows it: as it stands in the shop's table. */
export const shownState = (state: RowState, words: ShapeSeen['words']): string =>
  ownWord(words, state) ?? state;

/** `--state faild` must not make a folder of that name and then touch every row. */
function refuseTypo(value: string, words: ShapeSeen['words']): void {
  if (/[\\/]/.test(value) || value.startsWith('.') || value.startsWith('~') || existsSync(withHome(value)))
    return;
  const known = rowStates.map((state) => {
    const own = ownWord(words, state);
    return own ? `${state} or ${own}` : state;
  });
  throw new PostroomError(
    'usage',
    `--state ${value}: no state of rows (${known.join(', ')}), and no folder that exists. For a new folder write ./${value}`,
  );
}
