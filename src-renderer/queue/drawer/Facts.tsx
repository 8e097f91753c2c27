import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowDetail } from '../../../src-main/contract/rows.ts';
import { fullWhen } from '../../ui/format.ts';
import { useShape } from '../../ui/state-words.ts';

/** What is known about a mail, at a glance. */
export function Facts({ row }: { row: RowDetail }) {
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  const order = row.order_id === 0 || row.order_id === '0' ? null : `#${row.order_id}`;
  const facts: [string, ReactNode, boolean?][] = [
    [t('facts.created'), row.created_at > 0 ? fullWhen(row.created_at) : '–'],
    row.sent_at !== null
      ? [t('facts.sent'), fullWhen(row.sent_at)]
      : [t('facts.planned'), row.planned_at === null ? '–' : fullWhen(row.planned_at)],
    [t('facts.tries'), row.attempts],
  ];
  if (mailTypes) {
    facts.unshift([t('facts.type'), row.title || row.context || '–'], [t('facts.order'), order ?? '–']);
    facts.push([t('facts.priority'), row.priority]);
  }
  if (row.delivered_to.length > 0) facts.push([t('facts.deliveredTo'), row.delivered_to.join(', '), true]);
  if (row.message_id) facts.push([t('facts.messageId'), <code key="id">{row.message_id}</code>, true]);
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
