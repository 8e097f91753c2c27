/** The shop connector as seen from the console: what of it lies in a shop, and what putting it in or taking it out is asked for. */
import { z } from 'zod';
import { lookId } from './look.ts';
import { profileId } from './secrets.ts';

/** Folder of a WordPress on the shop's server, as the SSH login sees it; null = the one that the profile means. */
const folder = z.string().min(1).max(1_000).nullable();

export const connectorOrder = z.strictObject({
  folder,
  /** files that somebody changed in the shop are replaced or deleted */
  replaceChanged: z.boolean().default(false),
  /** the server's `php` is too old, but the web server runs another one */
  anyPhp: z.boolean().default(false),
});
export type ConnectorOrder = z.infer<typeof connectorOrder>;

export const connectorRemoval = z.strictObject({
  folder,
  replaceChanged: z.boolean().default(false),
  /** the queue's tables go as well, with the attachments and the two options that belong to them */
  tables: z.boolean().default(false),
  /** even while mail waits in them, which then never leaves */
  withWaiting: z.boolean().default(false),
});
export type ConnectorRemoval = z.infer<typeof connectorRemoval>;

const looked = z.tuple([lookId, profileId]);
/** Arguments of the window's calls. */
export const connectorCalls = {
  'connector:status': z.tuple([lookId, profileId, folder]),
  'connector:install': z.tuple([lookId, profileId, connectorOrder]),
  /** which tables there are, with their rows: what a removal with tables would delete */
  'connector:tables': looked,
  'connector:remove': z.tuple([lookId, profileId, connectorRemoval]),
  /** stops what runs under that name before it has touched anything; what is being put in place is finished first */
  'connector:stop': z.tuple([lookId]),
} as const;

/**
 * `absent`: nothing of it; `partial`: it lacks files, so that WordPress loads nothing of it or not all;
 * `current`: as this console brings it; `older`, `newer`: another version, whole.
 */
export type ConnectorState = 'absent' | 'partial' | 'current' | 'older' | 'newer';

/** A file of the shop's connector that is not as it was installed. Names are relative to the must-use plugins. */
export interface ConnectorOddity {
  name: string;
  /** `unknown`: of a version whose files this console does not know */
  how: 'changed' | 'added' | 'link' | 'unknown';
}

export interface ConnectorSite {
  /** folder of WordPress */
  folder: string;
  /** folder of the must-use plugins */
  plugins: string;
  wordpress: string | null;
  woocommerce: string | null;
  /** `web`: what the site's .htaccess chooses; `shell`: what the login's command line runs */
  php: { version: string; of: 'web' | 'shell' } | null;
}

export interface ConnectorReport {
  site: ConnectorSite;
  state: ConnectorState;
  /** as installed; null when nothing says it */
  version: string | null;
  /** what this console brings */
  offered: string;
  /** changed in the shop by somebody else: kept unless one says otherwise */
  odd: ConnectorOddity[];
  missing: string[];
  /** what an interrupted run left aside; harmless, cleaned by the next install or remove */
  leftovers: string[];
  /** why it cannot be installed there, in words; `php` may be overruled */
  obstacles: { what: 'php' | 'wordpress' | 'newer'; words: string }[];
  /** what a person should know, in words */
  notes: string[];
}

/** Several WordPress sites and nothing that says which is meant. */
export interface ConnectorChoice {
  folders: string[];
}
export type ConnectorLook = ConnectorReport | ConnectorChoice;

export interface ConnectorTable {
  name: string;
  rows: number;
}
export interface ConnectorTables {
  tables: ConnectorTable[];
  /** mails that wait or are being sent */
  waiting: number;
}

export interface ConnectorRemoved {
  report: ConnectorReport;
  /** false when there was nothing of it */
  removed: boolean;
  /** what was dropped, with the rows that it had; null = not asked for */
  dropped: ConnectorTable[] | null;
  /** what stays in the shop, in words */
  stays: string[];
}
