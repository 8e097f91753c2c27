/** From the words of a command line to an open shop and back. */
import { hostname } from 'node:os';
import type { OpenedShop } from '../boot.ts';
import { PostroomError, toWireError } from '../contract/errors.ts';
import type { Profile } from '../contract/profile.ts';
import { readConfig } from './config.ts';
import type { Exit } from './exit.ts';
import type { Interrupt } from './interrupt.ts';
import type { Io } from './io.ts';
import type { Common } from './options.ts';
import { stateFolder } from './state-folder.ts';

/** What a command is given to work with. */
export interface Tools {
  io: Io;
  interrupt: Interrupt;
  version: string;
  /** the answer to the shell, set by the command that ran */
  exit: Exit;
}

/**
 * Opens the shop that the config file describes, acts, and closes it whatever happens.
 * @throws PostroomError
 */
export async function withShop<T>(
  { io, version }: Tools,
  common: Common,
  act: (shop: OpenedShop) => Promise<T>,
): Promise<T> {
  const profile = await readConfig(common.config, io.env);
  // only now: `--help` and a wrong config need no driver
  const { openShop } = await import('../boot.ts');
  const shop = await openShop(profile, {
    stateDir: stateFolder(common.folder, profile),
    name: `${hostname()} (command line)`,
    version,
  }).catch((error: unknown) => {
    throw withAdvice(error, profile);
  });
  return closing(shop, () =>
    act(shop).catch((error: unknown) => {
      throw withAdvice(error, profile);
    }),
  );
}

/** Runs `act` and closes the shop. Of two errors the first one is told. */
export async function closing<T>(shop: Pick<OpenedShop, 'close'>, act: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await act();
  } catch (error) {
    await shop.close().catch(() => undefined);
    throw error;
  }
  await shop.close();
  return result;
}

/** Errors whose cure is another command of this program, with that command's name. */
function withAdvice(thrown: unknown, profile: Profile): unknown {
  const { code, message, detail } = toWireError(thrown);
  if (code !== 'schema' || message.includes('schema --apply')) return thrown;
  const words = `${message} Run \`postroom schema --apply\` to install the tables of ${profile.name}.`;
  return new PostroomError(code, words, { ...(detail ? { detail } : {}), cause: thrown });
}
