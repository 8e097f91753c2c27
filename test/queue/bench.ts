/** A shop's tables in a fresh database, and short words to put rows into them and look at them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowId } from '../../src-main/contract/rows.ts';
import { decide, windowsOf } from '../../src-main/engine/gate.ts';
import { type Claim, type ClaimOrder, grantAndClaim } from '../../src-main/queue/claim.ts';
import { openPlace, type Place } from '../../src-main/queue/place.ts';
import { applySchema } from '../../src-main/queue/schema.ts';
import { seedSettings, writeValue } from '../../src-main/queue/settings-table.ts';
import { tableNames } from '../../src-main/queue/tables.ts';
import type { Database, SqlValue } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { openSqlite } from '../../src-main/shop/sqlite.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';

export interface Bench {
  /** what the queries of this room run in: on MariaDB a user with SELECT, INSERT, UPDATE and DELETE alone */
  place: Place;
  /** a second console's way to the same tables: another connection on MariaDB, the one writer on SQLite */
  other: Place;
  /** an empty database whose user may install tables; closed with the bench */
  empty(): Promise<Place>;
  close(): Promise<void>;
}

const prefix = 'wp_';

export async function sqliteBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-queue-'));
  const open: Database[] = [];
  const empty = () => {
    const db = openSqlite(join(folder, `shop-${open.length}.sqlite`));
    open.push(db);
    return openPlace(db, prefix);
  };
  const place = await empty();
  await applySchema(place);
  return {
    place,
    other: place,
    empty,
    async close() {
      for (const db of open) await db.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param sessionSql run on each new connection of the two places */
export async function mariadbBench(sessionSql: string[] = []): Promise<Bench> {
  const server = await sharedMariadb();
  const open: Database[] = [];
  const opened = async (config: Parameters<typeof openMysql>[0], onSessionSql: string[] = []) => {
    const db = openMysql(config, { onSessionSql });
    open.push(db);
    return openPlace(db, prefix);
  };
  const config = await makeDatabase(server);
  await applySchema(await opened(config));
  const modest = await makeDatabase(server, config.database, { rights: 'modest' });
  return {
    place: await opened(modest, sessionSql),
    other: await opened(modest, sessionSql),
    empty: async () => opened(await makeDatabase(server)),
    async close() {
      for (const db of open) await db.close();
    },
  };
}

/** Everything away, state enabled, default settings: how each test begins. */
export async function clear({ place }: Bench): Promise<void> {
  for (const name of tableNames) await place.db.run(`DELETE FROM ${place.t[name]}`);
  await place.db.run(`INSERT INTO ${place.t.pace} (id, last_start_ms) VALUES (1, 0)`);
  await seedSettings(place, {}, 1);
  await writeValue(place, 'state', 'enabled');
}

/** s since 1970 by the database's clock. */
export async function nowS(place: Place): Promise<number> {
  const [row] = await place.db.query<{ now: SqlValue }>(`SELECT ${place.d.nowS} AS now`);
  return Number(row?.now);
}

const payload = (to: unknown) =>
  JSON.stringify({ to, subject: 'Hello', message: 'Text', headers: '', attachments: [] });

/** One row, pending and due unless `columns` say otherwise. Columns whose names end in `_at` are s *before* now. */
export async function put(place: Place, columns: Record<string, SqlValue> = {}): Promise<number> {
  const row: Record<string, SqlValue> = {
    context: 'customer_completed_order',
    recipient: 'anna@example.test',
    subject: 'Hello',
    payload: payload('anna@example.test'),
    scheduled_at: 60,
    created_at: 60,
    ...columns,
  };
  const names = Object.keys(row);
  const value = (name: string) => (name.endsWith('_at') && row[name] !== null ? `${place.d.nowS} - ?` : '?');
  const { insertId } = await place.db.run(
    `INSERT INTO ${place.t.queue} (${names.join(', ')}) VALUES (${names.map(value).join(', ')})`,
    names.map((name) => row[name] ?? null),
  );
  return insertId;
}

export const mailTo = (...recipients: string[]) => payload(recipients);

/** A row as it stands; times in s, numbers as numbers. */
export async function get(place: Place, id: RowId): Promise<Record<string, SqlValue>> {
  const [row] = await place.db.query(`SELECT * FROM ${place.t.queue} WHERE id = ?`, [id]);
  if (!row) throw new Error(`row ${id} is gone`);
  return row;
}

export async function exists(place: Place, id: RowId): Promise<boolean> {
  return (await place.db.query(`SELECT id FROM ${place.t.queue} WHERE id = ?`, [id])).length > 0;
}

/** Ledger line; `*_ms` are ms *before* now, null stays null. */
export async function putLine(place: Place, columns: Record<string, SqlValue> = {}): Promise<number> {
  const line: Record<string, SqlValue> = {
    queue_id: 0,
    claim_id: randomUUID(),
    started_ms: 1000,
    recipients: 1,
    ...columns,
  };
  const names = Object.keys(line);
  const value = (name: string) =>
    name.endsWith('_ms') && line[name] !== null ? `${place.d.nowMs} - ?` : '?';
  const { insertId } = await place.db.run(
    `INSERT INTO ${place.t.attempts} (${names.join(', ')}) VALUES (${names.map(value).join(', ')})`,
    names.map((name) => line[name] ?? null),
  );
  return insertId;
}

export async function linesOf(place: Place, id: RowId): Promise<Record<string, SqlValue>[]> {
  return place.db.query(`SELECT * FROM ${place.t.attempts} WHERE queue_id = ? ORDER BY id`, [id]);
}

export async function logText(place: Place): Promise<string> {
  const rows = await place.db.query<{ message: string; level: string }>(
    `SELECT level, message FROM ${place.t.log} ORDER BY id`,
  );
  return rows.map((row) => `${row.level}: ${row.message}`).join('\n');
}

/** Lets time pass for one row: its claim is so many s old. */
export async function ageClaim(place: Place, id: RowId, seconds: number): Promise<void> {
  await place.db.run(`UPDATE ${place.t.queue} SET claimed_at = ${place.d.nowS} - ? WHERE id = ?`, [
    seconds,
    id,
  ]);
}

/** Opens the interval: the last start was long ago. */
export async function restPace(place: Place): Promise<void> {
  await place.db.run(`UPDATE ${place.t.pace} SET last_start_ms = 0 WHERE id = 1`);
}

export interface OrderChange {
  consoleId?: string;
  most?: number;
  uncapped?: boolean;
  newMessageId?: ClaimOrder['newMessageId'];
}

/** A claim as the worker asks for it, with the real gate; only reading the payload is done in a few words here. */
export function order(change: OrderChange = {}): ClaimOrder {
  const uncapped = change.uncapped ?? false;
  return {
    consoleId: change.consoleId ?? 'console-one',
    most: change.most ?? 1,
    read(candidate) {
      try {
        const { to } = JSON.parse(candidate.payload) as { to?: unknown };
        const recipients = Array.isArray(to) ? to.length : typeof to === 'string' ? 1 : 0;
        return recipients > 0 ? { ok: true, recipients } : { ok: false, reason: 'it has no recipient' };
      } catch (error) {
        return { ok: false, reason: `its payload cannot be read: ${String(error)}` };
      }
    },
    newMessageId: change.newMessageId ?? (() => `<${randomUUID()}@postroom.test>`),
    newClaimId: randomUUID,
    windows: (settings) => windowsOf(settings, uncapped),
    decide: (facts, started, recipients) => decide(facts, started, recipients, uncapped),
  };
}

/** Takes the first row whatever the interval says. */
export async function claimOne(place: Place, change: OrderChange = {}): Promise<Claim> {
  const { claims } = await grantAndClaim(place, order({ uncapped: true, ...change }));
  const [claim] = claims;
  if (!claim) throw new Error('nothing was there to claim');
  return claim;
}
