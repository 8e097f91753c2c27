import type { Selection } from '../../src-main/contract/desk.ts';
import type { QueueRow, RowFilter, RowId } from '../../src-main/contract/rows.ts';

/** Which mails are chosen: some by name, or all that match the filter. */
export type Chosen =
  | { kind: 'rows'; rows: ReadonlyMap<RowId, QueueRow> }
  | { kind: 'all'; filter: RowFilter; count: number };

export const nothingChosen: Chosen = { kind: 'rows', rows: new Map() };

export const countChosen = (chosen: Chosen): number =>
  chosen.kind === 'all' ? chosen.count : chosen.rows.size;

export const isChosen = (chosen: Chosen, id: RowId): boolean => chosen.kind === 'all' || chosen.rows.has(id);

/** As the main side is asked; the filter is looked at there, once, when the question is prepared. */
export function selectionOf(chosen: Chosen): Selection {
  return chosen.kind === 'all' ? { filter: chosen.filter } : { ids: [...chosen.rows.keys()] };
}
