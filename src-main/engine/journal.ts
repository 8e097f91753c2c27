/**
 * The console's own memory of accepted mails (promise 2). *After* a 2xx the settlement is written here and fsynced
 * before the database hears of it, so that neither a lost database nor a kill -9 makes us send the mail again.
 *
 * One file of JSON lines. Behind the last line lies ballast: blank lines that are on the disk already, so that the
 * write of an answer fills allocated blocks and cannot fail because the disk became full meanwhile. When no ballast
 * can be had, `reserve` refuses, and no conversation starts.
 */
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { PostroomError } from '../contract/errors.ts';
import { type Settlement, settlementSchema } from '../queue/transitions.ts';

/** bytes added at once when ballast runs low: some 100 answers */
const ballastBytes = 64 * 1024;
/** bytes that must lie ready for each conversation: more than the longest entry */
const reserveBytes = 8 * 1024;
/** bytes of settled entries after which the file is written anew */
const compactBytes = 512 * 1024;

interface Entry {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * How long an answer may wait for company, ms. Written (`writeMs`), it outlives this process; synced (`syncMs`), a power
 * cut. What ends before that is in doubt, never sent twice. Without a rhythm the answers of one turn of the event loop
 * share one write and one fsync.
 */
export interface JournalRhythm {
  writeMs: number;
  syncMs: number;
}

export class Journal {
  private readonly file: string;
  private handle: FileHandle;
  /** where the next line goes, and where the ballast ends; bytes */
  private end: number;
  private allocated: number;
  private readonly open = new Map<string, Settlement>();
  private done: string[] = [];
  private waiting: Entry[] = [];
  /** in the file, not yet on the disk */
  private written: Entry[] = [];
  private flushing: Promise<void> | null = null;
  private reserving: Promise<void> | null = null;
  private rhythm: JournalRhythm = { writeMs: 0, syncMs: 0 };

  private constructor(file: string, handle: FileHandle, allocated: number, entries: Map<string, Settlement>) {
    this.file = file;
    this.handle = handle;
    this.end = 0;
    this.allocated = allocated;
    for (const [claimId, settlement] of entries) this.open.set(claimId, settlement);
  }

  /**
   * Opens or makes a journal and reads what was not settled. A torn last line is what a power cut leaves: ignored.
   * @throws PostroomError `disk`
   */
  static async open(file: string, rhythm?: JournalRhythm): Promise<Journal> {
    try {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const entries = parse(await readFile(file, 'utf8').catch(absent));
      const journal = new Journal(file, await open(file, 'a+', 0o600), 0, entries);
      await journal.compact();
      if (rhythm) journal.rhythm = rhythm;
      return journal;
    } catch (error) {
      throw diskError(file, error);
    }
  }

  /** Entries of a journal that belongs to nobody any more (a dead process of this machine). */
  static async readOnly(file: string): Promise<Settlement[]> {
    return [...parse(await readFile(file, 'utf8').catch(absent)).values()];
  }

  /** What was accepted by a mail server and is not settled in the database yet. */
  unsettled(): Settlement[] {
    return [...this.open.values()];
  }

  /**
   * Makes sure that the answers of `conversations` more can be written whatever happens to the disk.
   * @throws PostroomError `disk`: nothing may be sent
   */
  async reserve(conversations: number): Promise<void> {
    while (this.reserving) await this.reserving;
    if (this.allocated - this.end >= reserveBytes * (conversations + 1)) return;
    this.reserving = this.allocate(reserveBytes * (conversations + 1)).finally(() => {
      this.reserving = null;
    });
    await this.reserving;
  }

