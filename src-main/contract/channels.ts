import { z } from 'zod';
import {
  type ConnectorLook,
  type ConnectorRemoved,
  type ConnectorReport,
  type ConnectorTables,
  connectorCalls,
} from './connector.ts';
import type { Desk, DeskEvents, DoctorStep, SchemaReport, TestMailReport } from './desk.ts';
import { logQuery, pauseOrder, resolution, selection } from './desk.ts';
import type { WireError } from './errors.ts';
import { type GuideStep, guideStep } from './guide.ts';
import {
  type FoundSite,
  type FoundTable,
  givenSecrets,
  type LookProgress,
  lookDraft,
  lookId,
  lookPart,
} from './look.ts';
import type { Acted, Prepared, RowFile, WaitingDelete } from './orders.ts';
import { orderToken, rowOrder } from './orders.ts';
import type { Overview } from './overview.ts';
import { type Preferences, preferences } from './preferences.ts';
import type {
  ActionResult,
  FilterCounts,
  LogLine,
  MailKind,
  MailType,
  QueueRow,
  RowDetail,
  RowId,
} from './rows.ts';
import { rowFilter, rowId, rowPage } from './rows.ts';
import { longestSecret, profileId, type SecretName, secretNames } from './secrets.ts';
import type { QueueState, Settings } from './settings.ts';
import type { LanePause, ShopStatus } from './status.ts';

/** A profile as the window sees it: `form` is the config file's JSON without any secret. */
export interface ProfileView {
  id: string;
  name: string;
  demo: boolean;
  /** where its guide stands; null = it is set up */
  guide: GuideStep | null;
  form: unknown;
  secrets: Record<SecretName, 'set' | 'not set'>;
  /** secrets that only a person can give now: no password store has kept them, or what it kept cannot be read */
  asks: SecretName[];
}

/** A form from a file, without any secret, to be looked at and saved by the person. */
export interface ImportedProfile {
  file: string;
  form: unknown;
}

/** Where a profile stands with its shop. */
export type ShopConnection =
  | { phase: 'closed' }
  | { phase: 'connecting' }
  | { phase: 'open' }
  | { phase: 'failed'; error: WireError };

export interface ProfileSummary {
  id: string;
  name: string;
  demo: boolean;
  /** where its guide stands; null = it is set up */
  guide: GuideStep | null;
  connection: ShopConnection;
}

export interface AppInfo {
  version: string;
  electron: string;
  platform: string;
  /** whether secrets can be kept at all on this machine; words when not */
  vault: { ok: true } | { ok: false; reason: string };
  /** tag of the language on screen */
  language: string;
  preferences: Preferences;
  /** the profile that was shown last, to be shown again */
  lastProfile: string | null;
}

/** A log that was written to a file. */
export interface LogExport {
  file: string;
  lines: number;
  /** it was stopped: the file has the newest lines alone */
  stopped: boolean;
}

/** A mail that the demo shop's mail server took. */
export interface DemoMail {
  /** ms since 1970 when the final dot was answered */
  at: number;
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  /** bytes */
  size: number;
}

const none = z.tuple([]);
const shop = z.tuple([profileId]);

/**
 * Every call from the window: its name, the schema of its arguments (parsed on the main side before anything
 * happens), and the type of its answer. The one list that preload, main and renderer share.
 */
