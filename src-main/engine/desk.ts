/** The desk of one shop: what a person can do with it, through the window or the command line (contract/desk.ts). */

import type { EventEmitter } from 'node:events';
import type { Desk, DeskEvents, MailToEnqueue, SchemaReport } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { Profile } from '../contract/profile.ts';
import type { QueueRow, RowId } from '../contract/rows.ts';
import type { Light, ShopStatus } from '../contract/status.ts';
import { readMail } from '../mail/compose.ts';
import type { Mailbox } from '../mail/conversation.ts';
import { countRows, listRows, mailKinds, rowsNamed, showRow } from '../queue/browse.ts';
import { listConsoles } from '../queue/consoles.ts';
import { readDrainBy, shareAgain } from '../queue/drain-by.ts';
import { insertRows } from '../queue/enqueue.ts';
import { pauseLane, resumeLane } from '../queue/lane.ts';
import { countLog, readLog, writeLog } from '../queue/log.ts';
import { deleteRows, resolveDoubt } from '../queue/operate.ts';
import type { Place } from '../queue/place.ts';
import { unownedFolders } from '../queue/prune.ts';
import { applySchema, inspectSchema } from '../queue/schema.ts';
import { mergeSettings, readMailTypes, readStateAndSettings, seedSettings } from '../queue/settings-table.ts';
import type { ShopFiles } from '../shop/files.ts';
import { Counting } from './counting.ts';
import type { Engine } from './engine.ts';
import { RowOrders } from './orders.ts';
import { Outlooks } from './outlook.ts';
import { Overviews } from './overview.ts';
import { clearLog, removeFolders } from './retention.ts';
import { embeddedImages, lookAtFiles } from './row-files.ts';
import { StateKeeper } from './state.ts';

/** Version of the tables, kept in the settings table; raised when a column is added. */
export const schemaVersion = 1;

/** Writes the settings that are missing: the profile's, else what the shape's document fixes. */
export function seedFrom(place: Place, profile: Profile): Promise<void> {
  return seedSettings(place, { ...place.shop?.shape.settings, ...profile.settings }, schemaVersion);
}

export interface DeskParts {
  place: Place;
  profile: Profile;
  sender: Mailbox;
  files: ShopFiles | null;
  events: EventEmitter<DeskEvents>;
  /** the engine while this process drains */
  engine(): Engine | null;
}

export function makeDesk(parts: DeskParts): Desk {
  const { place, profile, sender, files, events } = parts;
  const state = new StateKeeper(place, events);
  const outlooks = new Outlooks(
    place,
    { uncapped: profile.uncapped, connections: profile.smtp.connections },
    () => parts.engine()?.replyMs ?? 500,
  );
  const overviews = new Overviews(place, outlooks, profile.uncapped);
  const changed = () => {
    parts.engine()?.wake();
    events.emit('changed');
  };
  const claimTimeout = async () => (await readStateAndSettings(place)).settings.claim_timeout;
  const moved = async () => {
    outlooks.forget();
    await state.lookAgain();
    changed();
  };
  const remove: Desk['remove'] = async (what) => {
    const { folders, ...result } = await deleteRows(place, what, await claimTimeout());
    await removeFolders(files, await unownedFolders(place, folders));
    await moved();
    return result;
  };
  const counting = new Counting(place);
  const orders = new RowOrders({
    place,
    outlook: () => outlooks.now(),
    uncapped: profile.uncapped,
    remove,
    changed: moved,
  });
  const plan = async (rows: QueueRow[]) => {
    if (!rows.some((row) => row.state === 'pending')) return;
    const { departures } = await outlooks.now();
    for (const row of rows) row.planned_at = toSeconds(departures.get(row.id));
  };
  const show = async (id: RowId) => {
    const row = await showRow(place, id);
    if (!row) throw new PostroomError('not-found', `There is no row ${id} in the queue (any more).`);
    await plan([row]);
    return row;
  };

  return {
    status: () => readStatus(parts, outlooks),
    overview: () => overviews.now(),
    enable: async () => {
      const now = await state.enable();
      changed();
      return now;
    },
    disable: async () => {
      const now = await state.disable();
      changed();
      return now;
    },
    takeOver: async () => {
      const engine = parts.engine();
      if (!engine) throw new PostroomError('refused', 'This console does not drain: it cannot take over.');
      await engine.takeOver();
      changed();
    },
    shareAgain: async () => {
      if (await shareAgain(place))
        await writeLog(place, [
          { level: 'info', queueId: null, message: 'Whoever drains shares the cap again' },
        ]);
      changed();
    },
    pause: async ({ minutes, reason }) => {
      const pause = await pauseLane(place, 'person', reason || 'paused by hand', minutes * 60);
      await writeLog(place, [
        { level: 'info', queueId: null, message: `Paused for ${minutes} min: ${pause.reason}` },
      ]);
      events.emit('lane', pause);
      changed();
      return pause;
    },
    resume: async () => {
      if (await resumeLane(place)) {
        await writeLog(place, [{ level: 'info', queueId: null, message: 'The pause was ended by hand' }]);
        events.emit('lane', null);
      }
      changed();
    },
    list: async (page) => {
      const found = await listRows(place, page, () => counting.of(page.filter));
      await plan(found.rows);
      return found;
    },
    named: async (ids) => {
      const rows = await rowsNamed(place, ids);
      await plan(rows);
      return rows;
    },
    counts: (filter) => counting.of(filter),
    kinds: () => mailKinds(place),
    mailTypes: () => readMailTypes(place),
    show,
    files: async (id, checksum) => lookAtFiles(await show(id), sender, files, checksum),
    images: async (id) => embeddedImages(await show(id), sender, files),
    prepare: (what, order) => orders.prepare(what, order),
    act: (token) => orders.act(token),
    change: (what, order) => orders.change(what, order),
    waitingDeletes: () => orders.waitingDeletes(),
    undo: (token) => orders.undo(token),
    leave: () => orders.drop(),
    retry: (what) => orders.change(what, { do: 'retry' }),
    remove,
    resolve: async (id, how) => {
      if (!(await resolveDoubt(place, id, how === 'arrived'))) {
        throw new PostroomError('refused', `Row ${id} is not in doubt (any more): nothing was changed.`);
      }
      await state.lookAgain();
      changed();
    },
    enqueue: async (mails) => {
      const ids = await enqueue(parts, mails);
      changed();
      return ids;
    },
    log: (query) => readLog(place, query),
    countLog: (query) => countLog(place, query),
    clearLog: (signal) => clearLog(place, signal),
    writeLog: (level, message, queueId) => writeLog(place, [{ level, message, queueId: queueId ?? null }]),
    saveSettings: async (patch) => {
      const settings = await mergeSettings(place, patch);
      changed();
      return settings;
    },
    schema: (apply) => schema(parts, apply),
  };
}

