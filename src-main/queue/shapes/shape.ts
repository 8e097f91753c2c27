/**
 * What is special about a shop's own queue table. A row's life is the same in all shapes (claim, guard, journal, settle,
 * reap: the code beside this folder); a shape says how its table spells it. docs/architecture.md, "A fifth shape".
 */
import type { MailToEnqueue } from '../../contract/desk.ts';
import type { Layout, ShapeName } from '../../contract/profile.ts';
import type { RowState } from '../../contract/rows.ts';
import type { Queryable } from '../../shop/database.ts';

/** One SELECT over one of the shape's tables, with the columns that every list knows. */
export interface Source {
  /**
   * `SELECT ... FROM table` without WHERE, with the columns id, state (one of rowStates), recipient, subject, payload (a
   * payload's JSON, or the text that cannot be read), attempts, scheduled_at and created_at (s since 1970, 0 = not known),
   * last_error.
   */
  select: string;
  /** column by which its rows are named to people and to us */
  id: string;
  /** condition on its columns for rows of `state`, null where it has none such */
  where(state: RowState): string | null;
}

/** What became of a row that is not finished. */
export interface Move {
  id: string;
  /** the counter as it shall stand */
  attempts: number;
  /** s until the next try; 0 = at once, where it stood */
  delayS: number;
  reason: string;
}

/** A column that a table of the shape must have. */
export interface ShapeTable {
  role: 'queue' | 'failed';
  name: string;
  /** columns without which nothing can be sent; by this table's names */
  columns: readonly string[];
  /** columns that serve where they are there */
  optional: readonly string[];
  /** a key that must begin so, for the claim */
  key: readonly string[] | null;
}

/**
 * The statements of one shape over one shop's tables. `on` is the shop's database or a transaction of it. Every write is
 * guarded by the state that it leaves, and answers or ignores what was not there any more.
 */
export interface ShopTable {
  readonly tables: readonly ShapeTable[];
  readonly sources: readonly Source[];
  /** ids of waiting rows that are due by the table's own clock, in their order, locked; without those in `not` */
  due(on: Queryable, limit: number, not: readonly string[]): Promise<string[]>;
  /** when the first waiting row is due, s since 1970; null when none waits */
  nextDue(on: Queryable): Promise<number | null>;
  /** waiting -> held for `leaseS`; the ids that were waiting */
  claim(on: Queryable, ids: readonly string[], leaseS: number): Promise<Set<string>>;
  /** holds them for another `leaseS`; the ids that are held */
  renew(on: Queryable, ids: readonly string[], leaseS: number): Promise<Set<string>>;
  /** held rows, whoever holds them, with something that changes when another worker takes them anew */
  held(on: Queryable, limit: number): Promise<{ id: string; mark: string }[]>;
  /** held, failed or waiting -> finished */
  sent(on: Queryable, ids: readonly string[]): Promise<void>;
  /** held -> waiting */
  waits(on: Queryable, move: Move): Promise<void>;
  /** held or waiting -> failed for good */
  failed(on: Queryable, move: Move): Promise<void>;
  /** failed, held or waiting -> waiting now, with a fresh counter */
  requeue(on: Queryable, ids: readonly string[]): Promise<void>;
  remove(on: Queryable, ids: readonly string[]): Promise<void>;
  /** ids of finished rows older than `seconds` */
  old(on: Queryable, state: 'sent' | 'failed', seconds: number, limit: number): Promise<string[]>;
  /** a new row; `notBefore` in s since 1970, null = now */
  insert(on: Queryable, mail: MailToEnqueue, notBefore: number | null): Promise<string>;
  /** rows that wait among ours and are no mail (another worker's jobs), for the report; without it there are none */
  foreign?(on: Queryable): Promise<{ count: number; example: string | null }>;
}

/**
 * What a payload came to when its shape read it: the mail room's JSON; why this mail can never be sent; or what it is
 * instead of a mail (such a row is another worker's: left alone, `due` does not answer it).
 */
export type Reading =
  | { ok: true; payload: string }
  | { ok: false; reason: string }
  | { ok: false; foreign: string };

/** One of the layouts of the registry (index.ts). */
export interface Shape {
  name: ShapeName;
  /** its own words for our states, for the screens */
  words: Record<RowState, string>;
  /** seeds of the settings that the shape's document fixes */
  settings: { max_attempts: number; retention_sent_days: number; retention_failed_days: number };
  /** rows taken in one cycle by its document */
  most: number;
  /** s until the try after `attempts` tries */
  backoffS(attempts: number): number;
  /** the shape runs on the embedded database too */
  sqlite: boolean;
  /** a source's payload as the mail room reads it (contract/payload.ts); pure; without it the payload is that already */
  read?(payload: string): Reading;
  open(prefix: string, layout: Layout, dialect: Queryable['dialect']): ShopTable;
}

/** A table's or column's name in SQL text; names were validated with the profile. */
export const quoted = (name: string): string => `\`${name}\``;

/** How a shape's columns are called in this shop. */
export function columnsOf<Name extends string>(
  names: readonly Name[],
  layout: Layout,
): { [K in Name]: string } {
  return Object.fromEntries(
    names.map((name) => [
      name,
      quoted(Object.hasOwn(layout.columns, name) ? (layout.columns[name] ?? name) : name),
    ]),
  ) as { [K in Name]: string };
}
