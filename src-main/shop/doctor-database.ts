import type { SchemaReport } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import { isFileDatabase, type Profile } from '../contract/profile.ts';
import type { Database } from './database.ts';
import { clock, isolation, limits, sqlMode, version, writable } from './doctor-server.ts';
import type { Finding, Steps } from './doctor-steps.ts';

/** What only the room above knows: which tables there must be. */
export interface QueueParts {
  /** queue/ knows what the tables must be */
  inspectSchema(): Promise<SchemaReport>;
  /** for a shop whose queue table is its own: steps of its own in place of those on our tables; answers the tables there are */
  lookAtQueue?: ((steps: Steps, login: string) => Promise<string[]>) | undefined;
  /** whether a key serves the claim; where it is no part of `lookAtQueue` */
  lookAtClaim?: (() => Promise<Finding>) | undefined;
}

/** The database's part of the doctor. Reads only: the dry runs match no row by construction. */
export async function lookAtDatabase(
  steps: Steps,
  profile: Pick<Profile, 'database'>,
  db: Database,
  { inspectSchema, lookAtQueue, lookAtClaim }: QueueParts,
): Promise<void> {
  const server = !isFileDatabase(profile.database);
  let reached: unknown = null;
  await steps.run(
    'database.reach',
    server ? 'Database answers' : 'Database file opens',
    ['ssh.login', 'ssh.forward'],
    async () => {
      reached = await db.ping().then(
        () => null,
        (error: unknown) => error,
      );
      // a refused login is an answer
      if (reached !== null && !(server && reached instanceof PostroomError && reached.code === 'login'))
        throw reached;
      return { color: 'green', found: 'It answers.' };
    },
  );
  if (server) {
    await steps.run('database.login', 'Database login', ['database.reach'], async () => {
      if (reached !== null) throw reached;
      return { color: 'green', found: 'The login works.' };
    });
  }
  const login = server ? 'database.login' : 'database.reach';
  await steps.run('database.version', 'Database version', [login], () => version(db));
  if (server) {
    await steps.run('database.isolation', 'Transactions and binary log', [login], () => isolation(db));
    await steps.run('database.writable', 'Database takes changes', [login], () => writable(db));
    await steps.run('database.mode', 'SQL mode', [login], () => sqlMode(db));
    await steps.run('database.limits', 'Limits of the database', [login], () => limits(db));
  }

  let existing: string[] = [];
  if (lookAtQueue) existing = await lookAtQueue(steps, login);
  else
    await steps.run('database.tables', 'Queue tables and columns', [login], async () => {
      const report = await inspectSchema();
      existing = report.tables.filter((table) => table.exists).map((table) => table.name);
      return tables(report);
    });
  if (lookAtClaim)
    await steps.run('database.claim-key', 'Key that serves the claim', ['database.tables'], lookAtClaim);
  if (server) {
    await steps.run('database.rights', 'Rights of the database user', [login], () => rights(db, existing));
    if (!lookAtQueue)
      await steps.run('database.charset', 'Characters (utf8mb4)', [login], () => charset(db, existing));
    await steps.run('database.clock', 'Clock of the database', [login], () => clock(db));
  }
}

function tables(report: SchemaReport): Finding {
  if (report.complete) return { color: 'green', found: `All ${report.tables.length} tables are there.` };
  const lacks = report.tables.flatMap((table) => {
    if (!table.exists) return [table.name];
    return [
      ...table.missingColumns.map((column) => `${table.name}.${column}`),
      ...table.missingKeys.map((key) => `key ${key} of ${table.name}`),
    ];
  });
  return {
    color: 'red',
    found: `Missing: ${lacks.slice(0, 8).join(', ')}${lacks.length > 8 ? ` and ${lacks.length - 8} more` : ''}.`,
    advice: 'Install the tables: "Install the tables" in Settings, or postroom schema --apply.',
  };
}

/** Each of the four rights is asked for on each table, by a statement that can touch no row. */
async function rights(db: Database, names: readonly string[]): Promise<Finding> {
  if (names.length === 0) return grantsOnDatabase(db);
  const lacking = new Map<string, string[]>();
  for (const name of names) {
    const [first] = await db.query<{ name: string }>(
      'SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION LIMIT 1',
      [name],
    );
    if (!first) {
      lacking.set('SELECT', [...(lacking.get('SELECT') ?? []), name]);
      continue;
    }
    const table = `\`${name.replaceAll('`', '``')}\``;
    const column = `\`${first.name.replaceAll('`', '``')}\``;
    const dryRuns = {
      SELECT: `SELECT ${column} FROM ${table} WHERE 1 = 0`,
      INSERT: `INSERT INTO ${table} SELECT * FROM ${table} WHERE 1 = 0`,
      UPDATE: `UPDATE ${table} SET ${column} = ${column} WHERE 1 = 0`,
      DELETE: `DELETE FROM ${table} WHERE 1 = 0`,
    };
    for (const [right, sql] of Object.entries(dryRuns)) {
      const attempt = right === 'SELECT' ? db.query(sql) : db.run(sql);
      const error = await attempt.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error instanceof PostroomError && error.code === 'rights')
        lacking.set(right, [...(lacking.get(right) ?? []), name]);
      else if (error) throw error;
    }
  }
  if (lacking.size === 0)
    return { color: 'green', found: 'SELECT, INSERT, UPDATE and DELETE on all queue tables.' };
  const found = [...lacking].map(([right, on]) => `${right} on ${on.join(', ')}`).join('; ');
  return {
    color: 'red',
    found: `Missing: ${found}.`,
    advice: `Ask the host for: GRANT SELECT, INSERT, UPDATE, DELETE on this database. No more is needed to send.`,
  };
}

/** Without tables the dry runs have nothing to run on: look whether the tables could be made. */
async function grantsOnDatabase(db: Database): Promise<Finding> {
  const rows = await db.query<Record<string, string>>('SHOW GRANTS');
  const grants = rows.map((row) => Object.values(row)[0] ?? '').join('\n');
  if (/\bALL PRIVILEGES\b|\bCREATE\b(?! )/i.test(grants))
    return { color: 'green', found: 'The user may create the tables.' };
  return {
    color: 'amber',
    found: 'The user may not create tables.',
    advice:
      'Let a user with CREATE, ALTER and INDEX install the tables once (postroom schema prints the statements); to send, SELECT, INSERT, UPDATE, DELETE are enough.',
  };
}

async function charset(db: Database, names: readonly string[]): Promise<Finding> {
  if (names.length === 0) return { color: 'grey', found: 'No tables to look at yet.' };
  const narrow = await db.query<{ place: string }>(
    `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME, ' is ', CHARACTER_SET_NAME) AS place FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${names.map(() => '?').join(', ')})
        AND CHARACTER_SET_NAME NOT IN ('utf8mb4', 'ascii', 'binary') ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    names,
  );
  if (narrow.length === 0) return { color: 'green', found: 'All text columns are utf8mb4.' };
  return {
    color: 'red',
    found: `${narrow
      .slice(0, 4)
      .map((row) => row.place)
      .join(
        ', ',
      )}${narrow.length > 4 ? ` and ${narrow.length - 4} more` : ''}: a subject with an emoji cannot be stored there (error 1366, or "?" in its place).`,
    advice: `Convert each table: ALTER TABLE name CONVERT TO CHARACTER SET utf8mb4. Take a backup first.`,
  };
}
