import { useCallback, useEffect, useRef, useState } from 'react';
import type { QueueRow, RowFilter, RowId, RowSort } from '../../src-main/contract/rows.ts';
import { asCallError, type CallError, call } from '../bridge/client.ts';

/** rows fetched at once */
const pageSize = 200;
/** pages kept beside those in sight: beyond these scrolling back fetches anew */
const keptAround = 3;

/** The rows of a filter, fetched page by page as they come into sight, and dropped when they are far from it. */
export interface Rows {
  /** how many match; null before the first answer */
  total: number | null;
  at: (index: number) => QueueRow | undefined;
  /** rows that are loaded now, in order */
  loaded: () => QueueRow[];
  /** it was on screen and is not in the queue any more */
  isGone: (id: RowId) => boolean;
  error: CallError | null;
  /** tells which rows can be seen, so that they are fetched and kept fresh */
  see: (first: number, last: number) => void;
  /** fetches the rows in sight anew, in the order that they have now */
  refresh: () => Promise<void>;
}

interface Query {
  filter: RowFilter;
  sort: RowSort | undefined;
  /** another one when something changed that rows show */
  changes: string;
  /** while what is on screen must not move: rows are only brought up to date where they stand */
  still: boolean;
}

export function useRows(profile: string, { filter, sort, changes, still }: Query): Rows {
  const key = `${profile} ${JSON.stringify(filter)} ${JSON.stringify(sort)}`;
  const pages = useRef(new Map<number, QueueRow[]>());
  const gone = useRef(new Set<RowId>());
  const asking = useRef(new Set<number>());
  const sight = useRef({ first: 0, last: 0 });
  const current = useRef({ key, filter, sort });
  const [state, setState] = useState<{
    key: string;
    total: number | null;
    error: CallError | null;
    drawn: number;
  }>({ key, total: null, error: null, drawn: 0 });
  if (current.current.key !== key) {
    current.current = { key, filter, sort };
    pages.current = new Map();
    gone.current = new Set();
    asking.current = new Set();
    sight.current = { first: 0, last: 0 };
  }

  const ask = useCallback(
    async (page: number) => {
      const mine = current.current;
      if (asking.current.has(page)) return;
      asking.current.add(page);
      try {
        const { rows, total } = await call('queue:list', profile, {
          filter: mine.filter,
          limit: pageSize,
          offset: page * pageSize,
          ...(mine.sort ? { sort: mine.sort } : {}),
        });
        if (current.current !== mine) return;
        pages.current.set(page, rows);
        for (const row of rows) gone.current.delete(row.id);
        setState((old) => ({ key: mine.key, total, error: null, drawn: old.drawn + 1 }));
      } catch (thrown) {
        if (current.current !== mine) return;
        setState((old) => ({ ...old, key: mine.key, error: asCallError(thrown) }));
      } finally {
        if (current.current === mine) asking.current.delete(page);
      }
    },
    [profile],
  );

  const refresh = useCallback(async () => {
    const wanted = pagesOf(sight.current);
    for (const page of pages.current.keys()) if (!wanted.includes(page)) pages.current.delete(page);
    await Promise.all(wanted.map((page) => ask(page)));
  }, [ask]);

  /** What can be seen, brought up to date where it stands. */
  const touchUp = useCallback(async () => {
    const mine = current.current;
    const { first, last } = sight.current;
    const shown: RowId[] = [];
    for (let at = first; at <= last; at += 1) {
      const row = pages.current.get(Math.floor(at / pageSize))?.[at % pageSize];
      if (row) shown.push(row.id);
    }
    if (shown.length === 0) return refresh();
    try {
      const fresh = new Map((await call('queue:rows', profile, shown)).map((row) => [row.id, row]));
      if (current.current !== mine) return;
      for (const id of shown) if (!fresh.has(id)) gone.current.add(id);
      for (const page of pagesOf({ first, last })) {
        const rows = pages.current.get(page);
        if (rows)
          pages.current.set(
            page,
            rows.map((row) => fresh.get(row.id) ?? row),
          );
      }
      setState((old) => ({ ...old, error: null, drawn: old.drawn + 1 }));
    } catch (thrown) {
      if (current.current === mine) setState((old) => ({ ...old, error: asCallError(thrown) }));
    }
  }, [profile, refresh]);

  const see = useCallback(
    (first: number, last: number) => {
      sight.current = { first, last };
      const wanted = pagesOf(sight.current);
      const [from = 0, to = 0] = [wanted[0], wanted.at(-1)];
      for (const page of pages.current.keys())
        if (page < from - keptAround || page > to + keptAround) pages.current.delete(page);
      for (const page of wanted) if (!pages.current.has(page)) void ask(page);
    },
    [ask],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, order or a change in the shop asks anew
  useEffect(() => {
    void (still ? touchUp() : refresh());
  }, [key, changes, still, refresh, touchUp]);

  return {
    total: state.key === key ? state.total : null,
    at: (index) => pages.current.get(Math.floor(index / pageSize))?.[index % pageSize],
    loaded: () => [...pages.current].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    isGone: (id) => gone.current.has(id),
    error: state.key === key ? state.error : null,
    see,
    refresh,
  };
}

/** Numbers of the pages that a stretch of rows lies on. */
function pagesOf({ first, last }: { first: number; last: number }): number[] {
  const from = Math.floor(first / pageSize);
  const to = Math.floor(Math.max(first, last) / pageSize);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
