import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { heldForGood } from '../../../src-main/contract/orders.ts';
import type { RowDetail } from '../../../src-main/contract/rows.ts';
import { Copy } from '../../ui/Copy.tsx';
import { fullWhen } from '../../ui/format.ts';
import { useShape } from '../../ui/state-words.ts';
import { OrderLink, orderUrl } from '../OrderLink.tsx';

/** What is known about a mail, at a glance. */
export function Facts({ row }: { row: RowDetail }) {
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  const hasOrder = row.order_id !== 0 && row.order_id !== '0';
  const order = !hasOrder ? '–' : orderUrl(row.payload) ? <OrderLink row={row} /> : `#${row.order_id}`;
  const facts: [string, ReactNode, boolean?][] = [
    [t('facts.created'), row.created_at > 0 ? fullWhen(row.created_at) : '–'],
    row.sent_at !== null
      ? [t('facts.sent'), fullWhen(row.sent_at)]
      : [t('facts.planned'), row.planned_at === null ? '–' : fullWhen(row.planned_at)],
    [t('facts.tries'), row.attempts],
  ];
  if (mailTypes) {
    facts.unshift([t('facts.type'), row.title || row.context || '–'], [t('facts.order'), order]);
    facts.push([t('facts.priority'), row.priority]);
  }
  if (row.held_until !== null && row.state === 'pending')
    facts.push([
      t('facts.heldUntil'),
      row.held_until === heldForGood ? t('facts.released') : fullWhen(row.held_until),
    ]);
  if (row.delivered_to.length > 0) facts.push([t('facts.deliveredTo'), row.delivered_to.join(', '), true]);
  if (row.message_id)
    facts.push([
      t('facts.messageId'),
      <span key="id">
        <code>{row.message_id}</code> <Copy text={row.message_id} what={t('facts.messageId')} />
      </span>,
      true,
    ]);
  return (
    <dl className="pr-facts">
      {facts.map(([name, value, wide]) => (
        <div key={name} className={wide ? 'pr-wide' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
