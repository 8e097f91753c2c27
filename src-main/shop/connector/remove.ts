/** Takes the connector out of a shop: the stub first, so that WordPress loads nothing of it while the rest goes. */
import type { ConnectorReport } from '../../contract/connector.ts';
import type { Sftp } from '../ssh-sftp.ts';
import type { SshSession } from '../ssh-types.ts';
import { type Aside, Moves, makeAside, mend } from './aside.ts';
import { type Bundle, folderName, stubName } from './bundle.ts';
import { inspect } from './inspect.ts';
import { cleared, refuseChanged, takeBack, throwIfStopped, type WorkOptions } from './install.ts';
import type { ChosenSite } from './site.ts';
import { removeAll, statOf } from './tree.ts';

/**
 * Stub and folder are moved aside, then deleted; nothing else of the shop is touched. Answers what is there then.
 * @throws PostroomError `refused` (changed by hand) | `rights` | `unreachable` | `stopped`
 */
export async function remove(
  { ssh, sftp, chosen, bundle }: { ssh: SshSession; sftp: Sftp; chosen: ChosenSite; bundle: Bundle },
  order: { replaceChanged: boolean },
  { signal, onProgress }: WorkOptions,
): Promise<{ report: ConnectorReport; removed: boolean }> {
  const { plugins } = chosen.site;
  let before = await inspect(sftp, chosen, bundle);
  if (before.leftovers.length > 0) {
    onProgress('Putting right what an interrupted run has left');
    await mend(sftp, plugins, before.leftovers);
    before = await inspect(sftp, chosen, bundle);
  }
  refuseChanged(before, order.replaceChanged);
  if (before.state === 'absent') return { report: before, removed: false };

  throwIfStopped(signal);
  onProgress('Taking it out');
  let aside: Aside | null = null;
  const moves = new Moves(ssh, sftp);
  try {
    aside = await makeAside(sftp, plugins);
    for (const name of [stubName, folderName])
      if (await statOf(sftp, `${plugins}/${name}`))
        await moves.run(`${plugins}/${name}`, `${aside.before}/${name}`);
  } catch (error) {
    await takeBack(error, moves, async () => {
      if (aside) await removeAll(sftp, aside.path);
    });
  }
  const report = await cleared(sftp, aside?.path, () => inspect(sftp, chosen, bundle));
  return { report, removed: true };
}
