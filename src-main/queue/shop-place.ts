/** Opens the place of a shop whose queue table is not ours: its table, and our books beside it. */
import { PostroomError } from '../contract/errors.ts';
import type { Layout } from '../contract/profile.ts';
import { defaultSettings } from '../contract/settings.ts';
import type { Database } from '../shop/database.ts';
import { openPlace, type Place } from './place.ts';
import { applySchema, inspectSchema, lackingColumns } from './schema.ts';
import type { Shape } from './shapes/shape.ts';
import { carryBooks } from './shop-move.ts';

/** Books that lie with this console, in a file of its own. */
export interface ConsoleBooks {
  exist(): boolean;
  open(): Database;
  /** closes them and lays them aside: from now on those in the shop's database count */
  putAway(): Promise<void>;
}

/**
 * The books lie in the shop's database where they were added there (`schema --apply`), or with this console alone: then
 * `books` is asked for a database of its own. What lay there before the shop had the tables moves into them.
 * @throws PostroomError `schema` when the shop's table lacks what the shape needs
 */
export async function openShopPlace(
  db: Database,
  prefix: string,
  { shape, layout, books }: { shape: Shape; layout: Layout; books: ConsoleBooks },
): Promise<Place> {
  if (db.dialect === 'sqlite' && !shape.sqlite)
    throw new PostroomError('config', `The shape ${shape.name} has no embedded form: give host and user.`);
  const table = shape.open(prefix, layout, db.dialect);
  for (const { name, columns } of table.tables) {
    const lacking = await lackingColumns(db, name, columns);
    if (lacking === null)
      throw new PostroomError('schema', `There is no table ${name} in this database (shape ${shape.name}).`);
    if (lacking.length > 0)
      throw new PostroomError(
        'schema',
        `The table ${name} is not of the shape ${shape.name}: it lacks ${lacking.join(', ')}. If its columns have other names, say so in layout.columns.`,
      );
  }
  const rows = { shape, table, db, leaseS: defaultSettings.claim_timeout };
  const inShop = await openPlace(db, prefix, { ...rows, together: true, offered: null });
  const where = layout.books ?? ((await inspectSchema(inShop)).complete ? 'shop' : 'console');
  const withConsole = async () => {
    const place = await openPlace(books.open(), prefix, { ...rows, together: false, offered: inShop });
    await applySchema(place);
    return place;
  };
  if (where === 'console') return withConsole();
  if (books.exist()) {
    await carryBooks(await withConsole(), inShop);
    await books.putAway();
  }
  return inShop;
}
