/** Opens the place of a shop whose queue table is not ours: its table, and our books beside it. */
import { PostroomError } from '../contract/errors.ts';
import type { Layout } from '../contract/profile.ts';
import { defaultSettings } from '../contract/settings.ts';
import type { Database } from '../shop/database.ts';
import { openPlace, type Place } from './place.ts';
import { applySchema, inspectSchema, lackingColumns } from './schema.ts';
import type { Shape } from './shapes/shape.ts';

/**
 * The books lie in the shop's database where they were added there (`schema --apply`), or with this console alone: then
 * `openBooks` is asked for a database of its own.
 * @throws PostroomError `schema` when the shop's table lacks what the shape needs
 */
export async function openShopPlace(
  db: Database,
  prefix: string,
  { shape, layout, openBooks }: { shape: Shape; layout: Layout; openBooks: () => Database },
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
  if (where === 'shop') return inShop;
  const books = openBooks();
  const place = await openPlace(books, prefix, { ...rows, together: false, offered: inShop });
  await applySchema(place);
  return place;
}
