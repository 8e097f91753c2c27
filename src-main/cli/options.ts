/** Options that all commands share, and the reading of words that become numbers, ids and states. */
import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PostroomError } from '../contract/errors.ts';
import { type RowId, type RowState, rowStates } from '../contract/rows.ts';
import { withHome } from './config.ts';

export interface Common {
  config: string | undefined;
  /** state folder, where one was named */
  folder: string | undefined;
  json: boolean;
  /** state of rows, where the command has such a filter and one was named */
  rowState: RowState | undefined;
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const folderHelp =
  'folder of journal and console identity (default: one per shop in the data folder of this user)';
const bothHelp = `${rowStates.join('|')}: only rows in that state; or DIR: the state folder (write ./sent for a folder of such a name)`;

/** Adds `--config`, `--state` and `--json`. With `rowState`, `--state` names a state of rows or the folder. */
export function withCommon(command: Command, { rowState = false, config = true } = {}): Command {
  if (config) command.option('--config <file>', 'config file of the shop');
  command.addOption(
    new Option(
      rowState ? '--state <state|dir>' : '--state <dir>',
      rowState ? bothHelp : folderHelp,
    ).argParser(collect),
  );
  return command.option('--json', 'data as JSON on stdout; lists as one JSON document a line');
}

/** The common options of a command, also where they were written before its name. */
export function readCommon(command: Command, { rowState = false } = {}): Common {
  const own = command.opts<{ config?: string; state?: string[]; json?: boolean }>();
  const outer = command.parent?.opts<{ config?: string; state?: string[]; json?: boolean }>() ?? {};
  const states = own.state ?? [];
  const named = rowState ? states.filter(isRowState) : [];
  const folders = states.filter((value) => !named.includes(value as RowState));
  if (rowState) for (const folder of folders) refuseTypo(folder);
  return {
    config: own.config ?? outer.config,
    folder: folders.at(-1) ?? outer.state?.at(-1),
    json: own.json ?? outer.json ?? false,
    rowState: named.at(-1),
  };
}

function isRowState(value: string): value is RowState {
  return (rowStates as readonly string[]).includes(value);
}

/** `--state faild` must not make a folder of that name and then touch every row. */
function refuseTypo(value: string): void {
  if (/[\\/]/.test(value) || value.startsWith('.') || value.startsWith('~') || existsSync(withHome(value)))
    return;
  throw new PostroomError(
    'usage',
    `--state ${value}: no state of rows (${rowStates.join(', ')}), and no folder that exists. For a new folder write ./${value}`,
  );
}

/** A parser for whole numbers in bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** A row's id as people write it: a number where it is a safe one, else its text (UUIDs, BIGINT above 2^53). */
export function readRowId(text: string): RowId {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : text;
  }
  if (/^[0-9A-Za-z-]{1,64}$/.test(text) && !text.startsWith('-')) return text;
  throw new InvalidArgumentError('It must be the id of a row, as `list` shows it.');
}

/** For an argument that takes several ids. */
export function readRowIds(text: string, before: RowId[] | undefined): RowId[] {
  return [...(before ?? []), readRowId(text)];
}
