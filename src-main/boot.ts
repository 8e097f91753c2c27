/**
 * Composition root: the only file that knows every room. The app and the command line open shops through it; the demo
 * shop (demo/shop.ts) stands on top of it. Its own folder holds what it is made of: the way to a shop, and looks along it.
 */
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { CheckUp } from './boot/check-up.ts';
import { examine } from './boot/looks.ts';
import { openWay, type Way } from './boot/way.ts';
import type { Desk, DeskEvents, DoctorStep, DrainSummary, TestMailReport } from './contract/desk.ts';
import { PostroomError } from './contract/errors.ts';
import type { Profile } from './contract/profile.ts';
import { makeDesk, seedFrom } from './engine/desk.ts';
import { Dots } from './engine/dots.ts';
import { drainSummary } from './engine/drain.ts';
import { Engine } from './engine/engine.ts';
import { takeIdentity } from './engine/identity.ts';
import { Journal, type JournalRhythm } from './engine/journal.ts';
import { SleepWatch } from './engine/sleep-watch.ts';
import { sendTestMail, type TestMailOptions } from './engine/test-mail.ts';
import { parseMailbox } from './mail/address.ts';
import type { Mailbox } from './mail/conversation.ts';
import { openPlace, type Place } from './queue/place.ts';
import { inspectSchema } from './queue/schema.ts';
import { shapeNamed } from './queue/shapes/index.ts';
import { type ConsoleBooks, openShopPlace } from './queue/shop-place.ts';
import type { Database } from './shop/database.ts';
import { NetworkWatch, ownAddresses } from './shop/network-watch.ts';
import { openSqlite } from './shop/sqlite.ts';

export {
  connectorStatus,
  connectorTables,
  installConnector,
  removeConnector,
} from './boot/connector.ts';
export { examineParts, examineShop, findTables } from './boot/looks.ts';
export { findSites } from './shop/sites/find-sites.ts';

/**
 * At hundreds of mails a second an fsync for each costs as much as the mail, and the database's own fsyncs wait for the
 * same disk. Where a minute's gate spaces the mails nothing waits.
 */
const quickRhythm: JournalRhythm = { writeMs: 4, syncMs: 25 };

export interface OpenOptions {
  /** folder of journal and identity of this profile */
  stateDir: string;
  /** how other consoles see this one */
  name: string;
  version: string;
  /** for the chaos suite: wraps the rooms' parts, so that a fault can be put at each point of a row's life */
  instrument?: {
    database?: (db: Database) => Database;
    journal?: (journal: Journal) => Journal;
    stopPatienceMs?: number;
  };
}

/** One shop, reached. Close it when done. */
export interface OpenedShop {
  profile: Profile;
  desk: Desk;
  events: EventEmitter<DeskEvents>;
  /** Starts worker, reaper, retention and heartbeat. @throws PostroomError schema | disk */
  startDraining(): Promise<void>;
  /** Resolves when nothing is pending or sending; rows that wait for a retry are waited for. */
  untilEmpty(signal?: AbortSignal): Promise<void>;
  /** Of this process's drain. */
  summary(): Promise<DrainSummary>;
  /** `network`: what still lives goes on, what is dead is found out; `resume`: everything is presumed dead */
  wake(reason: 'resume' | 'network' | 'manual'): void;
  /** the machine is about to sleep: gives back what has not reached the point of no return */
  suspend(): Promise<void>;
  doctor(onStep?: (step: DoctorStep) => void): Promise<DoctorStep[]>;
  /** One mail through the queue; this process must drain. @throws PostroomError usage | stopped */
  testMail(address: string, options?: TestMailOptions): Promise<TestMailReport>;
  /** Gives back what has not passed the point of no return, settles the rest. */
  close(): Promise<void>;
}

/**
 * Reaches a shop. Its tables need not be there yet: `desk.schema(true)` installs them.
 * @throws PostroomError config | unreachable | login | host-key
 */
export async function openShop(profile: Profile, options: OpenOptions): Promise<OpenedShop> {
  const from = parseMailbox(profile.from);
  if (!from.ok) throw new PostroomError('config', `from: ${from.reason}`);
  const way = openWay(profile, { wrap: options.instrument?.database });
  try {
    const place = await openQueue(profile, way, options);
    return assemble({ profile, options, way, place, sender: from.mailbox });
  } catch (error) {
    await way.close();
    throw error;
  }
}

/** The shop's queue: our own tables, or its own one with our books beside it. */
async function openQueue(profile: Profile, way: Way, options: OpenOptions): Promise<Place> {
  const { layout, database } = profile;
  const shape = shapeNamed(profile.shape);
  if (!shape) return openPlace(way.db, database.tablePrefix);
  return openShopPlace(way.db, database.tablePrefix, { shape, layout, books: consoleBooks(way, options) });
}

