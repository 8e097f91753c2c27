/**
 * Looks along the way to a shop that need not be open, nor have a whole profile yet. They change nothing anywhere, and
 * close what they opened.
 */
import type { DoctorStep } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { FoundTable, LookProgress } from '../contract/look.ts';
import { isFileDatabase, type Profile, type SomeParts } from '../contract/profile.ts';
import { parseMailbox } from '../mail/address.ts';
import { lookAtClaimKey } from '../queue/doctor-claim.ts';
import { openPlace, type Place } from '../queue/place.ts';
import { inspectSchema } from '../queue/schema.ts';
import { discover } from '../queue/shapes/discover.ts';
import { lookAtShape } from '../queue/shapes/doctor.ts';
import { shapeNamed, shapes } from '../queue/shapes/index.ts';
import { type DoctorParts, runDoctor } from '../shop/doctor.ts';
import type { Steps } from '../shop/doctor-steps.ts';
import { openWay, type SomeWay } from './way.ts';

export interface LookOptions {
  /** when it is aborted, every connection is cut and the look rejects with PostroomError `stopped` */
  signal?: AbortSignal;
  onProgress?: (progress: LookProgress) => void;
}

/**
 * The doctor for a shop that is not open, or cannot be opened: looks at every step of the way and never throws for what it
 * finds. Reads only.
 * @throws PostroomError config
 */
export function examineShop(profile: Profile, onStep?: (step: DoctorStep) => void): Promise<DoctorStep[]> {
  return examineParts(profile, onStep ? { onProgress: (told) => 'step' in told && onStep(told.step) } : {});
}

/**
 * The same for those parts alone that are there.
 * @throws PostroomError config | stopped
 */
export function examineParts(
  parts: SomeParts,
  { signal, onProgress }: LookOptions = {},
): Promise<DoctorStep[]> {
  const way = openWay(parts, { anyZone: true });
  const onStep = (step: DoctorStep) => onProgress?.({ step });
  return lookAlong(way, signal, () => examine(parts, way, { place: null, onStep, signal }));
}

/**
 * Which tables of the database could be mail queues, best first.
 * @throws PostroomError unreachable | login | host-key | rights | config | stopped
 */
export function findTables(
  parts: Pick<Profile, 'ssh' | 'database'>,
  { signal, onProgress }: LookOptions = {},
): Promise<FoundTable[]> {
  const way = openWay(parts);
  const { ssh, db } = way;
  const say = (words: string) => onProgress?.({ words });
  return lookAlong(way, signal, async () => {
    if (!db) throw new PostroomError('bug', 'Expected a database to look into');
    if (parts.ssh && ssh) {
      say(`Logging in at ${parts.ssh.host}`);
      await ssh.connect({ now: true });
    }
    say(
      `Asking the database ${isFileDatabase(parts.database) ? '' : parts.database.database} for its tables`,
    );
    return discover(db, shapes, say);
  });
}

/** What the doctor sees on a way, which stays open. */
export function examine(
  parts: SomeParts,
  way: SomeWay,
  {
    place,
    onStep,
    signal,
  }: {
    place: Place | null;
    onStep?: ((step: DoctorStep) => void) | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<DoctorStep[]> {
  const { db, mail } = way;
  const { layout = { columns: {}, timeZone: null, books: null } } = parts;
  const prefix = parts.database?.tablePrefix ?? '';
  const shape = shapeNamed(parts.shape ?? 'studiou-wcmq');
  const looks: DoctorParts = {
    ...way,
    examineMail: mail && (() => mail.examine()),
    sender: senderOf(parts.from),
    ...(db
      ? {
          inspectSchema: async () => inspectSchema(await openPlace(db, prefix)),
          lookAtQueue: shape
            ? (steps: Steps, login: string) =>
                lookAtShape(steps, login, { db, prefix, layout, shape, shapes, place })
            : undefined,
          lookAtClaim:
            shape || db.dialect === 'sqlite'
              ? undefined
              : async () => lookAtClaimKey(await openPlace(db, prefix)),
        }
      : {}),
  };
  return runDoctor(parts, looks, onStep, signal);
}

/** The address of MAIL FROM; null where the form has none that can be read. */
function senderOf(from: string | undefined): string | null {
  const read = from === undefined ? null : parseMailbox(from);
  return read?.ok ? read.mailbox.address : null;
}

/** Runs a look and closes its way. A look that is stopped ends at once; what hangs is cut and closed behind its back. */
async function lookAlong<T>(
  way: SomeWay,
  signal: AbortSignal | undefined,
  look: () => Promise<T>,
): Promise<T> {
  if (!signal) return look().finally(() => way.close());
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => {
      way.cut();
      reject(new PostroomError('stopped', 'The look was stopped.'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([stopped, signal.aborted ? stopped : look()]);
  } finally {
    const closed = way.close();
    if (signal.aborted) closed.catch(() => {});
    else await closed;
  }
}
