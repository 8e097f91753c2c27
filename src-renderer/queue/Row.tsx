// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid positions its rows, which table elements cannot be
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid moves the focus from row to row; cells have none
import { Checkbox } from '@mantine/core';
import { memo, useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import { useShop } from '../bridge/shop.tsx';
import { fullWhen, when } from '../ui/format.ts';
import { StateBadge } from '../ui/StateBadge.tsx';
import { useShape } from '../ui/state-words.ts';
import { OrderLink } from './OrderLink.tsx';
import { isHeld, whyText } from './why.ts';

interface Props {
  row: QueueRow;
  index: number;
  /** px from the top of the grid */
  top: number;
  focusable: boolean;
  selected: boolean;
  open: boolean;
  /** its delete can still be undone, or it was here a moment ago */
  leaving: 'going' | 'gone' | null;
  onFocus: () => void;
  onOpen: () => void;
  onToggle: (extend: boolean) => void;
}

interface CellsProps extends Pick<Props, 'row' | 'selected' | 'onToggle'> {
  why: string;
  /** a person holds it back */
  held: boolean;
}

/** One mail of the grid: two lines, so that a narrow window still tells everything. */
export function Row(props: Props) {
  const { row, index, top, focusable, selected, open, leaving, onFocus, onOpen, onToggle } = props;
  const { t } = useTranslation();
  const { status } = useShop();
  // the same function for as long as the row is there, so that its cells are drawn anew only when they show something else
  const latest = useRef(onToggle);
  latest.current = onToggle;
  const toggle = useCallback((extend: boolean) => latest.current(extend), []);
  const why = leaving ? t(`queue.${leaving}`) : whyText(row, status, t);
  const held = isHeld(row, status?.now ?? Date.now() / 1000);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it handles the keys of all rows
    <div
      className="pr-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-index={index}
      data-open={open || undefined}
      data-leaving={leaving ?? undefined}
      tabIndex={focusable ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={onFocus}
      onClick={(event) => {
        if (event.shiftKey || event.ctrlKey || event.metaKey) onToggle(event.shiftKey);
        else onOpen();
      }}
    >
      <Cells row={row} selected={selected} why={why} held={held} onToggle={toggle} />
    </div>
  );
}

/** What a row shows. Scrolling leaves it alone: it moves the row around it. */
const Cells = memo(function Cells({ row, selected, why, held, onToggle }: CellsProps) {
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  const subject = row.subject || t('queue.noSubject');
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a click on the box from opening the mail */}
      <div role="gridcell" onClick={(event) => event.stopPropagation()}>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={t('queue.select', { recipient: row.recipient })}
          checked={selected}
          onChange={(event) => onToggle((event.nativeEvent as unknown as MouseEvent).shiftKey)}
        />
      </div>
      <div role="gridcell">
        <div className="pr-clip pr-first" title={row.recipient}>
          {row.recipient}
        </div>
        <div className="pr-clip pr-second" title={subject}>
          {subject}
        </div>
      </div>
      {mailTypes && (
        <div role="gridcell" className="pr-about">
          <div className="pr-clip" title={row.context}>
            {row.title || row.context || '–'}
          </div>
          <div className="pr-clip pr-second">
            <OrderLink row={row} tabIndex={-1} />
          </div>
        </div>
      )}
      <div role="gridcell">
        <StateBadge state={row.state} inDoubt={row.in_doubt} />
        {held && <div className="pr-second">{t('states.held')}</div>}
        {!held && (row.attempts > 1 || (row.attempts > 0 && row.state !== 'sent')) ? (
          <div className="pr-second">{t('queue.tries', { count: row.attempts })}</div>
        ) : null}
      </div>
      <div role="gridcell">
        <div className="pr-clip-2 pr-second" title={why}>
          {why}
        </div>
      </div>
      <div role="gridcell" className="pr-time">
        <When row={row} />
      </div>
    </>
  );
});

function When({ row }: { row: QueueRow }) {
  const { t } = useTranslation();
  if (row.sent_at !== null) {
    return (
      <span title={fullWhen(row.sent_at)}>
        {when(row.sent_at)}
        <div className="pr-second">{t('queue.sentAt')}</div>
      </span>
    );
  }
  if (row.state === 'pending' && row.planned_at !== null) {
    return (
      <span title={fullWhen(row.planned_at)}>
        {when(row.planned_at)}
        <div className="pr-second">{t('queue.leavesAt')}</div>
      </span>
    );
  }
  // not every shop's table keeps it
  if (row.created_at === 0) return <span>–</span>;
  return (
    <span title={fullWhen(row.created_at)}>
      {when(row.created_at)}
      <div className="pr-second">{t('queue.createdAt')}</div>
    </span>
  );
}