  /** Remembers an answer; resolves when it is on the disk. */
  remember(settlement: Settlement): Promise<void> {
    this.open.set(settlement.claimId, settlement);
    return new Promise((resolve, reject) => {
      this.waiting.push({ line: `${JSON.stringify(settlement)}\n`, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  /** The database has it: the entry may be forgotten. Written along with the next answer; replaying one too many is harmless. */
  settled(claimId: string): void {
    if (this.open.delete(claimId)) this.done.push(claimId);
  }

  async close(): Promise<void> {
    while (this.flushing) await this.flushing;
    await this.compact().catch(() => {}); // a fuller file than need be, nothing else
    await this.handle.close();
  }

  private async flush(): Promise<void> {
    const { writeMs, syncMs } = this.rhythm;
    let syncedAt = performance.now();
    while (this.waiting.length + this.written.length > 0) {
      await new Promise<void>((resolve) => {
        if (writeMs > 0) setTimeout(resolve, writeMs);
        else setImmediate(resolve);
      });
      try {
        if (this.waiting.length > 0) await this.write();
        if (performance.now() - syncedAt < syncMs) continue;
        await this.handle.datasync();
        syncedAt = performance.now();
        for (const entry of this.written.splice(0)) entry.resolve();
        if (this.end > compactBytes) await this.compact();
      } catch (error) {
        // what was reserved is worth nothing any more: the next `reserve` must prove the disk anew
        this.allocated = this.end;
        for (const entry of this.written.splice(0)) entry.reject(diskError(this.file, error));
      }
    }
    this.flushing = null;
  }

  private async write(): Promise<void> {
    const batch = this.waiting.splice(0);
    this.written.push(...batch);
    const marks = this.done.splice(0).map((claimId) => `${JSON.stringify({ done: claimId })}\n`);
    const bytes = Buffer.from([...batch.map((entry) => entry.line), ...marks].join(''));
    await writeAll(this.handle, bytes, this.end);
    this.end += bytes.length;
    this.allocated = Math.max(this.allocated, this.end);
  }

  private async allocate(bytes: number): Promise<void> {
    try {
      const wanted = Math.max(ballastBytes, bytes);
      await writeAll(this.handle, Buffer.alloc(wanted, '\n'), this.allocated);
      await this.handle.datasync();
      this.allocated += wanted;
    } catch (error) {
      throw diskError(this.file, error);
    }
  }

  /** Writes the open entries into a new file beside the old one and renames it over: never a moment without them. */
  private async compact(): Promise<void> {
    const lines = [...this.open.values()].map((settlement) => `${JSON.stringify(settlement)}\n`).join('');
    const bytes = Buffer.from(lines + '\n'.repeat(ballastBytes));
    const next = `${this.file}.next`;
    const handle = await open(next, 'w+', 0o600);
    try {
      await writeAll(handle, bytes, 0);
      await handle.datasync();
    } catch (error) {
      await handle.close();
      throw error;
    }
    // Windows does not rename over a file that is open
    await this.handle.close();
    try {
      await rename(next, this.file);
    } catch (error) {
      await handle.close();
      this.handle = await open(this.file, 'r+');
      throw error;
    }
    await syncFolder(path.dirname(this.file));
    this.handle = handle;
    this.end = Buffer.byteLength(lines);
    this.allocated = bytes.length;
    this.done = [];
  }
}

/** A nearly full disk takes a part and reports no error: only the next write does. */
async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

function parse(text: string): Map<string, Settlement> {
  const entries = new Map<string, Settlement>();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue; // torn
    }
    if (typeof value === 'object' && value !== null && 'done' in value) {
      entries.delete(String(value.done));
      continue;
    }
    const parsed = settlementSchema.safeParse(value);
    if (parsed.success) entries.set(parsed.data.claimId, parsed.data);
  }
  return entries;
}

function absent(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
  throw error;
}

/** A rename is on the disk only when its folder is; Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function diskError(file: string, error: unknown): PostroomError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why =
    code === 'ENOSPC' ? 'the disk is full' : code === 'EACCES' ? 'it may not be written' : String(error);
  return new PostroomError(
    'disk',
    `The journal ${file} cannot be written (${why}). Nothing is sent until it can: make room or mend the rights.`,
    { cause: error },
  );
}
