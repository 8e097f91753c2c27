/** The settings table: state, settings, schema version, mail types. JSON values, written by the console and the shop. */
import type { MailType } from '../contract/rows.ts';
import { type QueueState, readSettings, readState, type Settings } from '../contract/settings.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import type { Place } from './place.ts';
import { shopSide } from './shop-rows.ts';

/** A JSON column's value, whichever way the driver gives it: MySQL decodes JSON columns itself, MariaDB's is text. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value; // a bare word, written by hand
  }
}

/** One stored value, undefined where there is none. */
export async function readValue(place: Place, name: string, on: Queryable = place.db): Promise<unknown> {
  const rows = await on.query<{ value: SqlValue }>(`SELECT value FROM ${place.t.settings} WHERE name = ?`, [
    name,
  ]);
  return rows[0] === undefined ? undefined : fromJson(rows[0].value);
}

export async function readStateAndSettings(place: Place): Promise<{ state: QueueState; settings: Settings }> {
  const rows = await place.db.query<{ name: string; value: SqlValue }>(
    `SELECT name, value FROM ${place.t.settings} WHERE name IN ('state', 'settings')`,
  );
  const stored = new Map(rows.map((row) => [row.name, fromJson(row.value)]));
  return { state: readState(stored.get('state')), settings: readSettings(stored.get('settings')) };
}

export async function writeValue(
  place: Place,
  name: string,
  value: unknown,
  on: Queryable = place.db,
): Promise<void> {
  const json = JSON.stringify(value);
  const { matched } = await on.run(
    `UPDATE ${place.t.settings} SET value = ?, updated_at = ${place.d.nowS} WHERE name = ?`,
    [json, name],
  );
  if (matched === 0) {
    await on.run(
      `${place.d.insertIgnore} ${place.t.settings} (name, value, updated_at) VALUES (?, ?, ${place.d.nowS})`,
      [name, json],
    );
  }
}

/** Writes what is missing and leaves what is there: the table's own values win over a config file's seeds. */
export async function seedSettings(
  place: Place,
  seeds: Record<string, unknown>,
  schemaVersion: number,
): Promise<void> {
  const insert = (name: string, value: unknown) =>
    place.db.run(
      `${place.d.insertIgnore} ${place.t.settings} (name, value, updated_at) VALUES (?, ?, ${place.d.nowS})`,
      [name, JSON.stringify(value)],
    );
  await insert('state', 'disabled');
  await insert('settings', readSettings(seeds));
  await insert('schema_version', schemaVersion);
}

/** Merges a patch into the stored settings and returns them as sanitised. */
export async function mergeSettings(place: Place, patch: Record<string, unknown>): Promise<Settings> {
  return place.db.transaction(async (tx) => {
    const rows = await tx.query<{ value: SqlValue }>(
      `SELECT value FROM ${place.t.settings} WHERE name = 'settings'${place.d.forUpdate}`,
    );
    const before = rows[0] === undefined ? {} : fromJson(rows[0].value);
    const merged = readSettings({ ...(typeof before === 'object' ? before : {}), ...patch });
    await writeValue(place, 'settings', merged, tx);
    return merged;
  });
}

/**
 * Moves the state along one edge of its machine; false when it stood elsewhere meanwhile.
 * `onlyWhenEmpty` guards draining -> disabled: never while a row is pending or sending (plan section 7).
 */
export async function moveState(
  place: Place,
  from: readonly QueueState[],
  to: QueueState,
  onlyWhen: 'empty' | 'waiting' | 'always' = 'always',
): Promise<boolean> {
  return place.db.transaction(async (tx) => {
    const rows = await tx.query<{ value: SqlValue }>(
      `SELECT value FROM ${place.t.settings} WHERE name = 'state'${place.d.forUpdate}`,
    );
    const now = readState(rows[0] === undefined ? undefined : fromJson(rows[0].value));
    if (!from.includes(now)) return false;
    if (onlyWhen !== 'always') {
      const states = place.shop ? "('sending')" : "('pending', 'sending')";
      const [found] = await tx.query<{ n: number }>(
        `SELECT EXISTS (SELECT 1 FROM ${place.t.queue} WHERE state IN ${states}) AS n`,
      );
      const due = place.shop ? await place.shop.table.nextDue(shopSide(place.shop, tx)) : null;
      const waits = Boolean(found?.n) || due !== null;
      if ((onlyWhen === 'empty') === waits) return false;
    }
    await writeValue(place, 'state', to, tx);
    return true;
  });
}

/** The shop's mail types, as its connector wrote them; what is none is left out. */
export async function readMailTypes(place: Place): Promise<MailType[]> {
  const stored = await readValue(place, 'email_types');
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one: unknown): MailType[] => {
    const { id, title } = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
    return typeof id === 'string' && id !== '' ? [{ id, title: typeof title === 'string' ? title : '' }] : [];
  });
}
