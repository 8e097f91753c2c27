/**
 * Looking around before there is a profile: what an SSH login and a database hold, and whether a form's parts work. A look is
 * long, tells its progress, can be stopped, and changes nothing anywhere.
 */
import { z } from 'zod';
import type { DoctorStep } from './desk.ts';
import type { Layout, ShapeName } from './profile.ts';
import { longestSecret, profileId } from './secrets.ts';

/** Made by the window for each look, so that it can tell its steps apart and stop it. */
export const lookId = z.string().regex(/^[a-z0-9-]{1,64}$/);

/** Which part of a form a doctor's look is at. `all` needs the whole form, the others their own part (and ssh). */
export const lookParts = ['ssh', 'database', 'files', 'mail', 'all'] as const;
export const lookPart = z.enum(lookParts);
export type LookPart = z.infer<typeof lookPart>;

/** A password that the last look at the server's sites found: it stays with the main process, this stands for it. */
export const foundSecret = z.strictObject({ found: z.string().min(1).max(100) });
export type FoundSecret = z.infer<typeof foundSecret>;

const typedSecret = z.string().max(longestSecret).nullable();
/**
 * Secrets as the window gives them: typed, null = to be forgotten, absent = as the vault has it. A found one may only
 * stand for what it was found as: it must not be sent to another server as an SSH or mail password.
 */
export const givenSecrets = z.strictObject({
  'database.password': z.union([typedSecret, foundSecret]).optional(),
  'ssh.password': typedSecret.optional(),
  'ssh.passphrase': typedSecret.optional(),
  'smtp.password': typedSecret.optional(),
});
export type GivenSecrets = z.infer<typeof givenSecrets>;

/** A connection form as it stands. `profile` names the saved one it belongs to: its kept secrets fill in. */
export const lookDraft = z.strictObject({
  profile: profileId.nullable(),
  form: z.unknown(),
  secrets: givenSecrets,
});
export type LookDraft = z.infer<typeof lookDraft>;

/** A queue table that the database holds, by its columns, with the profile's fields that make it drainable. */
export interface FoundTable {
  shape: ShapeName;
  layout: Pick<Layout, 'table' | 'failedTable' | 'columns' | 'queues'>;
  /** the shop's table prefix, where the shape's tables go by it alone */
  prefix: string | null;
  /** what must be added before it can be drained: columns and tables, in the table's own names where they are known */
  missing: string[];
  /** why it cannot be drained although its columns are there */
  refused: string | null;
  /** about how many rows */
  rows: number;
  /** 1 = every column is there by its own name */
  score: number;
}

/**
 * A WordPress on the shop's server, as its wp-config.php tells. The password stays with the main process: `key` stands for it
 * when the profile is saved (`{ found: key }` in place of a typed secret).
 */
export interface FoundSite {
  key: string;
  /** folder of the site on the server, as the SSH login sees it */
  folder: string;
  /** its address, where the database could be asked */
  url: string | null;
  title: string | null;
  database: {
    host: string;
    port: number;
    socketPath: string | null;
    user: string;
    database: string;
    tablePrefix: string;
    hasPassword: boolean;
  };
  /** folder for the attachments below its uploads, as the SFTP login sees it */
  filesRoot: string;
  /** null = the database could not be asked; `problem` says why */
  tables: boolean | null;
  connector: boolean | null;
  problem: string | null;
  /** values of wp-config.php that could not be read for certain, in words ("DB_HOST comes from getenv") */
  notes: string[];
}

/** What a look tells while it runs: a step of the doctor's as it is done, or what it is at now. */
export type LookProgress = { step: DoctorStep } | { words: string };
