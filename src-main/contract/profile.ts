import { z } from 'zod';
import { PostroomError } from './errors.ts';

/** Names that become part of SQL text: letters, digits, `_` and `$`, as MySQL has unquoted identifiers. */
export const identifier = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_$]*$/, 'may only hold letters, digits, _ and $');

const port = z.number().int().min(1).max(65_535);

const serverDatabase = z.strictObject({
  host: z.string().min(1),
  port: port.default(3306),
  /** unix socket on the shop's server, in place of host and port */
  socketPath: z.string().min(1).optional(),
  user: z.string().min(1),
  password: z.string().nullable().default(null),
  database: z.string().min(1).max(64),
  tablePrefix: identifier.default('wp_'),
  tls: z
    .union([z.boolean(), z.strictObject({ ca: z.string().optional(), verify: z.boolean().default(true) })])
    .default(false),
});
const fileDatabase = z.strictObject({
  /** path of the embedded SQLite database; one process at a time */
  file: z.string().min(1),
  tablePrefix: identifier.default('wp_'),
});
export type ServerDatabase = z.infer<typeof serverDatabase>;
export type FileDatabase = z.infer<typeof fileDatabase>;

const ssh = z.strictObject({
  host: z.string().min(1),
  port: port.default(22),
  user: z.string().min(1),
  privateKeyFile: z.string().nullable().default(null),
  passphrase: z.string().nullable().default(null),
  password: z.string().nullable().default(null),
  agent: z.boolean().default(false),
  /** pinned fingerprint, `SHA256:...`; null = not pinned yet, connecting is refused and the key is named */
  hostKey: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must look like SHA256:... (ssh-keygen -lf shows it)')
    .nullable()
    .default(null),
});
export type SshLogin = z.infer<typeof ssh>;

const files = z.strictObject({
  /** folder of the attachment folders, as the SFTP login (or this machine) sees it */
  root: z.string().min(1),
  via: z.enum(['sftp', 'local']).default('sftp'),
});
export type FilesPlace = z.infer<typeof files>;

const smtp = z.strictObject({
  host: z.string().min(1),
  port: port.default(587),
  security: z.enum(['tls', 'starttls', 'none']).default('starttls'),
  user: z.string().nullable().default(null),
  password: z.string().nullable().default(null),
  via: z.enum(['direct', 'tunnel']).default('direct'),
  connections: z.number().int().min(1).max(50).default(1),
  /** CA certificate file, for an own mail server whose certificate is not publicly signed */
  ca: z.string().optional(),
});
export type SmtpAccount = z.infer<typeof smtp>;

/** The four table layouts that Postroom drains. */
export const shapeNames = ['studiou-wcmq', 'wp-email-queue', 'jobs', 'email-jobs'] as const;
export type ShapeName = (typeof shapeNames)[number];

/** Where a shop's own queue table differs from its shape's usual one. Names become SQL text: identifiers only. */
const layout = z.strictObject({
  /** full name of the queue table, without the prefix rule of its shape */
  table: identifier.min(1).optional(),
  /** full name of the dead-letter table, where the shape has one */
  failedTable: identifier.min(1).optional(),
  /** the shape's name of a column -> this table's */
  columns: z.record(identifier.min(1), identifier.min(1)).default({}),
  /** named queues that carry mail (jobs); others are left alone */
  queues: z.array(z.string().min(1).max(200)).min(1).max(50).optional(),
  /** zone of the DATETIME columns, as MySQL takes it in time_zone; null = the server's own */
  timeZone: z
    .string()
    .regex(
      /^(?:SYSTEM|[+-]\d{2}:\d{2}|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*)$/,
      'must be SYSTEM, +01:00 or Europe/Prague',
    )
    .nullable()
    .default(null),
  /** where ledger, pace and log live: in the shop's database, or with this console alone; null = in the shop if they are there */
  books: z.enum(['shop', 'console']).nullable().default(null),
});
export type Layout = z.infer<typeof layout>;

/** How to reach one shop: the config file and a profile are the same thing (DESIGN section 6). */
export const profileSchema = z.strictObject({
  name: z.string().min(1).max(200),
  shape: z.enum(shapeNames).default('studiou-wcmq'),
  database: z.union([serverDatabase, fileDatabase]),
  /** other shapes than studiou-wcmq only */
  layout: layout.default({ columns: {}, timeZone: null, books: null }),
  ssh: ssh.nullable().default(null),
  files: files.nullable().default(null),
  smtp,
  /** sender: `Name <address>` or an address; its address is always MAIL FROM */
  from: z.string().min(3),
  /** true opens the minute gate (an own relay); hour and day caps still hold */
  uncapped: z.boolean().default(false),
  /** seeds of the settings table; what is in the table wins */
  settings: z.record(z.string(), z.unknown()).default({}),
});
export type Profile = z.infer<typeof profileSchema>;

export function isFileDatabase(database: Profile['database']): database is FileDatabase {
  return 'file' in database;
}

/** Every secret that a profile holds. */
export function secretsOf({ database, ssh, smtp }: SomeParts): (string | null)[] {
  return [
    !database || isFileDatabase(database) ? null : database.password,
    ssh?.password ?? null,
    ssh?.passphrase ?? null,
    smtp?.password ?? null,
  ];
}

/**
 * A profile from parsed JSON.
 * @throws PostroomError `config`, one line that names each wrong field in words.
 */
export function readProfile(json: unknown, source: string): Profile {
  return readProfilePart(profileSchema, json, source);
}

/** Parts of a profile that can be looked at while the rest of a form is empty or wrong. */
export const profileParts = {
  ssh: z.object({ ssh: profileSchema.shape.ssh }),
  /** only the way to the database: which queue it holds is what is asked */
  database: z.object({ database: profileSchema.shape.database }),
  queue: z.object({
    database: profileSchema.shape.database,
    shape: profileSchema.shape.shape,
    layout: profileSchema.shape.layout,
  }),
  files: z.object({ files: profileSchema.shape.files }),
  smtp: z.object({ smtp: profileSchema.shape.smtp }),
} as const;
/** Those parts of a profile that somebody looks at; the others are not there. */
export type SomeParts = Pick<Profile, 'ssh'> &
  Partial<Pick<Profile, 'database' | 'shape' | 'layout' | 'files' | 'smtp' | 'from'>>;

/**
 * One of profileParts from a form's JSON, whatever the rest of it holds.
 * @throws PostroomError `config`, one line that names each wrong field in words
 */
export function readProfilePart<T>(part: z.ZodType<T>, json: unknown, source: string): T {
  const parsed = part.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 4).map((issue) => {
    const where = issue.path.join('.') || 'the file';
    return `${where}: ${issue.code === 'invalid_union' ? describeUnion(json) : plainly(issue)}`;
  });
  throw new PostroomError('config', `${source} cannot be used: ${issues.join('; ')}`);
}

/** The commonest fault of a form, in fewer words than zod's. */
function plainly(issue: z.core.$ZodIssue): string {
  return issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1
    ? 'is empty'
    : issue.message;
}

/** zod only says "invalid input" for the two kinds of database: say which kind was meant and what it lacks. */
function describeUnion(json: unknown): string {
  const database = (json as { database?: unknown } | null)?.database;
  const asFile = typeof database === 'object' && database !== null && 'file' in database;
  const issue = (asFile ? fileDatabase : serverDatabase).safeParse(database).error?.issues[0];
  if (!issue) return 'invalid';
  return `${issue.path.join('.')}${issue.path.length ? ' ' : ''}${plainly(issue)}`;
}