export const calls = {
  'app:info': none,
  /** what is given is set, the rest stays */
  'app:save-preferences': z.tuple([preferences.partial()]),
  'app:open-link': z.tuple([z.url({ protocol: /^https?$/ }).max(2000)]),
  /** lets the person pick a file; the window learns its path and nothing of its content */
  'app:choose-file': z.tuple([z.enum(['private-key', 'certificate'])]),
  'profiles:list': none,
  'profiles:get': shop,
  /** id null = a new profile; form as in the config file, without secrets */
  'profiles:save': z.tuple([profileId.nullable(), z.unknown(), givenSecrets]),
  /** secrets alone, for a profile that asks for them; then it connects */
  'profiles:give-secrets': z.tuple([
    profileId,
    z.partialRecord(z.enum(secretNames), z.string().min(1).max(longestSecret)),
  ]),
  'profiles:remove': shop,
  /** keeps a form as far as the guide has filled it in; it need not be whole, and nothing is connected */
  'guide:keep': z.tuple([profileId.nullable(), z.unknown(), givenSecrets, guideStep]),
  /** connects with what was kept, which must be whole by now */
  'guide:connect': shop,
  /** notes where the guide stands; null = it is done */
  'guide:place': z.tuple([profileId, guideStep.nullable()]),
  /** asks where to, and writes the profile without its secrets */
  'profiles:export': shop,
  /** asks for a file, and reads a profile from it; nothing is saved */
  'profiles:import': none,
  /** queue tables of the form's database; needs its database (and ssh) alone */
  'look:tables': z.tuple([lookId, lookDraft]),
  /** WordPress sites on the form's server; needs its ssh alone */
  'look:sites': z.tuple([lookId, lookDraft]),
  /** the doctor on one part of a form, or on all of it */
  'look:doctor': z.tuple([lookId, lookDraft, lookPart]),
  /** closes every connection of that look, which then rejects with `stopped`; fine when it has ended already */
  'look:stop': z.tuple([lookId]),
  ...connectorCalls,
  'demo:open': none,
  'demo:inbox': z.tuple([z.number().int().min(1).max(500)]),
  'demo:order': z.tuple([z.number().int().min(1).max(1000)]),
  'shop:connect': shop,
  'shop:disconnect': shop,
  'shop:status': shop,
  'shop:overview': shop,
  'shop:enable': shop,
  'shop:disable': shop,
  /** this console drains alone from now on */
  'shop:take-over': shop,
  /** whoever drains shares the cap again */
  'shop:share-again': shop,
  'shop:pause': z.tuple([profileId, pauseOrder]),
  'shop:resume': shop,
  'shop:doctor': shop,
  /** a mail to oneself through the queue; takes as long as it takes to be sent */
  'shop:test-mail': z.tuple([profileId, z.email().max(320)]),
  /** takes a test mail that still waits out of the queue again */
  'shop:stop-test-mail': shop,
  /** what the shop's connector says of its mail types */
  'shop:mail-types': shop,
  'shop:schema': z.tuple([profileId, z.boolean()]),
  'queue:list': z.tuple([profileId, rowPage]),
  /** rows on screen, as they stand now */
  'queue:rows': z.tuple([profileId, z.array(rowId).max(1000)]),
  'queue:counts': z.tuple([profileId, rowFilter]),
  'queue:kinds': shop,
  'queue:show': z.tuple([profileId, rowId]),
  'queue:files': z.tuple([profileId, rowId, z.boolean()]),
  'queue:images': z.tuple([profileId, rowId]),
  /** fixes which rows an order touches; the token of the answer does it */
  'queue:prepare': z.tuple([profileId, selection, rowOrder]),
  'queue:act': z.tuple([profileId, orderToken]),
  'queue:waiting-deletes': shop,
  'queue:undo': z.tuple([profileId, orderToken]),
  'queue:retry': z.tuple([profileId, selection]),
  'queue:delete': z.tuple([profileId, selection]),
  'queue:resolve': z.tuple([profileId, rowId, resolution]),
  'log:list': z.tuple([profileId, logQuery]),
  'log:count': z.tuple([profileId, logQuery]),
  /** deletes in batches, until it is done or stopped */
  'log:clear': shop,
  /** asks where to, and writes all lines that match as CSV */
  'log:export': z.tuple([profileId, logQuery]),
  /** stops a clearing or an export that runs */
  'log:stop': shop,
  'settings:save': z.tuple([profileId, z.record(z.string(), z.unknown())]),
} as const;

