/** The shop connector from the console: what is there, putting it in, taking it out, with the tables where that is asked for. */
import type {
  ConnectorLook,
  ConnectorOrder,
  ConnectorRemoval,
  ConnectorRemoved,
  ConnectorReport,
  ConnectorTables,
} from '../contract/connector.ts';
import { PostroomError } from '../contract/errors.ts';
import { isFileDatabase, type Profile, type ServerDatabase, type SomeParts } from '../contract/profile.ts';
import { countTables, dropTables, refuseWaiting } from '../queue/uninstall.ts';
import { type Bundle, readBundle } from '../shop/connector/bundle.ts';
import { inspect } from '../shop/connector/inspect.ts';
import { install } from '../shop/connector/install.ts';
import { remove } from '../shop/connector/remove.ts';
import { type ChosenSite, findSite, type MeantDatabase } from '../shop/connector/site.ts';
import { statOf } from '../shop/connector/tree.ts';
import type { Sftp } from '../shop/ssh-sftp.ts';
import type { SshSession } from '../shop/ssh-types.ts';
import { openWay, type SomeWay } from './way.ts';

/** Of a profile only the login is needed; its database says which of several sites is meant, and holds the tables. */
export type ConnectorParts = Pick<SomeParts, 'ssh' | 'database' | 'shape' | 'files'>;

export interface ConnectorOptions {
  /** stops what has not touched anything yet; what is being put in place is finished first */
  signal?: AbortSignal | undefined;
  onProgress?: ((words: string) => void) | undefined;
}

interface Work {
  ssh: SshSession;
  sftp: Sftp;
  chosen: ChosenSite;
  bundle: Bundle;
}

/** Where the attachments lie: a name that the connector gives, so that nothing else is ever deleted under it. */
const attachments = /\/studiou-wcmq-attachments\/?$/;

/** @throws PostroomError */
export function connectorStatus(
  parts: ConnectorParts,
  folder: string | null,
  options: ConnectorOptions = {},
): Promise<ConnectorLook> {
  return along(parts, options, async (way, tools) => {
    const found = await find(way, parts, folder, tools);
    if ('folders' in found) return found;
    return withFiles(way, found, ({ sftp, chosen, bundle }) => inspect(sftp, chosen, bundle));
  });
}

/** @throws PostroomError `refused` also when it must be said which of several sites is meant */
export function installConnector(
  parts: ConnectorParts,
  order: ConnectorOrder,
  options: ConnectorOptions = {},
): Promise<{ report: ConnectorReport; installed: boolean }> {
  return along(parts, options, async (way, tools) => {
    const chosen = onlyOne(await find(way, parts, order.folder, tools));
    return withFiles(way, chosen, (work) => install(work, order, tools));
  });
}

/** @throws PostroomError */
export function connectorTables(
  parts: ConnectorParts,
  options: ConnectorOptions = {},
): Promise<ConnectorTables> {
  return along(parts, options, async (way) => countTables(...tablesOf(way, parts)));
}

/** @throws PostroomError `refused` also while mail waits in tables that are to go */
export function removeConnector(
  parts: ConnectorParts,
  order: ConnectorRemoval,
  options: ConnectorOptions & { onTables?: (tables: ConnectorTables) => void } = {},
): Promise<ConnectorRemoved> {
  return along(parts, options, async (way, tools) => {
    if (order.tables) {
      // before anything is touched: whether they may go at all
      const found = await countTables(...tablesOf(way, parts));
      refuseWaiting(found, order.withWaiting);
      options.onTables?.(found);
    }
    const chosen = onlyOne(await find(way, parts, order.folder, tools));
    const done = await withFiles(way, chosen, (work) => remove(work, order, tools));
    if (!order.tables) return { ...done, dropped: null, stays: staysWithTables(parts) };
    tools.onProgress('Deleting the tables');
    const { dropped, optionsGone } = await dropTables(...tablesOf(way, parts), order.withWaiting);
    const left = optionsGone ? [] : [optionStays];
    return {
      ...done,
      dropped,
      stays: [...(await withoutAttachments(way, parts, tools)), ...left, cronStays],
    };
  });
}

const optionStays =
  'The option studiou_wcmq_db_version, which belongs to the tables, and two transients that end by themselves.';
const cronStays =
  'WordPress’s cron event postroom_connector_minute: it ends by itself with WordPress’s next minute, with one line in PHP’s error log.';

function staysWithTables({ database }: ConnectorParts): string[] {
  const prefix = database?.tablePrefix;
  return [
    `The tables ${prefix ?? '{prefix}'}studiou_wcmq_*, from which the console still sends what waits.`,
    'The folder studiou-wcmq-attachments in the uploads, with the files of mail that waits.',
    optionStays,
    cronStays,
  ];
}

