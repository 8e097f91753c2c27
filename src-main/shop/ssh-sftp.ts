import { Readable } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';

/** What is known of a file without following links. Times in s since 1970 by the server's clock. */
export interface SftpStat {
  kind: 'file' | 'folder' | 'link' | 'other';
  /** bytes */
  size: number;
  mtime: number;
}

/** An SFTP channel. Every call has its deadline; what the server says no to rejects with an `SftpRefusal`. */
export interface Sftp {
  /** the path with every link and `..` resolved */
  realpath(path: string): Promise<string>;
  lstat(path: string): Promise<SftpStat>;
  list(path: string): Promise<{ name: string; stat: SftpStat }[]>;
  /** streams a file whose size is known; errors with `unreachable` when no byte comes for a deadline */
  read(path: string): Promise<Readable>;
  unlink(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /** a new file; one that is there already is refused */
  write(path: string, bytes: Uint8Array): Promise<void>;
  mkdir(path: string): Promise<void>;
  /** @param mode as 0o644 */
  chmod(path: string, mode: number): Promise<void>;
  /** at once, files and folders; where something has that name already it is refused */
  rename(from: string, to: string): Promise<void>;
  /** true as soon as it is of no use any more */
  readonly closed: boolean;
  close(): void;
}

/** SFTP status codes that matter here (draft-ietf-secsh-filexfer-02 section 7). */
const status = { noSuchFile: 2, permissionDenied: 3, noConnection: 6, connectionLost: 7 } as const;

/** The server's no to one request. */
export class SftpRefusal extends Error {
  override readonly name = 'SftpRefusal';
  readonly kind: 'missing' | 'denied' | 'failure';

  constructor(kind: 'missing' | 'denied' | 'failure', message: string) {
    super(message);
    this.kind = kind;
  }
}

interface RawStats {
  size: number;
  mtime: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}
type Callback<T> = (error: Error | null | undefined, value: T) => void;
type Plain = (error?: Error | null) => void;

/** What is used of the SSH library's channel; written out here, so that one file alone imports the library. */
export interface RawSftp {
  realpath(path: string, done: Callback<string>): void;
  lstat(path: string, done: Callback<RawStats>): void;
  readdir(path: string, done: Callback<{ filename: string; attrs: RawStats }[]>): void;
  open(path: string, flags: 'r' | 'wx', done: Callback<Buffer>): void;
  read(
    handle: Buffer,
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | undefined, bytes: number) => void,
  ): void;
  write(handle: Buffer, from: Buffer, offset: number, length: number, position: number, done: Plain): void;
  close(handle: Buffer, done: Plain): void;
  unlink(path: string, done: Plain): void;
  rmdir(path: string, done: Plain): void;
  mkdir(path: string, done: Plain): void;
  chmod(path: string, mode: number, done: Plain): void;
  rename(from: string, to: string, done: Plain): void;
  end(): void;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

/** bytes in one read or write; every server takes 32 KB (draft-ietf-secsh-filexfer-02 section 3) */
const chunkBytes = 32_768;
/**
 * Most reads under way at a time: 16 x 32 KB at 100 ms there and back are 5 MB/s, in half a megabyte of memory. A slow line
 * gets fewer: each read has its deadline, and waits for those before it.
 */
const mostAhead = 16;
/** ms that a read may take before fewer are asked for at a time */
const slowReadMs = 1_000;

/** @param why the cause, in words, when the session is lost under way */
export function wrapSftp(raw: RawSftp, deadlineMs: number, why: () => string): Sftp {
  let closed = false;
  const waiting = new Set<() => void>();
  const end = () => {
    closed = true;
    for (const fail of [...waiting]) fail();
  };
  raw.on('close', end);
  raw.on('error', end);

  function call<T>(start: (done: Callback<T>) => void): Promise<T> {
    if (closed) return Promise.reject(new PostroomError('unreachable', why()));
    return new Promise<T>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        waiting.delete(lost);
        act();
      };
      const timer = setTimeout(
        () =>
          settle(() =>
            reject(
              new PostroomError(
                'unreachable',
                `The shop's file server did not answer within ${deadlineMs / 1000} s.`,
              ),
            ),
          ),
        deadlineMs,
      );
      const lost = () => settle(() => reject(new PostroomError('unreachable', why())));
      waiting.add(lost);
      start((error, value) => settle(() => (error ? reject(refusal(error, why)) : resolve(value))));
    });
  }
  const plain = (start: (done: Plain) => void) =>
    call<undefined>((done) => start((error) => done(error, undefined)));

  return {
    get closed() {
      return closed;
    },
    realpath: (path) => call((done) => raw.realpath(path, done)),
    lstat: async (path) => toStat(await call((done) => raw.lstat(path, done))),
    async list(path) {
      const entries = await call<{ filename: string; attrs: RawStats }[]>((done) => raw.readdir(path, done));
      return entries.map(({ filename, attrs }) => ({ name: filename, stat: toStat(attrs) }));
    },
    async read(path) {
      const handle = await call<Buffer>((done) => raw.open(path, 'r', done));
      const chunk = (position: number) =>
        call<Buffer>((done) => {
          const into = Buffer.allocUnsafe(chunkBytes);
          raw.read(handle, into, 0, chunkBytes, position, (error, bytes) => {
            // status 1: the end of the file
            if (error && (error as { code?: unknown }).code === 1) done(null, into.subarray(0, 0));
            else done(error, into.subarray(0, bytes));
          });
        });
      return Readable.from(
        chunks(chunk, () => void plain((done) => raw.close(handle, done)).catch(() => {})),
        { objectMode: false },
      );
    },
    unlink: (path) => plain((done) => raw.unlink(path, done)),
    rmdir: (path) => plain((done) => raw.rmdir(path, done)),
    mkdir: (path) => plain((done) => raw.mkdir(path, done)),
    chmod: (path, mode) => plain((done) => raw.chmod(path, mode, done)),
    rename: (from, to) => plain((done) => raw.rename(from, to, done)),
    async write(path, bytes) {
      const handle = await call<Buffer>((done) => raw.open(path, 'wx', done));
      const from = Buffer.from(bytes);
      for (let at = 0; at < from.length; at += chunkBytes) {
        const length = Math.min(chunkBytes, from.length - at);
        await plain((done) => raw.write(handle, from, at, length, at, done));
      }
      await plain((done) => raw.close(handle, done));
    },
    close() {
      end();
      raw.end();
    },
  };
}

