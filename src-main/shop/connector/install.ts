/** Puts the connector into a shop, so that PHP never sees a part of it, and nothing is lost whatever breaks off. */
import type { ConnectorOrder, ConnectorReport } from '../../contract/connector.ts';
import { PostroomError } from '../../contract/errors.ts';
import type { Sftp } from '../ssh-sftp.ts';
import type { SshSession } from '../ssh-types.ts';
import { type Aside, Moves, makeAside, mend } from './aside.ts';
import { type Bundle, folderName, sha256, stubName } from './bundle.ts';
import { inspect } from './inspect.ts';
import type { ChosenSite } from './site.ts';
import { forEach, makeFolder, readFileOf, removeAll, statOf, writeFileOf } from './tree.ts';

export interface WorkOptions {
  signal: AbortSignal;
  onProgress: (words: string) => void;
}

/**
 * All files are uploaded aside and read back; then the old stub goes, the folders change places, and the new stub comes last:
 * a request finds the old connector, none, or the new one. Answers what is there then.
 * @throws PostroomError `refused` (changed by hand, too old, newer there) | `rights` | `unreachable` | `stopped`
 */
export async function install(
  { ssh, sftp, chosen, bundle }: { ssh: SshSession; sftp: Sftp; chosen: ChosenSite; bundle: Bundle },
  order: Pick<ConnectorOrder, 'replaceChanged' | 'anyPhp'>,
  { signal, onProgress }: WorkOptions,
): Promise<{ report: ConnectorReport; installed: boolean }> {
  const { plugins } = chosen.site;
  let before = await inspect(sftp, chosen, bundle);
  refuseWhereItMayNot(before, order);
  if (before.leftovers.length > 0) {
    onProgress('Putting right what an interrupted run has left');
    await mend(sftp, plugins, before.leftovers);
    before = await inspect(sftp, chosen, bundle);
  }
  refuseChanged(before, order.replaceChanged);
  if (before.state === 'current' && before.odd.length === 0) return { report: before, installed: false };

  throwIfStopped(signal);
  const madeFolder = (await statOf(sftp, plugins)) === null;
  if (madeFolder) await makeFolder(sftp, plugins);
  let aside: Aside | null = null;
  const moves = new Moves(ssh, sftp);
  try {
    aside = await makeAside(sftp, plugins);
    await upload(sftp, aside.next, bundle, { signal, onProgress });
    throwIfStopped(signal);
    onProgress('Putting it in place');
    // from here on it is finished or taken back, whoever asks to stop
    for (const name of [stubName, folderName])
      if (await statOf(sftp, `${plugins}/${name}`))
        await moves.run(`${plugins}/${name}`, `${aside.before}/${name}`);
    for (const name of [folderName, stubName]) await moves.run(`${aside.next}/${name}`, `${plugins}/${name}`);
    await check(sftp, plugins, bundle);
  } catch (error) {
    await takeBack(error, moves, async () => {
      if (aside) await removeAll(sftp, aside.path);
      if (madeFolder) await sftp.rmdir(plugins).catch(() => undefined);
    });
  }
  const report = await cleared(sftp, aside?.path, () => inspect(sftp, chosen, bundle));
  return { report, installed: true };
}

/** Takes the moves back and throws the error, with words about what could not be taken back. */
export async function takeBack(error: unknown, moves: Moves, clear: () => Promise<void>): Promise<never> {
  try {
    await moves.back();
  } catch (second) {
    const words = error instanceof PostroomError ? error.message : String(error);
    throw new PostroomError(
      error instanceof PostroomError ? error.code : 'unreachable',
      `${words} It broke off half way, and what had been done could not be taken back: the shop may send its mail itself meanwhile, as without the connector. Run the same again to put it right.`,
      { cause: second },
    );
  }
  await clear().catch(() => undefined); // the next run cleans up
  throw error;
}

/** What stood aside goes; when it cannot, that is a note and no failure. */
export async function cleared(
  sftp: Sftp,
  aside: string | undefined,
  look: () => Promise<ConnectorReport>,
): Promise<ConnectorReport> {
  let failed = '';
  if (aside !== undefined)
    await removeAll(sftp, aside).catch((error: unknown) => {
      failed = error instanceof Error ? error.message : String(error);
    });
  const report = await look();
  if (failed !== '') report.notes.push(`What was put aside could not be deleted: ${failed}`);
  return report;
}

async function upload(
  sftp: Sftp,
  to: string,
  bundle: Bundle,
  { signal, onProgress }: WorkOptions,
): Promise<void> {
  const folders = new Set<string>();
  for (const name of bundle.files.keys()) {
    const parts = name.split('/').slice(0, -1);
    parts.forEach((_, at) => void folders.add(parts.slice(0, at + 1).join('/')));
  }
  for (const folder of folders) await makeFolder(sftp, `${to}/${folder}`);
  let done = 0;
  await forEach(bundle.files, async ([name, bytes]) => {
    throwIfStopped(signal);
    await writeFileOf(sftp, `${to}/${name}`, bytes);
    await compare(sftp, `${to}/${name}`, bytes);
    done += 1;
    onProgress(`Uploading, file ${done} of ${bundle.files.size}`);
  });
}

/** Everything once more where it stands now. */
async function check(sftp: Sftp, plugins: string, bundle: Bundle): Promise<void> {
  await forEach(bundle.files, ([name, bytes]) => compare(sftp, `${plugins}/${name}`, bytes));
}

async function compare(sftp: Sftp, path: string, bytes: Buffer): Promise<void> {
  const back = await readFileOf(sftp, path);
  if (back === null || sha256(back) !== sha256(bytes))
    throw new PostroomError(
      'rights',
      `${path} was read back as another file than was uploaded. Is the server's disk or quota full, or does a virus scanner change files there?`,
    );
}

function refuseWhereItMayNot(
  { obstacles }: ConnectorReport,
  { anyPhp }: Pick<ConnectorOrder, 'anyPhp'>,
): void {
  const holding = obstacles.filter(({ what }) => what !== 'php' || !anyPhp);
  if (holding.length > 0) throw new PostroomError('refused', holding.map(({ words }) => words).join(' '));
}

/** @throws PostroomError `refused`, with the names */
export function refuseChanged({ odd }: ConnectorReport, replace: boolean): void {
  if (replace || odd.length === 0) return;
  const names = odd.slice(0, 10).map(({ name, how }) => `${name} (${words[how]})`);
  if (odd.length > names.length) names.push(`and ${odd.length - names.length} more`);
  throw new PostroomError(
    'refused',
    `Not as they were installed: ${names.join(', ')}. Nothing was touched. Keep a copy if somebody needs them, then say that they may be replaced.`,
  );
}

const words = {
  changed: 'changed by hand',
  added: 'added by hand',
  link: 'no plain file',
  unknown: 'of a version that this console does not know',
} as const;

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new PostroomError('stopped', 'It was stopped. The shop is as it was before.');
}
