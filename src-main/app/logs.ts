import { open } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { app } from 'electron';
import type { LogExport } from '../contract/channels.ts';
import type { LogQuery } from '../contract/desk.ts';
import type { LogLine, RowId } from '../contract/rows.ts';
import { plainName } from '../settings/profile-file.ts';
import { cannotWrite, pickPlace } from './pick-file.ts';
import type { Shops } from './shops.ts';
import type { MainWindow } from './window.ts';
import { say } from './words.ts';

/** Lines asked for at once: the most that a page may have. */
const pageSize = 1_000;

/** A shop's log as a whole: cleared, or written to a file. Both take as long as the log is, and can be stopped. */
export class Logs {
  private readonly running = new Map<string, AbortController>();

  private readonly shops: Shops;
  private readonly window: MainWindow;

  constructor(shops: Shops, window: MainWindow) {
    this.shops = shops;
    this.window = window;
  }

  clear(profile: string): Promise<number> {
    return this.alone(profile, (signal) => this.shops.desk(profile).clearLog(signal));
  }

  /** @throws PostroomError `disk` when the file cannot be written */
  async export(profile: string, query: LogQuery): Promise<LogExport | null> {
    const options = {
      title: say('exportLog'),
      defaultPath: path.join(
        app.getPath('documents'),
        `postroom-log-${plainName(this.shops.summary(profile).name)}-${today()}.csv`,
      ),
      filters: [{ name: 'CSV', extensions: ['csv'] }],
    };
    const file = await pickPlace(this.window, options);
    if (!file) return null;
    return this.alone(profile, (signal) => this.write(profile, query, file, signal));
  }

  stop(profile: string): undefined {
    this.running.get(profile)?.abort();
    return undefined;
  }

  private async write(
    profile: string,
    query: LogQuery,
    file: string,
    signal: AbortSignal,
  ): Promise<LogExport> {
    const desk = this.shops.desk(profile);
    const of = await desk.countLog(query);
    const handle = await open(file, 'w', 0o600).catch((cause: unknown) => {
      throw cannotWrite(file, cause);
    });
    let lines = 0;
    try {
      await handle.writeFile(csv([['id', 'time', 'level', 'mail', 'message']], true));
      let before: RowId | undefined;
      while (!signal.aborted) {
        const page = await desk.log({
          ...query,
          limit: pageSize,
          ...(before === undefined ? {} : { before }),
        });
        if (page.length > 0) await handle.writeFile(csv(page.map(asRecord)));
        lines += page.length;
        before = page.at(-1)?.id;
        this.window.signal('log:export-progress', { profile, lines, of: Math.max(of, lines) });
        if (page.length < pageSize) break;
      }
    } finally {
      await handle.close();
    }
    return { file, lines, stopped: signal.aborted };
  }

  /** One at a time for each shop: another one stops it. */
  private async alone<T>(profile: string, what: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.stop(profile);
    const mine = new AbortController();
    this.running.set(profile, mine);
    try {
      return await what(mine.signal);
    } finally {
      if (this.running.get(profile) === mine) this.running.delete(profile);
    }
  }
}

const asRecord = ({ id, created_at, level, queue_id, message }: LogLine): string[] => [
  String(id),
  new Date(created_at * 1000).toISOString(),
  level,
  queue_id === null ? '' : String(queue_id),
  message,
];

/**
 * RFC 4180, with a byte order mark at its beginning for the sake of spreadsheets. A server's words may begin like a formula: those
 * are made harmless.
 */
const csv = (records: string[][], first = false): string =>
  stringify(records, { bom: first, record_delimiter: 'windows', escape_formulas: true });

const today = (): string => new Date().toISOString().slice(0, 10);