const toSeconds = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms / 1000);

async function schema({ place: own, profile }: DeskParts, apply: boolean): Promise<SchemaReport> {
  // books that lie with this console can be laid into the shop's database: from the next start on they are used there
  const place = own.shop?.offered ?? own;
  if (!apply) return inspectSchema(place);
  const report = await applySchema(place);
  // those of books that lie with the console come along when they move, at the next start
  if (place === own) await seedFrom(place, profile);
  return report;
}

/** All or none: a mail that could never leave is named before anything is written. */
async function enqueue({ place, sender }: DeskParts, mails: readonly MailToEnqueue[]): Promise<RowId[]> {
  const { settings } = await readStateAndSettings(place);
  const prepared = mails.map((mail, index) => {
    const { to, subject, message, headers, attachments, alt } = mail;
    const payload = JSON.stringify({
      to,
      subject,
      message,
      headers: headers ?? '',
      attachments: attachments ?? [],
      alt,
    });
    const reading = readMail({ payload, sender, attachmentDir: null, deliveredTo: [] });
    if (!reading.ok)
      throw new PostroomError(
        'usage',
        `Mail ${index + 1} cannot be queued: ${reading.reason}. Nothing was queued.`,
      );
    return { ...mail, notBefore: notBefore(mail.send_at, index) };
  });
  return insertRows(place, prepared, settings);
}

function notBefore(sendAt: MailToEnqueue['send_at'], index: number): number | null {
  if (sendAt === undefined) return null;
  const seconds = typeof sendAt === 'number' ? sendAt : Math.floor(Date.parse(sendAt) / 1000);
  // 9999-12-31: a time beyond is a mistake (milliseconds, most often), and would never leave
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= 253_402_300_799) return seconds;
  throw new PostroomError(
    'usage',
    `Mail ${index + 1}: send_at is no time in seconds since 1970 or ISO 8601 date. Nothing was queued.`,
  );
}

async function readStatus(parts: DeskParts, outlooks: Outlooks): Promise<ShopStatus> {
  const { place, profile } = parts;
  const engine = parts.engine();
  const { state } = await readStateAndSettings(place);
  const counts = await countRows(place);
  const outlook = await outlooks.now();
  const consoles = await listConsoles(place, engine?.selfId ?? '');
  const drainBy = await readDrainBy(place);
  const { settings, pace, used } = outlook;
  const nowS = Math.floor(outlook.nowMs / 1000);
  const pause = pace.pause && (pace.pause.by === 'fault' || pace.pause.until > nowS) ? pace.pause : null;
  const drains = state !== 'disabled';
  return {
    profile: profile.name,
    now: nowS,
    state,
    counts,
    remaining: counts.pending + counts.sending,
    next_at: drains ? toSeconds(outlook.nextMs ?? undefined) : null,
    empty_at: drains ? toSeconds(outlook.emptyMs ?? undefined) : null,
    rate: {
      set_per_minute: settings.rate_per_minute,
      interval_ms: outlook.intervalMs,
      learned_interval_ms: pace.learnedIntervalMs,
      used_minute: used.minute,
      used_hour: used.hour,
      used_day: used.day,
      cap_hour: settings.rate_per_hour,
      cap_day: settings.rate_per_day,
      uncapped: profile.uncapped,
    },
    pause,
    consoles,
    drain_by: drainBy,
    sleep: engine?.lastSleep ?? null,
    in_flight: engine?.inFlight ?? [],
    settings,
    lights: {
      shop: engine
        ? engine.connection.cause
          ? red(engine.connection.cause)
          : green
        : grey('this console does not drain'),
      database: green,
      mail: mailLight(engine, pause),
    },
    skew_ms: Date.now() - outlook.nowMs,
    shape: {
      name: profile.shape,
      words: place.shop?.shape.words ?? null,
      books: place.shop?.together === false ? 'console' : 'shop',
    },
  };
}

const green: Light = { color: 'green', cause: null };
const red = (cause: string): Light => ({ color: 'red', cause });
const grey = (cause: string): Light => ({ color: 'grey', cause });

function mailLight(engine: Engine | null, pause: ShopStatus['pause']): Light {
  if (engine?.diskCause) return red(engine.diskCause);
  if (pause?.by === 'fault') return red(pause.reason);
  if (pause) return { color: 'amber', cause: pause.reason };
  return engine ? green : grey('this console does not drain');
}
