/** What the doctor asks a database server about itself, whatever tables it holds. */
import type { Database } from './database.ts';
import { type Finding, fromError } from './doctor-steps.ts';

/** ms of difference between two clocks that nobody needs to hear of; the network's own jitter is below */
const quietSkewMs = 5_000;
/** bytes: a row of a mail with a long text and many headers; attachments are files */
const usualRow = 4 * 1024 * 1024;
/** connections that a console has at most (its pool), and one for whoever looks on */
const ourConnections = 5;

export async function version(db: Database): Promise<Finding> {
  const { version: found, skipLocked } = await db.capabilities();
  if (db.dialect === 'sqlite' || skipLocked)
    return { color: 'green', found: skipLocked ? `${found}, with SKIP LOCKED.` : `${found}.` };
  return {
    color: 'amber',
    found: `${found}, without SKIP LOCKED. It works, with a little more waiting when several consoles drain.`,
    advice: 'MariaDB 10.6 or MySQL 8.0 and newer have it: ask the host for one of them when convenient.',
  };
}

export async function isolation(db: Database): Promise<Finding> {
  const rows = await db.query<{ Variable_name: string; Value: string }>(
    "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'tx_isolation', 'transaction_isolation')",
  );
  const value = (name: string) => rows.find((row) => row.Variable_name.toLowerCase() === name)?.Value ?? '';
  const level = value('transaction_isolation') || value('tx_isolation');
  const binlog =
    value('log_bin').toUpperCase() === 'ON' ? `binary log ${value('binlog_format')}` : 'no binary log';
  if (level === 'READ-COMMITTED') return { color: 'green', found: `READ COMMITTED, ${binlog}.` };
  return {
    color: 'amber',
    found: `${level.replace('-', ' ')}, ${binlog}: this log refuses READ COMMITTED, so that transactions wait for each other more often.`,
    advice: 'It works. Better is binlog_format=ROW or MIXED, which the host can set.',
  };
}

async function variables(db: Database, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ Variable_name: string; Value: string }>(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names.map(() => '?').join(', ')})`,
    names,
  );
  return new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
}

/** A replica, or a primary that is being handed over: it answers everything and takes no change (errors 1290, 1836). */
export async function writable(db: Database): Promise<Finding> {
  const on = await variables(db, ['read_only', 'super_read_only']);
  const closed = [...on].filter(([, value]) => /^(1|ON)$/i.test(value)).map(([name]) => name);
  if (closed.length === 0) return { color: 'green', found: 'It takes changes.' };
  return {
    color: 'red',
    found: `It is read-only (${closed.join(', ')}): nothing can be claimed there.`,
    advice:
      'A replica, or a failover that is going on: give the address of the primary server, or wait for the host to finish, then look again.',
  };
}

/** Our own sessions set theirs; what is global rules the shop's programs that write the rows. */
export async function sqlMode(db: Database): Promise<Finding> {
  const mode = (await variables(db, ['sql_mode'])).get('sql_mode') ?? '';
  if (/STRICT_(TRANS|ALL)_TABLES/.test(mode))
    return { color: 'green', found: 'Strict: what does not fit into a column is an error, not cut.' };
  return {
    color: 'amber',
    found: `Not strict (${mode || 'empty'}): what the shop's programs write is cut without a word where it does not fit, a mail's text too.`,
    advice:
      'Postroom itself always works strictly. Ask the host for STRICT_TRANS_TABLES, or see to it that the text column is LONGTEXT.',
  };
}

export async function limits(db: Database): Promise<Finding> {
  const all = await variables(db, ['max_allowed_packet', 'max_user_connections', 'max_connections']);
  const number = (name: string) => Number(all.get(name) ?? 0);
  const packet = number('max_allowed_packet');
  const mine = number('max_user_connections') || number('max_connections');
  const found = `A row may have ${Math.floor(packet / 1024 / 1024)} MB, this user ${mine} connections at a time.`;
  if (packet < usualRow)
    return {
      color: 'amber',
      found,
      advice: `A mail with a longer text than ${Math.floor(packet / 1024)} KB cannot be queued or read. Ask the host for max_allowed_packet = 16M.`,
    };
  if (mine > 0 && mine < ourConnections)
    return {
      color: 'amber',
      found,
      advice: `One console takes up to ${ourConnections - 1}, and the shop needs some itself. Ask the host for a higher max_user_connections.`,
    };
  return { color: 'green', found };
}

export async function clock(db: Database): Promise<Finding> {
  const sent = Date.now();
  const [row] = await db.query<{ now: number }>(
    "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS now",
  );
  const back = Date.now();
  if (!row) return fromError(new Error('the clock gave no answer'));
  const skewMs = Math.round((sent + back) / 2 - Number(row.now));
  const words = `This machine is ${Math.abs(skewMs) < 1_000 ? 'within a second of' : `${(Math.abs(skewMs) / 1000).toFixed(0)} s ${skewMs > 0 ? 'ahead of' : 'behind'}`} the database.`;
  if (Math.abs(skewMs) <= quietSkewMs) return { color: 'green', found: words };
  return {
    color: 'amber',
    found: `${words} Mail is not affected: only the database's clock counts.`,
    advice: 'Set this machine’s clock by the network, so that times on screen are right.',
  };
}
