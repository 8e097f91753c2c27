import { apartFromTabs, type FilterCounts, type RowFilter } from '../contract/rows.ts';
import { countFiltered } from '../queue/browse.ts';
import type { Place } from '../queue/place.ts';

/**
 * Counts under a filter, asked of the database once for all who ask at the same moment: the window's list and its tabs do, and
 * each count is a walk over the whole table. Nothing is kept beyond the answer.
 */
export class Counting {
  private readonly asked = new Map<string, Promise<FilterCounts>>();

  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  of(filter: RowFilter): Promise<FilterCounts> {
    const rest = apartFromTabs(filter);
    const key = JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = this.asked.get(key);
    if (known) return known;
    const counts = countFiltered(this.place, rest).finally(() => this.asked.delete(key));
    this.asked.set(key, counts);
    return counts;
  }
}
