/**
 * Rows under a person's hand: which ones a selection means, locked in batches, and what a guard says against touching them.
 */

import type { Selection } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import { heldForGood, type RowOrder } from '../contract/orders.ts';
import type { ActionResult, RowId } from '../contract/rows.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import { filterSql } from './filter.ts';
import type { Place } from './place.ts';
import { selectShopIds } from './shop-browse.ts';
import { bringRows, elsewhere } from './shop-rows.ts';
import { surveyShopRows } from './shop-survey.ts';

const batch = 500;
const mostNamedRefusals = 100;

export interface Guarded {
  id: RowId;
  state: string;
  inDoubt: boolean;
  live: boolean;
  /** waits, and is held back by a person; `forGood` without an end */
  held: boolean;
  heldForGood: boolean;
  attachmentDir: string | null;
}

/**
 * Ids that a selection means, fixed now: what was confirmed is what is touched, even when the filter's result moves.
 */
async function selectIds(place: Place, what: Selection): Promise<RowId[]> {
  if ('ids' in what) return [...new Set(place.shop ? what.ids.map(String) : what.ids)];
  if (place.shop) return selectShopIds(place, what.filter);
  const { where, values } = filterSql(what.filter, place.d);
  const rows = await place.db.query<{ id: RowId }>(
    `SELECT id FROM ${place.t.queue} ${where} ORDER BY id`,
    values,
  );
  return rows.map((row) => row.id);
}

export const idsOf = (rows: readonly Guarded[]): string[] => rows.map((row) => String(row.id));

async function lockRows(
  place: Place,
  tx: Queryable,
  ids: readonly RowId[],
  claimTimeoutS: number,
): Promise<Guarded[]> {
  const rows = await tx.query(
    `SELECT ${guardedColumns(place)} FROM ${place.t.queue} WHERE id IN (${marks(ids.length)}) ORDER BY id${place.d.forUpdate}`,
    [claimTimeoutS, claimTimeoutS, ...ids],
  );
  return rows.map(toGuarded);
}

const guardedColumns = ({ d }: Place): string =>
  `id, state, in_doubt, attachment_dir, held_until, CASE WHEN state = 'pending' AND held_until > ${d.nowS} THEN 1 ELSE 0 END AS held,
   CASE WHEN state = 'sending' AND claimed_at BETWEEN ${d.nowS} - ? AND ${d.nowS} + ? THEN 1 ELSE 0 END AS live`;

function toGuarded(row: Record<string, SqlValue>): Guarded {
  return {
    id: row['id'] as RowId,
    state: String(row['state']),
    inDoubt: Number(row['in_doubt']) === 1,
    live: Number(row['live']) === 1,
    held: Number(row['held']) === 1,
    heldForGood: Number(row['held']) === 1 && Number(row['held_until']) === heldForGood,
    attachmentDir:
      row['attachment_dir'] == null || row['attachment_dir'] === '' ? null : String(row['attachment_dir']),
  };
}

/** What a selection means at this moment, and where each row stands; nothing is locked. */
export async function surveyRows(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
): Promise<{ rows: Guarded[]; missing: number }> {
  if ('filter' in what) {
    if (place.shop) return { rows: await surveyShopRows(place, what.filter, claimTimeoutS), missing: 0 };
    const { where, values } = filterSql(what.filter, place.d);
    const rows = await place.db.query(
      `SELECT ${guardedColumns(place)} FROM ${place.t.queue} ${where} ORDER BY id`,
      [claimTimeoutS, claimTimeoutS, ...values],
    );
    return { rows: rows.map(toGuarded), missing: 0 };
  }
  const ids = await selectIds(place, what);
  const rows: Guarded[] = [];
  for (let at = 0; at < ids.length; at += batch) {
    const part = ids.slice(at, at + batch);
    if (place.shop) rows.push(...(await surveyShopRows(place, part.map(String), claimTimeoutS)));
    else
      rows.push(
        ...(
          await place.db.query(
            `SELECT ${guardedColumns(place)} FROM ${place.t.queue} WHERE id IN (${marks(part.length)}) ORDER BY id`,
            [claimTimeoutS, claimTimeoutS, ...part],
          )
        ).map(toGuarded),
      );
  }
  return { rows, missing: ids.length - rows.length };
}