export interface Answers {
  'app:info': AppInfo;
  'app:save-preferences': Preferences;
  'app:open-link': undefined;
  'app:choose-file': string | null;
  'profiles:list': ProfileSummary[];
  'profiles:get': ProfileView;
  'profiles:save': ProfileView;
  'profiles:give-secrets': undefined;
  'guide:keep': ProfileView;
  'guide:connect': undefined;
  'guide:place': undefined;
  'profiles:remove': undefined;
  /** where it was written; null when the person thought better of it */
  'profiles:export': string | null;
  'profiles:import': ImportedProfile | null;
  'look:tables': FoundTable[];
  'look:sites': FoundSite[];
  'look:doctor': DoctorStep[];
  'look:stop': undefined;
  'connector:status': ConnectorLook;
  'connector:install': ConnectorReport;
  'connector:tables': ConnectorTables;
  'connector:remove': ConnectorRemoved;
  'connector:stop': undefined;
  'demo:open': ProfileSummary;
  'demo:inbox': DemoMail[];
  /** makes the demo shop sell: n orders, each a mail into the queue */
  'demo:order': number;
  'shop:connect': ShopConnection;
  'shop:disconnect': ShopConnection;
  'shop:status': ShopStatus;
  'shop:overview': Overview;
  'shop:enable': QueueState;
  'shop:disable': QueueState;
  'shop:take-over': undefined;
  'shop:share-again': undefined;
  'shop:pause': LanePause;
  'shop:resume': undefined;
  'shop:doctor': DoctorStep[];
  'shop:test-mail': TestMailReport;
  'shop:stop-test-mail': undefined;
  'shop:mail-types': MailType[];
  'shop:schema': SchemaReport;
  'queue:list': Awaited<ReturnType<Desk['list']>> & { rows: QueueRow[] };
  'queue:rows': QueueRow[];
  'queue:counts': FilterCounts;
  'queue:kinds': MailKind[];
  'queue:show': RowDetail;
  'queue:files': RowFile[];
  'queue:images': Record<string, string>;
  'queue:prepare': Prepared;
  'queue:act': Acted;
  'queue:waiting-deletes': WaitingDelete[];
  /** false when it was too late */
  'queue:undo': boolean;
  'queue:retry': ActionResult;
  'queue:delete': ActionResult;
  'queue:resolve': undefined;
  'log:list': LogLine[];
  'log:count': number;
  /** how many were deleted */
  'log:clear': number;
  /** null when the person thought better of it */
  'log:export': LogExport | null;
  'log:stop': undefined;
  'settings:save': Settings;
}

export type CallName = keyof typeof calls;
/** Arguments as the window passes them (before defaults are filled in). */
export type CallArgs<N extends CallName> = z.input<(typeof calls)[N]>;
/** Arguments as the main side gets them, parsed. */
export type ParsedArgs<N extends CallName> = z.output<(typeof calls)[N]>;

/** What the main side tells the window unasked. */
export interface Signals {
  'shop:changed': { profile: string };
  'shop:connection': { profile: string; connection: ShopConnection };
  'shop:ended': { profile: string } & DeskEvents['ended'][0];
  /** the doctor's steps as they are done; the answer of `shop:doctor` holds them all */
  'shop:doctor-step': { profile: string; step: DoctorStep };
  /** why the test mail still waits */
  'shop:test-mail-waits': { profile: string; words: string };
  /** lines that are in the file so far, of how many */
  'log:export-progress': { profile: string; lines: number; of: number };
  /** what a look finds, or work on the connector is at, while it runs; the answer of its call holds it all */
  'look:progress': { look: string; progress: LookProgress };
  /** the window should show this place (a notification or the tray was clicked) */
  'window:show': {
    profile: string;
    screen: 'queue' | 'log' | 'settings';
    filter?: { state?: 'failed' | 'pending'; in_doubt?: boolean };
    /** a mail to be opened */
    row?: RowId;
  };
}

/** What the preload puts on `window.postroom`; the only door between window and main process. */
export interface Bridge {
  call<N extends CallName>(name: N, ...args: CallArgs<N>): Promise<import('./errors.ts').Reply<Answers[N]>>;
  on<S extends keyof Signals>(signal: S, listener: (data: Signals[S]) => void): () => void;
}
