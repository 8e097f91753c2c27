/**
 * The doctor's look at a shop's own queue table, in place of the one at our tables. It reads only; what it finds is words
 * and statements for a person, and a step that cannot be looked at leaves the others running.
 */
import type { Layout } from '../../contract/profile.ts';
import type { Database } from '../../shop/database.ts';
import type { Finding, Steps } from '../../shop/doctor-steps.ts';
import { openPlace, type Place } from '../place.ts';
import { inspectSchema } from '../schema.ts';
import { counted, type NamedTable, readTable, some, type TableFacts, tablesOf } from './doctor-facts.ts';
import {
  type Both,
  columnsLacking,
  lookAtCharset,
  lookAtClaimKey,
  lookAtDeadLetters,
  lookAtQueueTable,
} from './doctor-tables.ts';
import { lookAtZone } from './doctor-zone.ts';
import { namesOf } from './jobs-names.ts';
import type { Shape } from './shape.ts';

export interface ShapeLook {
  db: Database;
  prefix: string;
  layout: Layout;
  shape: Shape;
  /** all that there are, to name other tables */
  shapes: readonly Shape[];
  /** the shop's place where it is open: it knows its own claims */
  place: Place | null;
}

/** held rows that are looked at */
const mostHeld = 500;
const tableStep = 'database.tables';

/**
 * @param login id of the step without which nothing can be asked
 * @returns tables that exist, for the look at the rights
 */
export async function lookAtShape(steps: Steps, login: string, look: ShapeLook): Promise<string[]> {
  const { db, prefix, layout, shape, shapes } = look;
  const tables = tablesOf(shape, prefix, layout, db.dialect);
  const facts = new Map<NamedTable, TableFacts | null>();
  const queue = tables.find(({ role }) => role === 'queue') as NamedTable;
  const dead = tables.find(({ role }) => role === 'failed');
  const existing: string[] = [];

  await steps.run(tableStep, 'Queue table and columns', [login], async () => {
    for (const table of tables) {
      facts.set(table, await readTable(db, table.name));
      if (facts.get(table)) existing.push(table.name);
    }
    return lookAtQueueTable(db, shape, queue, facts.get(queue) ?? null, shapes);
  });
  // only asked where the step above was not red
  const own = () => ({ table: queue, facts: facts.get(queue) as TableFacts });
  if (dead)
    await steps.run('database.dead-letters', 'Table of failed mails', [tableStep], async () => {
      const both: Both = { queue: own(), dead: { table: dead, facts: facts.get(dead) ?? null } };
      return lookAtDeadLetters(db, shape, shapes, both);
    });
  await steps.run('database.claim-key', 'Key that serves the claim', [tableStep], async () =>
    lookAtClaimKey(db, own()),
  );
  if (db.dialect === 'mysql') {
    await steps.run('database.charset', 'Characters (utf8mb4)', [tableStep], async () =>
      lookAtCharset(
        tables.flatMap((table) => {
          const found = facts.get(table);
          return found ? [{ table, facts: found }] : [];
        }),
      ),
    );
    await steps.run('database.zone', 'Zone of the time columns', [login], () => {
      const found = facts.get(queue);
      const readable = found && columnsLacking(queue, found)?.length === 0;
      return lookAtZone(db, layout.timeZone, readable ? { table: queue, facts: found } : null);
    });
  }
  const books: Books = { inShop: null, complete: false };
  await steps.run('database.books', 'Where the books lie', [login], () => lookAtBooks(look, books, existing));
  await steps.run('database.held', 'Rows in other hands', [tableStep], () => lookAtHeld(look, books));
  if (shape.name === 'jobs') {
    await steps.run('database.not-mail', 'Rows that are no mail', [tableStep], () => lookAtForeign(look));
    await steps.run('database.queues', 'Other queues of the table', [tableStep], () => lookAtQueues(look));
  }
  return existing;
}

interface Books {
  /** the place of our books in the shop's database, whether or not they are there */
  inShop: Place | null;
  complete: boolean;
}

