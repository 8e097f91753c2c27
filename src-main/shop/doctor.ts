import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { DoctorStep } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import { type FilesPlace, isFileDatabase, type SomeParts, type SshLogin } from '../contract/profile.ts';
import type { Database } from './database.ts';
import { lookAtDatabase, type QueueParts } from './doctor-database.ts';
import { lookAtMail, type MailLooks } from './doctor-mail.ts';
import { Steps } from './doctor-steps.ts';
import { socketWords } from './faults.ts';
import type { ShopFiles } from './files.ts';
import { MissingRoot } from './files-names.ts';
import type { SshSession } from './ssh-types.ts';

/** What the doctor looks at. Everything may be unconnected: it connects step by step. */
export interface DoctorParts extends Partial<QueueParts> {
  ssh: SshSession | null;
  db: Database | null;
  /** null: the profile has no folder of attachments */
  files: ShopFiles | null;
  /** a connection to the mail server that is looked at step by step */
  examineMail: (() => MailLooks) | null;
  /** the address of MAIL FROM, null where it is not known */
  sender: string | null;
}

/** ms to resolve a name and to open a TCP connection */
const reachMs = 10_000;

/**
 * Looks at everything between here and a sent mail, in the order in which it is needed. Reads only; never throws for what it
 * looks at. A step whose ground is missing is grey.
 * @param profile parts that are not there are not looked at
 * @param onStep told of each step as soon as it is done
 * @throws PostroomError `stopped` once the signal is aborted
 */
export async function runDoctor(
  profile: SomeParts,
  parts: DoctorParts,
  onStep?: (step: DoctorStep) => void,
  signal?: AbortSignal,
): Promise<DoctorStep[]> {
  const steps = new Steps(onStep, signal);
  const { ssh, database, files, smtp } = profile;
  const { db, inspectSchema, lookAtQueue, lookAtClaim, examineMail, sender } = parts;
  if (ssh && parts.ssh) {
    await lookAtSsh(steps, ssh, parts.ssh, signal);
    await lookAtForwarding(steps, profile, parts.ssh);
  }
  if (database && db && inspectSchema)
    await lookAtDatabase(steps, { database }, db, { inspectSchema, lookAtQueue, lookAtClaim });
  if (files !== undefined) await lookAtFiles(steps, files, parts.files);
  if (smtp && examineMail)
    await lookAtMail(steps, { smtp, sender, ssh: parts.ssh, examine: examineMail, signal });
  return steps.done;
}

async function lookAtSsh(
  steps: Steps,
  login: SshLogin,
  ssh: SshSession,
  stopped?: AbortSignal,
): Promise<void> {
  const place = `${login.host}:${login.port}`;
  await steps.run('ssh.name', 'Name of the SSH server', [], async () => {
    try {
      const { address } = await lookup(login.host);
      return { color: 'green', found: `It leads to ${address}.` };
    } catch (error) {
      throw new PostroomError('unreachable', socketWords(error, place), { cause: error });
    }
  });
  await steps.run('ssh.reach', 'SSH server answers', ['ssh.name'], async () => {
    const socket = connect(login.port, login.host);
    try {
      const late = AbortSignal.timeout(reachMs);
      const signal = stopped ? AbortSignal.any([late, stopped]) : late;
      const [first] = (await once(socket, 'data', { signal })) as [Buffer];
      const banner = first.toString('latin1').split(/\r?\n/)[0]?.slice(0, 100) ?? '';
      if (banner.startsWith('SSH-')) return { color: 'green', found: banner };
      return {
        color: 'red',
        found: `Something answers at ${place}, but it is no SSH server: "${banner}".`,
        advice: 'Correct the port of the SSH login.',
      };
    } catch (error) {
      const late =
        error instanceof Error && error.name === 'AbortError'
          ? Object.assign(new Error('late'), { code: 'ETIMEDOUT' })
          : error;
      throw new PostroomError('unreachable', socketWords(late, place), { cause: error });
    } finally {
      socket.destroy();
    }
  });
  let failed: unknown = null;
  await steps.run('ssh.host-key', 'Key of the SSH server', ['ssh.reach'], async () => {
    failed = await ssh.connect({ now: true }).then(
      () => null,
      (error: unknown) => error,
    );
    // a refused login comes after the key was proven; keys that cannot be read say nothing about the server
    if (failed instanceof PostroomError && (failed.code === 'host-key' || failed.code === 'unreachable'))
      throw failed;
    if (failed instanceof PostroomError && failed.code === 'config')
      return { color: 'grey', found: 'Not looked at: the private key file cannot be used.' };
    return { color: 'green', found: `It is the one in the profile, ${login.hostKey ?? ''}.` };
  });
  await steps.run(
    'ssh.login',
    'SSH login',
    failed instanceof PostroomError && failed.code === 'config' ? [] : ['ssh.host-key'],
    async () => {
      if (failed !== null) throw failed;
      return { color: 'green', found: `${login.user} is logged in.` };
    },
  );
}

/** Whether the login may open ways from the shop's server; told apart from a database that does not run there. */
async function lookAtForwarding(steps: Steps, profile: SomeParts, ssh: SshSession): Promise<void> {
  const { database, smtp } = profile;
  const tunnel = smtp?.via === 'tunnel' ? smtp : null;
  const target = database && !isFileDatabase(database) ? database : tunnel;
  if (!target) return;
  await steps.run('ssh.forward', 'Forwarding through SSH', ['ssh.login'], async () => {
    const socketPath = 'socketPath' in target ? target.socketPath : undefined;
    const way = socketPath ? ssh.forwardSocket(socketPath) : ssh.forward(target.host, target.port);
    try {
      await once(way, 'connect');
      return {
        color: 'green',
        found: `The way from the shop's server to ${socketPath ?? `${target.host}:${target.port}`} is open.`,
      };
    } finally {
      way.on('error', () => {});
      way.destroy();
    }
  });
}

async function lookAtFiles(steps: Steps, place: FilesPlace | null, files: ShopFiles | null): Promise<void> {
  await steps.run(
    'files',
    'Folder of the attachments',
    place?.via === 'sftp' ? ['ssh.login'] : [],
    async () => {
      if (!place || !files) {
        return { color: 'grey', found: 'The profile names none: rows with attachments cannot be sent.' };
      }
      const folders = await files.listFolders().catch((error: unknown) => {
        if (error instanceof MissingRoot) return error;
        throw error;
      });
      if (folders instanceof MissingRoot)
        return {
          color: 'amber',
          found: folders.message,
          advice:
            'The shop makes it with its first attachment. If mails with attachments wait already, correct the folder in the profile, or let this login read it.',
        };
      return {
        color: 'green',
        found: `${place.root} can be read; it holds attachments of ${folders.length} ${folders.length === 1 ? 'mail' : 'mails'}.`,
      };
    },
  );
}
