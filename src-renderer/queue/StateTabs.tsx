import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apartFromTabs, type FilterCounts, type RowFilter } from '../../src-main/contract/rows.ts';
import { count } from '../ui/format.ts';
import { useShape } from '../ui/state-words.ts';

const tabs = ['all', 'pending', 'held', 'sending', 'sent', 'failed', 'in_doubt'] as const;
export type Tab = (typeof tabs)[number];

/** The tab that a filter is shown under. */
export function tabOf(filter: RowFilter): Tab {
  if (filter.in_doubt) return 'in_doubt';
  return filter.held ? 'held' : (filter.state ?? 'all');
}

/** Failed and in doubt are shown apart, though both are the state `failed` in the table. */
export function countOf(counts: FilterCounts, tab: Tab): number {
  if (tab === 'failed') return counts.failed - counts.in_doubt;
  return counts[tab];
}

/** Counts by state under the other filters, and the filter that each is. */
export function StateTabs({
  counts,
  filter,
  onFilter,
}: {
  counts: FilterCounts | null;
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
}) {
  const { t } = useTranslation();
  const shape = useShape();
  const chosen = tabOf(filter);
  const choose = (tab: Tab) => {
    const rest = apartFromTabs(filter);
    if (tab === 'all') onFilter(rest);
    else if (tab === 'in_doubt') onFilter({ ...rest, state: 'failed', in_doubt: true });
    else if (tab === 'failed') onFilter({ ...rest, state: 'failed', in_doubt: false });
    else if (tab === 'held') onFilter({ ...rest, state: 'pending', held: true });
    else onFilter({ ...rest, state: tab });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row with its legend hidden
    <div className="pr-tabs" role="group" aria-label={t('queue.byState')}>
      {tabs.map((tab) => {
        const number = counts && countOf(counts, tab);
        const { word, meaning } =
          tab === 'all' || tab === 'held' ? { word: t(`states.${tab}`), meaning: null } : shape.word(tab);
        return (
          <UnstyledButton
            key={tab}
            className="pr-tab"
            aria-pressed={tab === chosen}
            data-state={tab}
            title={meaning ?? undefined}
            onClick={() => choose(tab)}
          >
            {word}
            <span className="pr-tab-count" data-zero={number === 0 || number === null || undefined}>
              {number === null ? '–' : count(number)}
            </span>
          </UnstyledButton>
        );
      })}
    </div>
  );
}
