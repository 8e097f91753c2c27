/** The folder beside the plugins in which things are made ready or kept, and the moves that can be taken back. */
import { randomBytes } from 'node:crypto';
import type { Sftp } from '../ssh-sftp.ts';
import type { SshSession } from '../ssh-types.ts';
import { folderName, stubName } from './bundle.ts';
import { makeFolder, move, removeAll, statOf } from './tree.ts';

/** Files below it are complete when they are moved into place, and those that they replace are moved here before. */
export interface Aside {
  path: string;
  /** what is to come */
  next: string;
  /** what was there */
  before: string;
}

export async function makeAside(sftp: Sftp, plugins: string): Promise<Aside> {
  const path = `${plugins}/.postroom-${randomBytes(8).toString('hex')}.tmp`;
  const aside = { path, next: `${path}/next`, before: `${path}/before` };
  await makeFolder(sftp, path);
  await makeFolder(sftp, aside.next);
  await makeFolder(sftp, aside.before);
  return aside;
}

/** Moves one after the other; where one fails, those before it are taken back, over a new connection if need be. */
export class Moves {
  private readonly done: [from: string, to: string][] = [];
  private readonly ssh: SshSession;
  private readonly sftp: Sftp;

  constructor(ssh: SshSession, sftp: Sftp) {
    this.ssh = ssh;
    this.sftp = sftp;
  }

  async run(from: string, to: string): Promise<void> {
    // noted first: when the answer is lost on its way, it may have happened
    this.done.push([from, to]);
    await move(this.sftp, from, to);
  }

  /** @throws when not everything could be taken back; the next run does it then (see mend) */
  async back(): Promise<void> {
    if (this.done.length === 0) return;
    const sftp = this.sftp.closed ? await this.ssh.sftp() : this.sftp;
    try {
      for (const [from, to] of this.done.splice(0).reverse())
        if ((await statOf(sftp, to)) && !(await statOf(sftp, from))) await move(sftp, to, from);
    } finally {
      if (sftp !== this.sftp) sftp.close();
    }
  }
}

/**
 * Puts right what a run that was interrupted left. WordPress loads the stub alone: when it is still set aside, that run had
 * not ended, and the shop gets back what it had. A stub in its place means that all else was in place before it.
 */
export async function mend(sftp: Sftp, plugins: string, leftovers: readonly string[]): Promise<void> {
  for (const name of leftovers) {
    const path = `${plugins}/${name}`;
    const has = async (one: string) => (await statOf(sftp, one)) !== null;
    const [stub, folder] = [`${path}/before/${stubName}`, `${path}/before/${folderName}`];
    if (!(await has(`${plugins}/${stubName}`)) && ((await has(stub)) || (await has(folder)))) {
      if (await has(folder)) {
        if (await has(`${plugins}/${folderName}`))
          await move(sftp, `${plugins}/${folderName}`, `${path}/half`);
        await move(sftp, folder, `${plugins}/${folderName}`);
      }
      if (await has(stub)) await move(sftp, stub, `${plugins}/${stubName}`);
    }
    await removeAll(sftp, path);
  }
}