function consoleBooks(way: Way, { stateDir, instrument }: OpenOptions): ConsoleBooks {
  const wrap = instrument?.database ?? ((db: Database) => db);
  const file = path.join(stateDir, 'books.sqlite');
  let books: Database | null = null;
  way.also.push(async () => books?.close());
  return {
    exist: () => existsSync(file),
    open: () => {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      books = wrap(openSqlite(file));
      return books;
    },
    putAway: async () => {
      await books?.close();
      books = null;
      renameSync(file, path.join(stateDir, 'books.moved.sqlite'));
    },
  };
}

interface Parts {
  profile: Profile;
  options: OpenOptions;
  way: Way;
  place: Place;
  sender: Mailbox;
}

function assemble({ profile, options, way, place, sender }: Parts): OpenedShop {
  const events = new EventEmitter<DeskEvents>();
  const { ssh, mail, files } = way;
  let engine: Engine | null = null;
  let release: () => Promise<void> = async () => {};
  let startedMs = Date.now();
  let starting: Promise<void> | null = null;

  const wayLost = (cause: string) => engine?.wayLost(cause);
  ssh?.on('down', wayLost);

  const start = async () => {
    const { complete, tables } = await inspectSchema(place);
    if (!complete) {
      const lacking = tables.filter(
        (table) => !table.exists || table.missingColumns.length > 0 || table.missingKeys.length > 0,
      );
      throw new PostroomError(
        'schema',
        `The queue's tables are not complete (${lacking.map((table) => table.name).join(', ')}). Install them: "Install the tables" in Settings, or postroom schema --apply.`,
      );
    }
    await seedFrom(place, profile);
    const identity = await takeIdentity(options.stateDir);
    const opened = await Journal.open(identity.journalFile, profile.uncapped ? quickRhythm : undefined);
    const journal = options.instrument?.journal?.(opened) ?? opened;
    const dots = new Dots(identity.folder);
    release = async () => {
      await journal.close();
      dots.close();
      await identity.release();
    };
    const self = { id: identity.id, name: options.name, version: options.version };
    const { stateDir } = options;
    const patience = options.instrument?.stopPatienceMs;
    engine = new Engine({
      ...{ place, profile, sender, self, identity, stateDir, journal, dots, mail, files, events },
      ...(patience === undefined ? {} : { stopPatienceMs: patience }),
    });
    startedMs =
      (await place.db.query<{ now: number }>(`SELECT ${place.d.nowMs} AS now`))[0]?.now ?? startedMs;
    await engine.start();
    sleepWatch.start();
    networkWatch.start();
  };
  /** Connections that still live carry on, and mail whose answer may come is waited for. */
  const otherNetwork = () => {
    mail.refresh(ownAddresses());
    void (ssh?.nudge() ?? Promise.resolve()).then(() => engine?.wakeUp());
  };
  // a gap of the clocks may have other causes than sleep: nothing is cut before it was found dead
  const sleepWatch = new SleepWatch((ms) => {
    mail.refresh(ownAddresses());
    void (ssh?.nudge() ?? Promise.resolve()).then(() => engine?.woke(ms));
  });
  const networkWatch = new NetworkWatch(otherNetwork);

  const made = makeDesk({ place, profile, sender, files, events, engine: () => engine });
  const checkUp = new CheckUp((onStep) => examine(profile, way, { place, onStep }));
  const desk: typeof made = {
    ...made,
    enable: async () => {
      await checkUp.demandGood();
      return made.enable();
    },
  };
  return {
    profile,
    desk,
    events,
    startDraining: () => {
      starting ??= start().catch((error: unknown) => {
        starting = null;
        throw error;
      });
      return starting;
    },
    untilEmpty: async (signal) => {
      if (!engine) throw new PostroomError('bug', 'Expected startDraining to be called before untilEmpty');
      await engine.untilEmpty(signal);
    },
    summary: () => drainSummary(place, profile, engine, startedMs),
    wake: (reason) => {
      if (reason === 'manual') engine?.wake();
      else if (reason === 'network' || engine?.wokeLately) otherNetwork();
      else {
        mail.drop();
        // cut by ourselves: no loss to tell of
        ssh?.off('down', wayLost);
        ssh?.drop();
        ssh?.on('down', wayLost);
        void engine?.woke(null);
      }
    },
    suspend: async () => engine?.suspend(),
    doctor: (onStep) => checkUp.run(onStep),
    testMail: (address, how) => sendTestMail(desk, address, profile.name, how),
    close: async () => {
      sleepWatch.stop();
      networkWatch.stop();
      await desk.leave();
      // a start that waits for a lost database ends with its engine
      await engine?.stop();
      await starting?.catch(() => {});
      await engine?.stop();
      await release();
      await way.close();
    },
  };
}