/** The file in order, with some reads ahead. A short read in the middle is asked again for the rest (the draft allows it). */
async function* chunks(
  read: (position: number) => Promise<Buffer>,
  close: () => void,
): AsyncGenerator<Buffer> {
  const ahead: { position: number; bytes: Promise<Buffer> }[] = [];
  let next = 0;
  let most = 2;
  try {
    for (;;) {
      while (ahead.length < most) {
        const asked = performance.now();
        const bytes = read(next);
        bytes
          .then(() => {
            const slow = performance.now() - asked > slowReadMs;
            most = slow ? Math.max(1, most - 1) : Math.min(mostAhead, most + 1);
          })
          .catch(() => {}); // looked at in its turn
        ahead.push({ position: next, bytes });
        next += chunkBytes;
      }
      const first = ahead.shift();
      if (!first) return;
      const bytes = await first.bytes;
      if (bytes.length === 0) return;
      yield bytes;
      if (bytes.length < chunkBytes) {
        ahead.length = 0;
        next = first.position + bytes.length;
      }
    }
  } finally {
    close();
  }
}

function toStat(raw: RawStats): SftpStat {
  const kind = raw.isSymbolicLink() ? 'link' : raw.isDirectory() ? 'folder' : raw.isFile() ? 'file' : 'other';
  return { kind, size: raw.size, mtime: raw.mtime };
}

function refusal(error: Error, why: () => string): Error {
  const code = (error as { code?: unknown }).code;
  if (code === status.noSuchFile) return new SftpRefusal('missing', error.message);
  if (code === status.permissionDenied) return new SftpRefusal('denied', error.message);
  if (typeof code === 'number' && code !== status.noConnection && code !== status.connectionLost)
    return new SftpRefusal('failure', error.message);
  return new PostroomError('unreachable', why(), { detail: error.message, cause: error });
}
