// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid positions its rows, which table elements cannot be
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid moves the focus from row to row; cells have none
import { Checkbox, Skeleton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from '../../src-main/contract/desk.ts';
import type { RowId, RowSort, RowSortKey } from '../../src-main/contract/rows.ts';
import { useShape } from '../ui/state-words.ts';
import type { OrderKind } from './order/use-orders.tsx';
import { Row } from './Row.tsx';
import { type Chosen, countChosen, isChosen, nothingChosen, selectionOf } from './selection.ts';
import type { Rows } from './use-rows.ts';

/** px, as in queue.css */
const rowHeight = 52;

/** Letters that ask for an order while a row has the focus. */
const orderKeys: Record<string, OrderKind> = { Delete: 'delete', r: 'retry', h: 'hold', n: 'next' };

interface Props {
  rows: Rows;
  sort: RowSort;
  onSort: (sort: RowSort) => void;
  chosen: Chosen;
  onChosen: (chosen: Chosen) => void;
  open: RowId | null;
  onOpen: (id: RowId) => void;
  onAsk: (kind: OrderKind, what: Selection) => void;
  /** rows of a delete that can still be undone */
  going: ReadonlySet<RowId>;
  /** the mouse is over a row, or a key was pressed in the list: what is on screen must not move */
  onUsed: (used: 'mouse' | 'key', on: boolean) => void;
}

/**
 * The grid: only the rows in sight exist. Arrow keys move, Enter opens, Space selects, Shift extends the
 * selection, letters and Delete ask for an order.
 */
export function RowTable(props: Props) {
  const { rows, sort, onSort, chosen, onChosen, open, onOpen, onAsk, going, onUsed } = props;
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const total = rows.total ?? 0;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: 34,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { see } = rows;
  useEffect(() => see(first, last), [see, first, last]);

  const toggle = (index: number, extend: boolean) => {
    const here = rows.at(index);
    if (!here) return;
    // of all that match, one by name is picked anew
    const next = new Map(chosen.kind === 'rows' ? chosen.rows : []);
    if (extend) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (let i = from; i <= to; i++) {
        const row = rows.at(i);
        if (row) next.set(row.id, row);
      }
    } else if (!next.delete(here.id)) next.set(here.id, here);
    anchor.current = index;
    onChosen({ kind: 'rows', rows: next });
  };

  const move = (to: number) => {
    const index = Math.max(0, Math.min(total - 1, to));
    setActive(index);
    virtual.scrollToIndex(index);
    // the row may not exist before the next paint
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus();
    });
  };

  const onKey = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).matches('[data-index]')) return;
    onUsed('key', true);
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2);
    const row = rows.at(active);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    };
    const to = moves[event.key];
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const order = plain ? orderKeys[event.key] : undefined;
    if (to !== undefined) {
      if (event.shiftKey && to >= 0 && to < total) toggle(to, true);
      move(to);
    } else if (event.key === 'Enter' && row) onOpen(row.id);
    else if (event.key === ' ') toggle(active, event.shiftKey);
    else if (order && (countChosen(chosen) > 0 || row)) {
      const what: Selection = countChosen(chosen) > 0 ? selectionOf(chosen) : { ids: row ? [row.id] : [] };
      onAsk(order === 'hold' && isHeldRow(rows, active, chosen) ? 'release' : order, what);
    } else if (event.key === 'Escape' && countChosen(chosen) > 0) onChosen(nothingChosen);
    else return;
    event.preventDefault();
  };

  const loaded = rows.loaded();
  const allSelected = loaded.length > 0 && loaded.every((row) => isChosen(chosen, row.id));
  const header = (name: string, by: RowSortKey, end = false) => {
    const on = sort.by === by;
    const direction = sort.descending ? 'descending' : 'ascending';
    return (
      <div role="columnheader" aria-sort={on ? direction : 'none'} className={end ? 'pr-end' : undefined}>
        <button
          type="button"
          className="pr-sort"
          data-on={on || undefined}
          onClick={() => onSort({ by, descending: on ? !sort.descending : false })}
        >
          {name}
          <span aria-hidden>{on ? (sort.descending ? ' ↓' : ' ↑') : ''}</span>
        </button>
      </div>
    );
  };
  return (
    <div
      ref={scroller}
      className="pr-grid"
      data-plain={!mailTypes || undefined}
      role="grid"
      aria-label={t('queue.table')}
      aria-rowcount={total + 1}
      aria-multiselectable
      onKeyDown={onKey}
      onMouseEnter={() => onUsed('mouse', true)}
      onMouseLeave={() => onUsed('mouse', false)}
    >
      <div className="pr-grid-head" role="row" aria-rowindex={1}>
        <div role="columnheader">
          <Checkbox
            size="xs"
            aria-label={t('queue.selectLoaded')}
            checked={allSelected}
            indeterminate={countChosen(chosen) > 0 && !allSelected}
            onChange={() =>
              onChosen(
                allSelected
                  ? nothingChosen
                  : { kind: 'rows', rows: new Map(loaded.map((row) => [row.id, row])) },
              )
            }
          />
        </div>
        {header(t('queue.column.mail'), 'recipient')}
        {mailTypes && (
          <div role="columnheader" className="pr-about">
            {t('queue.column.about')}
          </div>
        )}
        {header(t('queue.column.state'), 'attempts')}
        <div role="columnheader">{t('queue.column.why')}</div>
        {header(t('queue.column.when'), mailTypes ? 'departure' : 'scheduled_at', true)}
      </div>
      <div role="presentation" style={{ position: 'relative', height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows.at(item.index);
          if (!row) {
            return (
              <div
                key={item.key}
                className="pr-row"
                role="row"
                aria-rowindex={item.index + 2}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div role="gridcell" />
                <div role="gridcell">
                  <Skeleton height={10} width="70%" />
                </div>
              </div>
            );
          }
          return (
            <Row
              key={item.key}
              row={row}
              index={item.index}
              top={item.start}
              focusable={item.index === Math.min(active, total - 1)}
              selected={isChosen(chosen, row.id)}
              open={row.id === open}
              leaving={going.has(row.id) ? 'going' : rows.isGone(row.id) ? 'gone' : null}
              onFocus={() => setActive(item.index)}
              onOpen={() => onOpen(row.id)}
              onToggle={(extend) => toggle(item.index, extend)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** `h` lets go what is held, where it is about one row. */
function isHeldRow(rows: Rows, active: number, chosen: Chosen): boolean {
  if (chosen.kind === 'all' || chosen.rows.size > 1) return false;
  const row = [...chosen.rows.values()][0] ?? rows.at(active);
  return row?.state === 'pending' && row.held_until !== null && row.held_until > Date.now() / 1000;
}
