/** In which zone the shop's programs write their DATETIME columns, as far as the database can tell. */
import type { Queryable } from '../../shop/database.ts';
import type { Finding } from '../../shop/doctor-steps.ts';
import type { NamedTable, TableFacts } from './doctor-facts.ts';
import { quoted } from './shape.ts';

/** s that the newest row may be ahead of the clock: what a transaction and a mirror take, far below any zone's step */
const quietAheadS = 120;
const madeAt = ['created_at', 'criado_em'];

/** @param queue null = the table could not be read: only the clock is looked at */
export async function lookAtZone(
  db: Queryable,
  timeZone: string | null,
  queue: { table: NamedTable; facts: TableFacts } | null,
): Promise<Finding> {
  const [server] = await db.query<{ zone: string; system: string; wall: string; ahead: number }>(
    `SELECT @@global.time_zone AS zone, @@system_time_zone AS system, DATE_FORMAT(NOW(), '%Y-%m-%d %H:%i') AS wall,
       TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS ahead`,
  );
  const serverZone = String(server?.zone ?? 'SYSTEM');
  const zone = timeZone ?? serverZone;
  const offset = (at: string) => `TIMESTAMPDIFF(MINUTE, ${at}, CONVERT_TZ(${at}, '+00:00', ?))`;
  const [known] = await db.query<{ now: number | null; winter: number | null; summer: number | null }>(
    `SELECT ${offset('UTC_TIMESTAMP()')} AS now, ${offset("'2025-01-15 12:00:00'")} AS winter,
       ${offset("'2025-07-15 12:00:00'")} AS summer`,
    [zone, zone, zone],
  );
  if (known?.now == null)
    return {
      color: 'red',
      found: `The database does not know the zone ${zone} of layout.timeZone: no session can be opened with it.`,
      advice:
        'Correct the name; or ask the host to load the zones (mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql). An offset such as +01:00 always works, but has no summer time.',
    };
  const system = zone === 'SYSTEM' ? ` (${String(server?.system ?? '')})` : '';
  const words = `The time columns are read in ${zone}${system}, ${offsetWords(Number(known.now))}: now it is ${String(server?.wall)} there.`;
  if (Number(server?.ahead) !== Number(known.now))
    return {
      color: 'red',
      found: `The session's clock shows ${offsetWords(Number(server?.ahead))}, but ${zone} is ${offsetWords(Number(known.now))}.`,
      advice:
        'Something between here and the database changes time_zone of the session: a proxy, or init_connect.',
    };
  const aheadS = queue ? await newestAhead(db, queue) : 0;
  if (aheadS > quietAheadS)
    return {
      color: 'amber',
      found: `${words} The newest row was made ${Math.round(aheadS / 60)} min after that: its program writes the time of another zone.`,
      advice:
        'Write the zone of the program that fills the table into layout.timeZone, or mail leaves too late.',
    };
  const changes = known.winter !== known.summer;
  if (timeZone === null && zone === 'SYSTEM' && changes)
    return {
      color: 'amber',
      found: `${words} That is the zone of the server's machine, with summer time; the profile names none.`,
      advice:
        'Compare with the time that the shop writes into a new row. When it is the same, say so: "timeZone": "SYSTEM" in layout, or better the zone by its name; when not, name the zone of the program that fills the table.',
    };
  return { color: 'green', found: changes ? `${words} It has summer time.` : words };
}

/** s by which the newest row's making lies after now; 0 where nothing tells. A TIMESTAMP has no zone to be wrong about. */
async function newestAhead(
  db: Queryable,
  { table, facts }: { table: NamedTable; facts: TableFacts },
): Promise<number> {
  const made = madeAt.flatMap((name) => table.names.get(name) ?? [])[0];
  const id = table.names.get('id');
  if (!made || !id || !/^datetime/i.test(facts.columns.get(made.toLowerCase())?.type ?? '')) return 0;
  const [newest] = await db.query<{ s: number | null }>(
    `SELECT TIMESTAMPDIFF(SECOND, NOW(), ${quoted(made)}) AS s FROM ${quoted(table.name)} ORDER BY ${quoted(id)} DESC LIMIT 1`,
  );
  return Number(newest?.s ?? 0);
}

function offsetWords(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
