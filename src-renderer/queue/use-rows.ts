import { useCallback, useEffect, useRef, useState } from 'react';
import type { QueueRow, RowFilter } from '../../src-main/contract/rows.ts';
import { asCallError, type CallError, call } from '../bridge/client.ts';

/** rows fetched at once */
const pageSize = 200;

/** The rows of a filter, fetched page by page as they come into sight. */
export interface Rows {
  /** how many match; null before the first answer */
  total: number | null;
  at: (index: number) => QueueRow | undefined;
  /** rows that are loaded now, in order */
  loaded: () => QueueRow[];
  error: CallError | null;
  /** tells which rows can be seen, so that they are fetched and kept fresh */
  see: (first: number, last: number) => void;
  /** fetches the rows in sight anew */
  refresh: () => Promise<void>;
}

/**
 * @param filterKey JSON of the filter: another filter starts from nothing
 * @param changes another one when something changed that rows show
 * @param held true while what is on screen must not move (rows are selected)
 */
export function useRows(profile: string, filter: RowFilter, changes: string, held: boolean): Rows {
  const filterKey = `${profile} ${JSON.stringify(filter)}`;
  const pages = useRef(new Map<number, QueueRow[]>());
  const asking = useRef(new Set<number>());
  const sight = useRef({ first: 0, last: 0 });
  const current = useRef({ key: filterKey, filter });
  const [state, setState] = useState<{
    key: string;
    total: number | null;
    error: CallError | null;
    drawn: number;
  }>({
    key: filterKey,
    total: null,
    error: null,
    drawn: 0,
  });
  if (current.current.key !== filterKey) {
    current.current = { key: filterKey, filter };
    pages.current = new Map();
    asking.current = new Set();
    sight.current = { first: 0, last: 0 };
  }

  const ask = useCallback(
    async (page: number) => {
      const { key, filter: wanted } = current.current;
      if (asking.current.has(page)) return;
      asking.current.add(page);
      try {
        const { rows, total } = await call('queue:list', profile, {
          filter: wanted,
          limit: pageSize,
          offset: page * pageSize,
        });
        if (current.current.key !== key) return;
        pages.current.set(page, rows);
        setState((old) => ({ key, total, error: null, drawn: old.drawn + 1 }));
      } catch (thrown) {
        if (current.current.key !== key) return;
        setState((old) => ({ ...old, key, error: asCallError(thrown) }));
      } finally {
        if (current.current.key === key) asking.current.delete(page);
      }
    },
    [profile],
  );

  const refresh = useCallback(async () => {
    const wanted = pagesOf(sight.current);
    for (const page of pages.current.keys()) if (!wanted.includes(page)) pages.current.delete(page);
    await Promise.all(wanted.map((page) => ask(page)));
  }, [ask]);

  const see = useCallback(
    (first: number, last: number) => {
      sight.current = { first, last };
      for (const page of pagesOf(sight.current)) if (!pages.current.has(page)) void ask(page);
    },
    [ask],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter or a change in the shop asks anew
  useEffect(() => {
    if (!held) void refresh();
  }, [filterKey, changes, held, refresh]);

  return {
    total: state.key === filterKey ? state.total : null,
    at: (index) => pages.current.get(Math.floor(index / pageSize))?.[index % pageSize],
    loaded: () => [...pages.current].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    error: state.key === filterKey ? state.error : null,
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

/** All rows that match, for an action on all of them: what is counted in the question is what is touched. */
export async function fetchAll(profile: string, filter: RowFilter, most: number): Promise<QueueRow[]> {
  const all: QueueRow[] = [];
  for (let offset = 0; all.length < most; offset += 1000) {
    const { rows } = await call('queue:list', profile, { filter, limit: 1000, offset });
    all.push(...rows);
    if (rows.length < 1000) break;
  }
  return all.slice(0, most);
}