/** The folders of all attachments, what closes their folder to browsers, and that folder. Answers what stays. */
async function withoutAttachments(
  { files, ssh }: SomeWay,
  { files: place }: ConnectorParts,
  { onProgress }: { onProgress: (words: string) => void },
): Promise<string[]> {
  const stays = ['The folder studiou-wcmq-attachments in the uploads, where there is one.'];
  if (!files || !ssh || place?.via !== 'sftp' || !attachments.test(place.root)) return stays;
  onProgress('Deleting the attachments');
  const root = place.root.replace(/\/+$/, '');
  try {
    const sftp = await ssh.sftp();
    if ((await statOf(sftp, root)) === null) return [];
    for (const { folder } of await files.listFolders()) await files.removeFolder(folder);
    for (const name of ['index.php', '.htaccess'])
      await sftp.unlink(`${root}/${name}`).catch(() => undefined);
    await sftp.rmdir(root);
    return [];
  } catch (error) {
    if (error instanceof PostroomError && error.code === 'not-found') return [];
    return [
      `The folder ${place.root}: it could not be deleted (${error instanceof Error ? error.message : error}).`,
    ];
  }
}

/** The database that the connector writes into; null where the profile means another kind. */
function ownDatabase({ database, shape = 'studiou-wcmq' }: ConnectorParts): ServerDatabase | null {
  return database && !isFileDatabase(database) && shape === 'studiou-wcmq' ? database : null;
}

function tablesOf({ db }: SomeWay, parts: ConnectorParts): [NonNullable<SomeWay['db']>, string] {
  const database = ownDatabase(parts);
  if (!db || !database)
    throw new PostroomError('config', 'This shop has none of the tables that the connector writes into.');
  return [db, database.tablePrefix];
}

function meantBy(parts: ConnectorParts): MeantDatabase | null {
  const database = ownDatabase(parts);
  return database && { database: database.database, prefix: database.tablePrefix };
}

async function find(
  { ssh }: SomeWay,
  parts: ConnectorParts,
  folder: string | null,
  tools: { signal: AbortSignal; onProgress: (words: string) => void },
): Promise<ChosenSite | { folders: string[] }> {
  if (!parts.ssh || !ssh)
    throw new PostroomError(
      'config',
      'The connector is put into a shop through SSH, and this connection has none. Copy it by hand, as docs/connector.md says.',
    );
  tools.onProgress(`Logging in at ${parts.ssh.host}`);
  await ssh.connect({ now: true });
  return findSite(ssh, { folder, meant: meantBy(parts), ...tools });
}

function onlyOne(found: ChosenSite | { folders: string[] }): ChosenSite {
  if (!('folders' in found)) return found;
  throw new PostroomError(
    'refused',
    `This login reaches several WordPress sites: ${found.folders.join(', ')}. Say which one is meant by its folder.`,
  );
}

async function withFiles<T>(
  { ssh }: SomeWay,
  chosen: ChosenSite,
  work: (work: Work) => Promise<T>,
): Promise<T> {
  if (!ssh) throw new PostroomError('bug', 'Expected an SSH login');
  const bundle = await readBundle();
  const sftp = await ssh.sftp();
  try {
    return await work({ ssh, sftp, chosen, bundle });
  } finally {
    sftp.close();
  }
}

/**
 * Opens the way and closes it whatever happens. Being stopped cuts nothing that writes: the work looks at the signal where it
 * may end, so that the shop is told of it too. Only a login that hangs is cut.
 */
async function along<T>(
  parts: ConnectorParts,
  { signal = new AbortController().signal, onProgress = () => undefined }: ConnectorOptions,
  work: (way: SomeWay, tools: { signal: AbortSignal; onProgress: (words: string) => void }) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw stopped();
  const way = openWay(waysOf(parts));
  let hung = false;
  const cut = () => {
    hung = !way.ssh?.isUp;
    if (hung) way.cut();
  };
  signal.addEventListener('abort', cut);
  try {
    return await work(way, { signal, onProgress });
  } catch (error) {
    // looking for the site ends with the signal's own reason
    if (hung || (signal.aborted && error === signal.reason)) throw stopped();
    throw error;
  } finally {
    signal.removeEventListener('abort', cut);
    await way.close();
  }
}

/** The embedded database has no WordPress in front of it. */
function waysOf({ ssh, database, shape, files }: ConnectorParts): SomeParts {
  return {
    ssh,
    ...(database && !isFileDatabase(database) ? { database } : {}),
    ...(shape ? { shape } : {}),
    ...(files?.via === 'sftp' && ssh ? { files } : {}),
  } satisfies Partial<Profile> & Pick<Profile, 'ssh'>;
}

const stopped = () => new PostroomError('stopped', 'It was stopped. The shop is as it was before.');
