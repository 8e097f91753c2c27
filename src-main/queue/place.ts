import type { Database } from '../shop/database.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { findClaimKey } from './schema.ts';
import type { ShopRows } from './shop-rows.ts';
import { type Spelling, spellingOf } from './spelling.ts';
import { type Books, type Tables, tablesFor } from './tables.ts';

/** Where the queries of this room work: a database, the names of one shop's tables in it, its dialect. */
export interface Place {
  db: Database;
  prefix: string;
  books: Books;
  /** a shop's own queue table, where it is not ours (then `t.queue` holds our cards of its rows); null = studiou-wcmq */
  shop: ShopRows | null;
  t: Tables;
  d: Dialect;
  /** the key (state, priority, scheduled_at, id) under whatever name it was made; null = not found */
  claimKey: string | null;
  /** SELECT ... FOR UPDATE SKIP LOCKED is there */
  skipLocked: boolean;
  /** a text as the shop's own columns can hold it */
  spell: Spelling;
}

/**
 * Does `work`; once more where the claim's key went away meanwhile (error 1176): the shop's plugin may make its keys anew,
 * under names of its own.
 */
export async function withClaimKey<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { errno?: unknown }).errno !== 1176) throw error;
    place.claimKey = await findClaimKey(place);
    return work();
  }
}

/**
 * Opens the tables of one shop. Works before they are installed too: then `claimKey` is null.
 * @throws PostroomError unreachable | login
 */
export async function openPlace(db: Database, prefix: string, shop: ShopRows | null = null): Promise<Place> {
  const books: Books = shop ? 'cards' : 'queue';
  const t = tablesFor(prefix, books);
  const { skipLocked } = await db.capabilities();
  const spell = await spellingOf(db, prefix, books);
  const place: Place = { db, prefix, books, shop, t, d: dialectOf(db), claimKey: null, skipLocked, spell };
  place.claimKey = await findClaimKey(place);
  return place;
}
