/**
 * The console that drains alone, where one has taken over from the others: a row of the settings table that it renews with its
 * heartbeat. The others see it in the statement with which they ask the gate, take no row, and finish what they hold. When it is
 * not renewed (that machine sleeps, or died) it counts for nothing, and they go on.
 */
import type { DrainBy } from '../contract/status.ts';
import type { SqlValue } from '../shop/database.ts';
import type { ConsoleSelf } from './consoles.ts';
import type { Place } from './place.ts';
import { fromJson, writeValue } from './settings-table.ts';

const name = 'drain_by';
/** s without a renewal after which it counts for nothing: three heartbeats */
const keptS = 180;

/** An expression for a SELECT: the row's value while it counts. */
export const drainBySql = (place: Place): string =>
  `(SELECT value FROM ${place.t.settings} WHERE name = '${name}' AND updated_at > ${place.d.nowS} - ${keptS})`;

export function toDrainBy(value: SqlValue | undefined): DrainBy | null {
  const found = fromJson(value) as Partial<DrainBy> | null | undefined;
  if (typeof found !== 'object' || found === null || typeof found.id !== 'string') return null;
  return { id: found.id, name: String(found.name ?? ''), since: Number(found.since ?? 0) };
}

export async function readDrainBy(place: Place): Promise<DrainBy | null> {
  const [row] = await place.db.query<{ value: SqlValue }>(`SELECT ${drainBySql(place)} AS value`);
  return toDrainBy(row?.value);
}

/** From now on this console drains alone. */
export async function takeOver(place: Place, self: ConsoleSelf): Promise<void> {
  const [clock] = await place.db.query<{ now: number }>(`SELECT ${place.d.nowS} AS now`);
  const value: DrainBy = { id: self.id, name: self.name.slice(0, 100), since: Number(clock?.now ?? 0) };
  await writeValue(place, name, { ...value, name: place.spell(value.name) });
}

/** Everybody drains again. With `id`: only if it is that console that drains alone. True when something changed. */
export async function shareAgain(place: Place, id?: string): Promise<boolean> {
  const now = await readDrainBy(place);
  if (!now || (id !== undefined && now.id !== id)) return false;
  await place.db.run(`DELETE FROM ${place.t.settings} WHERE name = '${name}'`);
  return true;
}

/** False when another console has taken over, or everybody drains again. */
export async function renewDrainBy(place: Place, id: string): Promise<boolean> {
  const now = await readDrainBy(place);
  if (now?.id !== id) return false;
  await place.db.run(`UPDATE ${place.t.settings} SET updated_at = ${place.d.nowS} WHERE name = '${name}'`);
  return true;
}