export async function inBatches(
  place: Place,
  what: Selection,
  claimTimeoutS: number,
  refusal: (row: Guarded) => string | null,
  apply: (tx: Queryable, rows: Guarded[]) => Promise<ActionResult['refused'] | undefined>,
): Promise<ActionResult> {
  const result: ActionResult = { done: 0, refused: [] };
  const ids = await selectIds(place, what);
  for (let at = 0; at < ids.length; at += batch) {
    const part = ids.slice(at, at + batch);
    const outcome = await place.db.transaction(async (tx) => {
      if (place.shop) await bringRows(place, tx, part.map(String));
      const rows = await lockRows(place, tx, part, claimTimeoutS);
      const allowed = rows.filter((row) => refusal(row) === null);
      const late = (allowed.length > 0 ? await apply(tx, allowed) : undefined) ?? [];
      const there = new Set(rows.map((row) => String(row.id)));
      const refused = [
        ...late,
        ...rows.flatMap((row) => {
          const reason = refusal(row);
          return reason === null ? [] : [{ id: row.id, reason }];
        }),
        ...part.filter((id) => !there.has(String(id))).map((id) => ({ id, reason: goneReason })),
      ];
      return { done: allowed.length - late.length, refused };
    });
    result.done += outcome.done;
    result.refused.push(...outcome.refused.slice(0, mostNamedRefusals - result.refused.length));
  }
  return result;
}

export const goneReason = 'it is not there any more';
const liveReason = 'it is being sent right now';
const sentReason = 'it was sent already';
const diedReason = 'its worker died: it is taken over by the next check, within 5 minutes';
const elsewhereReason = 'another program of the shop is sending it';

/** Why `row` may not be touched at all by what goes for waiting rows alone. */
function notWaiting(row: Guarded): string | null {
  if (row.state === 'pending') return null;
  if (row.inDoubt) return 'it is in doubt: say first whether it arrived';
  if (row.state === 'failed') return 'it failed and does not wait: retry it first';
  return underway(row);
}

function underway(row: Guarded): string | null {
  if (row.state === 'sent') return sentReason;
  if (row.state === elsewhere) return elsewhereReason;
  if (row.live) return liveReason;
  return row.state === 'sending' ? diedReason : null;
}

/** Why `row` must be left alone by an order; null where it may be touched. The statements say the same in SQL. */
export const refusals: Record<RowOrder['do'], (row: Guarded) => string | null> = {
  retry: (row) =>
    underway(row) ??
    (row.inDoubt ? 'it is in doubt: say whether it arrived, or send it again, one by one' : null),
  delete: (row) => (row.live ? liveReason : row.state === elsewhere ? elsewhereReason : null),
  hold: notWaiting,
  release: (row) => notWaiting(row) ?? (row.held ? null : 'it is not held'),
  next: notWaiting,
  priority: notWaiting,
  readdress: (row) => underway(row) ?? (row.inDoubt ? 'it is in doubt: say first whether it arrived' : null),
};

/**
 * A shop's own table cannot carry everything.
 * @throws PostroomError refused, with the reason
 */
export function refuseWhatTableLacks(place: Place, order: RowOrder['do']): void {
  if (!place.shop) return;
  if (order === 'next' || order === 'priority')
    throw new PostroomError(
      'refused',
      "The shop's own table has no column for priorities: mails leave in the order of their ids. Nothing was changed.",
    );
  if (order === 'readdress')
    throw new PostroomError(
      'refused',
      "The mails of the shop's own table are written by the shop alone: Postroom moves them and does not rewrite them. Nothing was changed.",
    );
}