async function lookAtBooks(look: ShapeLook, books: Books, existing: string[]): Promise<Finding> {
  const { db, prefix, layout, shape } = look;
  const table = shape.open(prefix, layout, db.dialect);
  // nothing is claimed with it: no lease
  const rows = { shape, table, db, leaseS: 0, together: true, offered: null };
  books.inShop = await openPlace(db, prefix, rows);
  const report = await inspectSchema(books.inShop);
  books.complete = report.complete;
  const there = report.tables.filter(({ exists }) => exists).map(({ name }) => name);
  existing.push(...there);
  const offer =
    'postroom schema shows the tables that would be added to the shop’s database, schema --apply adds them';
  const cost =
    'so two consoles cannot share the cap, and after the loss of this machine nobody knows which of its held rows may have left: each is then in doubt, for a person to settle';
  if ((layout.books ?? (report.complete ? 'shop' : 'console')) === 'shop') {
    if (report.complete)
      return { color: 'green', found: 'In the shop’s database: all consoles share one cap.' };
    const lacks = report.tables.flatMap(({ name, exists, missingColumns, missingKeys }) =>
      exists ? [...missingColumns, ...missingKeys].map((part) => `${name}.${part}`) : [name],
    );
    return {
      color: 'red',
      found: `The profile says "books": "shop", but the shop's database lacks ${some(lacks)}.`,
      advice: `${offer}.`,
    };
  }
  if (report.complete)
    return {
      color: 'amber',
      found: `They are in the shop's database too, but the profile says "books": "console": this console keeps its own, ${cost}.`,
      advice: 'Take "books" out of layout, and those in the shop are used.',
    };
  if (db.dialect === 'sqlite')
    return {
      color: 'grey',
      found: 'In the state folder of this console. The embedded database is open to one process anyway.',
      advice: `${offer}.`,
    };
  return {
    color: 'amber',
    found: `In the state folder of this console, ${cost}.${there.length > 0 ? ` In the shop's database are only ${some(there)}.` : ''}`,
    advice: `It works with one console. For more of them: ${offer}.`,
  };
}

async function lookAtHeld({ db, prefix, layout, shape, place }: ShapeLook, books: Books): Promise<Finding> {
  const held = await shape.open(prefix, layout, db.dialect).held(db, mostHeld);
  if (held.length === 0) return { color: 'green', found: 'No row is held.' };
  const cards = place ?? (books.complete ? books.inShop : null);
  const ours = new Set(
    cards
      ? (await cards.db.query(`SELECT id FROM ${cards.t.queue} WHERE state = 'sending'`)).map((row) =>
          String(row['id']),
        )
      : [],
  );
  const foreign = held.filter(({ id }) => !ours.has(id));
  const many = held.length >= mostHeld ? `At least ${mostHeld}` : String(foreign.length);
  if (foreign.length === 0)
    return {
      color: 'green',
      found: `${counted(held.length, 'row')} held by Postroom, none by another worker.`,
    };
  const one = foreign.length === 1;
  return {
    color: 'amber',
    found: `${many} ${one ? 'row is' : 'rows are'} held (${shape.words.sending}), as ${some(
      foreign.map(({ id }) => id),
      3,
    )}: ${cards ? 'not by Postroom' : 'by another worker, or by a Postroom that drains now'}. Is another worker still running?`,
    advice:
      'Stop the shop’s own worker (its cron line or service) before Postroom drains: the two cannot share a cap. A row whose holder has gone is not sent anew: after claim_timeout it stands in doubt, for a person.',
  };
}

async function lookAtForeign({ db, prefix, layout, shape }: ShapeLook): Promise<Finding> {
  const { count = 0, example = null } = (await shape.open(prefix, layout, db.dialect).foreign?.(db)) ?? {};
  if (count === 0) return { color: 'green', found: 'All rows of the drained queues are mails.' };
  return {
    color: 'amber',
    found: `${counted(count, 'row')} in the drained queues ${count === 1 ? 'is' : 'are'} no mail${example ? `, as ${example}` : ''}. Postroom leaves such rows where they are.`,
    advice:
      'Keep their own worker running for them, or give mails a queue of their own and name it in layout.queues.',
  };
}

async function lookAtQueues({ db, layout }: ShapeLook): Promise<Finding> {
  const { queue, c, inQueues, isMail, queues } = namesOf(layout, db.dialect);
  const others = await db.query<{ name: string | null; n: number; mails: number | null }>(
    `SELECT ${c.queue} AS name, COUNT(*) AS n, SUM(COALESCE(${isMail}, 0)) AS mails FROM ${queue} WHERE NOT ${inQueues}
     GROUP BY ${c.queue} ORDER BY n DESC LIMIT 50`,
  );
  const drained = `Drained: ${some(queues.map((name) => JSON.stringify(name)))}.`;
  if (others.length === 0) return { color: 'green', found: `${drained} There is no other queue.` };
  const withMail = others.filter(({ mails }) => Number(mails ?? 0) > 0);
  if (withMail.length === 0)
    return {
      color: 'green',
      found: `${drained} Left alone, without mails: ${some(others.map(({ name, n }) => `${JSON.stringify(name)} (${counted(Number(n), 'row')})`))}.`,
    };
  const names = withMail.map(({ name }) => String(name));
  return {
    color: 'amber',
    found: `${drained} Not drained, but with mails: ${some(withMail.map(({ name, mails }) => `${JSON.stringify(name)} (${counted(Number(mails), 'mail')})`))}.`,
    advice: `If Postroom shall send them too, write "queues": ${JSON.stringify([...queues, ...names].slice(0, 50))} into layout; else nothing is to do.`,
  };
}
