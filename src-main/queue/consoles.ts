/** Heartbeats: who drains this shop. The connector queues mail only while a console was able to send lately (DESIGN section 4). */
import type { ConsoleSeen } from '../contract/status.ts';
import type { Place } from './place.ts';

export interface ConsoleSelf {
  id: string;
  name: string;
  version: string;
}

/** Tells the others since when this console drains: one row of the settings table for each that does. */
export async function begin(place: Place, id: string): Promise<void> {
  await place.db.run(`DELETE FROM ${place.t.settings} WHERE name = ?`, [sinceName(id)]);
  await place.db.run(
    `${place.d.insertIgnore} ${place.t.settings} (name, value, updated_at) VALUES (?, 'true', ${place.d.nowS})`,
    [sinceName(id)],
  );
}

const sinceName = (id: string): string => `console:${id}`;

export async function beat(place: Place, self: ConsoleSelf, able: boolean): Promise<void> {
  const stamp = able ? `, able_at = ${place.d.nowS}` : '';
  const { matched } = await place.db.run(
    `UPDATE ${place.t.consoles} SET name = ?, version = ?, seen_at = ${place.d.nowS}${stamp} WHERE id = ?`,
    [place.spell(self.name.slice(0, 100)), self.version.slice(0, 40), self.id],
  );
  if (matched > 0) return;
  await place.db.run(
    `${place.d.insertIgnore} ${place.t.consoles} (id, name, version, seen_at, able_at)
     VALUES (?, ?, ?, ${place.d.nowS}, ${able ? place.d.nowS : 'NULL'})`,
    [self.id, place.spell(self.name.slice(0, 100)), self.version.slice(0, 40)],
  );
}

/** A console that goes says so: the shop need not wait for its timeout. */
export async function leave(place: Place, id: string): Promise<void> {
  await place.db.run(`UPDATE ${place.t.consoles} SET able_at = NULL WHERE id = ?`, [id]);
  await place.db.run(`DELETE FROM ${place.t.settings} WHERE name = ?`, [sinceName(id)]);
}

/** Consoles seen within the last hour, with the claims that they hold. */
export async function listConsoles(place: Place, self: string): Promise<ConsoleSeen[]> {
  const rows = await place.db.query(
    `SELECT c.id, c.name, c.version, c.seen_at, c.able_at,
       (SELECT COUNT(*) FROM ${place.t.attempts} a JOIN ${place.t.queue} q ON q.claim_id = a.claim_id AND q.id = a.queue_id
        WHERE a.console_id = c.id AND a.finished_ms IS NULL AND q.state = 'sending') AS holds
     FROM ${place.t.consoles} c WHERE c.seen_at > ${place.d.nowS} - 3600 ORDER BY c.seen_at DESC LIMIT 50`,
  );
  const begun = await place.db.query<{ name: string; at: number }>(
    `SELECT name, updated_at AS at FROM ${place.t.settings} WHERE name LIKE 'console:%'`,
  );
  const since = new Map(begun.map((row) => [String(row.name), Number(row.at)]));
  return rows.map((row) => ({
    id: String(row['id']),
    name: String(row['name']),
    version: String(row['version']),
    seen_at: Number(row['seen_at']),
    able_at: row['able_at'] == null ? null : Number(row['able_at']),
    since: since.get(sinceName(String(row['id']))) ?? null,
    holds: Number(row['holds']),
    self: row['id'] === self,
  }));
}

/** Forgets consoles that were not seen for a month. */
export async function pruneConsoles(place: Place): Promise<number> {
  const { matched } = await place.db.run(
    `DELETE FROM ${place.t.consoles} WHERE seen_at < ${place.d.nowS} - 2592000`,
  );
  // who died without a word is forgotten with its heartbeat
  await place.db.run(
    `DELETE FROM ${place.t.settings} WHERE name LIKE 'console:%' AND updated_at < ${place.d.nowS} - 2592000`,
  );
  return matched;
}
