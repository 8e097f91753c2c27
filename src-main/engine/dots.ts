/**
 * Which of this console's claims may have sent their final dot. A line is written right before each dot and never
 * synced: it outlives this process (kill -9), and after a power cut it is not believed. So a console of this machine that
 * takes a dead one's claims over knows which mails had passed the guard but never left, and need not call them in doubt.
 */
import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { PostroomError } from '../contract/errors.ts';

/** bytes after which the file is written anew with what is still open: some 7,000 dots */
const compactBytes = 256 * 1024;

export const dotsFile = (folder: string): string => path.join(folder, 'dots');

export class Dots {
  /** what the console before this one, under the same identity, had marked; null = cannot be known */
  readonly before: ReadonlySet<string> | null;
  private readonly file: string;
  /** -1 while it is not open: a number kept longer would be another file's by then */
  private fd = -1;
  private closed = false;
  private believed: boolean;
  private size = 0;
  private readonly open = new Set<string>();

  /** @throws PostroomError `disk` */
  constructor(folder: string) {
    this.file = dotsFile(folder);
    this.before = readDots(folder);
    this.believed = this.before !== null;
    // what was marked before stays, should this process die before it has taken its predecessor's claims over
    for (const claimId of this.before ?? []) this.open.add(claimId);
    this.begin();
  }

  /**
   * The predecessor's claims are taken over: from now on a claim that is not marked was not sent. Until then a record that
   * began after a power cut would say so of claims from before it.
   */
  believe(): void {
    if (this.believed) return;
    this.believed = true;
    this.begin();
  }

  /** The claim's dot is about to be sent. @throws PostroomError `disk`: it must not be */
  mark(claimId: string): void {
    this.open.add(claimId);
    // a line that a full disk tore must not swallow the next one: the line break comes first
    this.write(`\n${claimId}`);
    if (this.size > compactBytes) this.begin();
  }

  /** The claim is settled in the database: nobody will ask for its dot. */
  ended(claimId: string): void {
    this.open.delete(claimId);
  }

  /** No dot can be marked, and so none be sent, from now on. */
  close(): void {
    this.closed = true;
    this.letGo();
  }

  private letGo(): void {
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }

  /** Writes the file anew with what is open; until that succeeds nothing can be marked. */
  private begin(): void {
    // Windows does not rename over a file that is open
    this.letGo();
    const next = `${this.file}.next`;
    try {
      const fd = openSync(next, 'w', 0o600);
      const text = [(this.believed ? bootId() : null) ?? 'unknown', ...this.open].join('\n');
      if (writeSync(fd, text) !== Buffer.byteLength(text)) throw new Error('the disk is full');
      closeSync(fd);
      renameSync(next, this.file);
      this.size = text.length;
      this.fd = openSync(this.file, 'a', 0o600);
    } catch (error) {
      throw diskError(this.file, error);
    }
  }

  private write(text: string): void {
    if (this.fd < 0 && !this.closed) this.begin();
    try {
      if (writeSync(this.fd, text) !== text.length) throw new Error('the disk is full');
      this.size += text.length;
    } catch (error) {
      throw diskError(this.file, error);
    }
  }
}

/** Claims whose dot may have been sent, by a console that is dead; null where the record cannot be believed. */
export function readDots(folder: string): ReadonlySet<string> | null {
  let text: string;
  try {
    text = readFileSync(dotsFile(folder), 'utf8');
  } catch {
    return null;
  }
  const [boot, ...claims] = text.split('\n');
  // written under another boot: what was in the memory when the power went is lost
  if (boot === undefined || boot === 'unknown' || boot !== bootId()) return null;
  return new Set(claims);
}

/** Of this run of the system. Linux alone tells it in a file; elsewhere every stamped claim stays in doubt. */
function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

function diskError(file: string, error: unknown): PostroomError {
  return new PostroomError(
    'disk',
    `${file} cannot be written (${(error as Error).message}). Nothing is sent until it can: make room or mend the rights.`,
    { cause: error },
  );
}
