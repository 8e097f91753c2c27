// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid positions its rows, which table elements cannot be
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid moves the focus from row to row; cells have none
import { Checkbox, Skeleton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueueRow, RowId } from '../../src-main/contract/rows.ts';
import { useShape } from '../ui/state-words.ts';
import { Row } from './Row.tsx';
import type { RowActions } from './use-row-actions.tsx';
import type { Rows } from './use-rows.ts';

/** px, as in queue.css */
const rowHeight = 56;

interface Props {
  rows: Rows;
  selected: ReadonlyMap<RowId, QueueRow>;
  onSelected: (selected: ReadonlyMap<RowId, QueueRow>) => void;
  open: RowId | null;
  onOpen: (id: RowId) => void;
  actions: RowActions;
}

/**
 * The grid: only the rows in sight exist. Arrow keys move, Enter opens, Space selects, Shift extends the
 * selection, Delete asks whether to delete.
 */
export function RowTable({ rows, selected, onSelected, open, onOpen, actions }: Props) {
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
    const next = new Map(selected);
    const here = rows.at(index);
    if (!here) return;
    if (extend) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (let i = from; i <= to; i++) {
        const row = rows.at(i);
        if (row) next.set(row.id, row);
      }
    } else if (!next.delete(here.id)) next.set(here.id, here);
    anchor.current = index;
    onSelected(next);
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
    if (to !== undefined) {
      if (event.shiftKey && to >= 0 && to < total) toggle(to, true);
      move(to);
    } else if (event.key === 'Enter' && row) onOpen(row.id);
    else if (event.key === ' ') toggle(active, event.shiftKey);
    else if (event.key === 'Delete' && row)
      actions.askDelete(selected.size > 0 ? [...selected.values()] : [row]);
    else if (event.key === 'Escape' && selected.size > 0) onSelected(new Map());
    else return;
    event.preventDefault();
  };

  const loaded = rows.loaded();
  const allSelected = loaded.length > 0 && loaded.every((row) => selected.has(row.id));
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
    >
      <div className="pr-grid-head" role="row" aria-rowindex={1}>
        <div role="columnheader">
          <Checkbox
            size="xs"
            aria-label={t('queue.selectLoaded')}
            checked={allSelected}
            indeterminate={selected.size > 0 && !allSelected}
            onChange={() => onSelected(allSelected ? new Map() : new Map(loaded.map((row) => [row.id, row])))}
          />
        </div>
        <div role="columnheader">{t('queue.column.mail')}</div>
        {mailTypes && (
          <div role="columnheader" className="pr-about">
            {t('queue.column.about')}
          </div>
        )}
        <div role="columnheader">{t('queue.column.state')}</div>
        <div role="columnheader">{t('queue.column.why')}</div>
        <div role="columnheader" style={{ textAlign: 'right' }}>
          {t('queue.column.when')}
        </div>
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
              selected={selected.has(row.id)}
              open={row.id === open}
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
