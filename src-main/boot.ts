/**
 * Composition root: the only file that knows every room. The app and the command line open shops through it; the demo
 * shop (demo/shop.ts) stands on top of it.
 */
import { EventEmitter } from 'node:events';
import type { Desk, DeskEvents, DoctorStep, DrainSummary } from './contract/desk.ts';
import { PostroomError } from './contract/errors.ts';
import { isFileDatabase, type Profile } from './contract/profile.ts';
import { makeDesk, schemaVersion } from './engine/desk.ts';
import { drainSummary } from './engine/drain.ts';
import { Engine } from './engine/engine.ts';
import { takeIdentity } from './engine/identity.ts';
import { Journal } from './engine/journal.ts';
import { parseMailbox } from './mail/address.ts';
import { createMailServer } from './mail/deliver.ts';
import { openPlace } from './queue/place.ts';
import { inspectSchema } from './queue/schema.ts';
import { seedSettings } from './queue/settings-table.ts';
import type { Database } from './shop/database.ts';
import { runDoctor } from './shop/doctor.ts';
import { openFiles } from './shop/open-files.ts';
import { openMysql } from './shop/mysql.ts';
import { openSqlite } from './shop/sqlite.ts';
import { openSsh, type SshSession } from './shop/ssh.ts';


export interface OpenOptions {
  /** folder of journal and identity of this profile */
  stateDir: string;
  /** how other consoles see this one */
  name: string;
  version: string;
  /** for the chaos suite: wraps the rooms' parts, so that a fault can be put at each point of a row's life */
  instrument?: { database?: (db: Database) => Database; journal?: (journal: Journal) => Journal };
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
  wake(reason: 'resume' | 'network' | 'manual'): void;
  doctor(onStep?: (step: DoctorStep) => void): Promise<DoctorStep[]>;
  /** Gives back what has not passed the point of no return, settles the rest. */
  close(): Promise<void>;
}

/**
 * Reaches a shop. Its tables need not be there yet: `desk.schema(true)` installs them.
 * @throws PostroomError config | unreachable | login | host-key
 */
export async function openShop(profile: Profile, options: OpenOptions): Promise<OpenedShop> {
  if (profile.shape !== 'studiou-wcmq') {
    throw new PostroomError('config', `This version drains the shape studiou-wcmq only, not ${profile.shape}.`);
  }
  const from = parseMailbox(profile.from);
  if (!from.ok) throw new PostroomError('config', `from: ${from.reason}`);
  const ssh = profile.ssh ? await openSsh(profile.ssh) : null;
  let db: Database | null = null;
  try {
    db = openDatabase(profile, ssh);
    db = options.instrument?.database?.(db) ?? db;
    const place = await openPlace(db, profile.database.tablePrefix);
    const files = profile.files ? openFiles(profile.files, ssh) : null;
    return assemble({ profile, options, ssh, db, place, files, sender: from.mailbox });
  } catch (error) {
    await db?.close().catch(() => {});
    await ssh?.close();
    throw error;
  }
}

function openDatabase(profile: Profile, ssh: SshSession | null): Database {
  const { database } = profile;
  if (isFileDatabase(database)) return openSqlite(database.file);
  if (!ssh) return openMysql(database);
  const { host, port, socketPath } = database;
  return openMysql(database, { stream: () => (socketPath ? ssh.forwardSocket(socketPath) : ssh.forward(host, port)) });
}

interface Parts {
  profile: Profile;
  options: OpenOptions;
  ssh: SshSession | null;
  db: Database;
  place: Awaited<ReturnType<typeof openPlace>>;
  files: ReturnType<typeof openFiles> | null;
  sender: { name: string; address: string };
}

function assemble({ profile, options, ssh, db, place, files, sender }: Parts): OpenedShop {
  const events = new EventEmitter<DeskEvents>();
  const tunnel = ssh && profile.smtp.via === 'tunnel' ? ssh : null;
  const mail = createMailServer(profile.smtp, tunnel ? { openSocket: () => tunnel.forward(profile.smtp.host, profile.smtp.port) } : {});
  let engine: Engine | null = null;
  let release: () => Promise<void> = async () => {};
  let startedMs = Date.now();
  let starting: Promise<void> | null = null;

  const start = async () => {
    const { complete, tables } = await inspectSchema(place);
    if (!complete) {
      const lacking = tables.filter((table) => !table.exists || table.missingColumns.length > 0 || table.missingKeys.length > 0);
      throw new PostroomError(
        'schema',
        `The queue's tables are not complete (${lacking.map((table) => table.name).join(', ')}). Install them: "Install the tables" in Settings, or postroom schema --apply.`,
      );
    }
    await seedSettings(place, profile.settings, schemaVersion);
    const identity = await takeIdentity(options.stateDir);
    const opened = await Journal.open(identity.journalFile);
    const journal = options.instrument?.journal?.(opened) ?? opened;
    release = async () => {
      await journal.close();
      await identity.release();
    };
    const self = { id: identity.id, name: options.name, version: options.version };
    const { stateDir } = options;
    engine = new Engine({ place, profile, sender, self, identity, stateDir, journal, mail, files, events });
    startedMs = (await place.db.query<{ now: number }>(`SELECT ${place.d.clockMs} AS now`))[0]?.now ?? startedMs;
    await engine.start();
  };

  return {
    profile,
    desk: makeDesk({ place, profile, sender, files, events, engine: () => engine }),
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
      else {
        mail.drop();
        ssh?.drop();
        void engine?.wakeUp();
      }
    },
    doctor: (onStep) =>
      runDoctor(profile, { ssh, db, files, inspectSchema: () => inspectSchema(place), probeMail: () => mail.probe() }, onStep),
    close: async () => {
      await starting?.catch(() => {});
      await engine?.stop();
      await mail.close();
      await files?.close();
      await release();
      await db.close();
      await ssh?.close();
    },
  };
}
