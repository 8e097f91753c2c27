/** Options that all commands share, and the reading of words that become numbers, ids and states. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type RowId, rowStates } from '../contract/rows.ts';

export interface Common {
  config: string | undefined;
  /** state folder, where one was named */
  folder: string | undefined;
  json: boolean;
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const folderHelp =
  'folder of journal and console identity (default: one per shop in the data folder of this user)';
const bothHelp = `${rowStates.join('|')}, or the shop's own word for it: only rows in that state; or DIR: the state folder (write ./sent for a folder of such a name)`;

/** Adds `--config`, `--state` and `--json`. With `rowState`, `--state` names a state of rows or the folder (states.ts). */
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
export function readCommon(command: Command): Common {
  const own = command.opts<{ config?: string; state?: string[]; json?: boolean }>();
  const outer = command.parent?.opts<{ config?: string; state?: string[]; json?: boolean }>() ?? {};
  return {
    config: own.config ?? outer.config,
    folder: own.state?.at(-1) ?? outer.state?.at(-1),
    json: own.json ?? outer.json ?? false,
  };
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
