import { Alert, Button, CloseButton, Group, Kbd, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { IconFilterOff, IconMailbox, IconMailOff, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueueRow, RowFilter, RowId } from '../../src-main/contract/rows.ts';
import { useBeat, useChangeCount } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { count } from '../ui/format.ts';
import { Nothing } from '../ui/Nothing.tsx';
import { BulkBar } from './BulkBar.tsx';
import './queue.css';
import { RowTable } from './RowTable.tsx';
import { StateTabs } from './StateTabs.tsx';
import { useRowActions } from './use-row-actions.tsx';
import { useRows } from './use-rows.ts';

/** ms between two looks at planned departures */
const departuresEveryMs = 5000;

const RowDrawer = lazy(() => import('./drawer/RowDrawer.tsx'));

interface Props {
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
  /** the mail in the drawer */
  row: RowId | null;
  onRow: (row: RowId | null) => void;
}

/** All mail of the shop: what waits, what left, what went wrong. */
export default function QueueScreen({ filter, onFilter, row, onRow }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const [search, setSearch] = useState(filter.search ?? '');
  const [wanted] = useDebouncedValue(search.trim(), 200);
  const [selected, setSelected] = useState<ReadonlyMap<RowId, QueueRow>>(new Map());
  const searchBox = useRef<HTMLInputElement>(null);
  useHotkeys([
    ['mod+F', () => searchBox.current?.focus()],
    ['/', () => searchBox.current?.focus()],
  ]);

  const { search: _old, ...rest } = filter;
  const full: RowFilter = wanted ? { ...rest, search: wanted } : rest;
  const fullKey = JSON.stringify(full);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter ends the selection
  useEffect(() => setSelected(new Map()), [fullKey]);

  const changes = useChangeCount(profile.id);
  // planned departures move with the state and with time, though no row has changed
  const beat = useBeat(departuresEveryMs);
  const moved = `${changes} ${beat} ${status?.state} ${status?.pause?.until}`;
  const rows = useRows(profile.id, full, moved, selected.size > 0);
  const actions = useRowActions(async () => {
    setSelected(new Map());
    await rows.refresh();
  });
  const filtered = filter.state !== undefined || wanted !== '';

  return (
    <section className="pr-sheet pr-queue" aria-label={t('nav.queue')}>
      <Group className="pr-queue-head" justify="space-between" gap="sm">
        <StateTabs counts={status?.counts ?? null} filter={filter} onFilter={onFilter} />
        <TextInput
          ref={searchBox}
          w={260}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder={t('queue.search')}
          aria-label={t('queue.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            search ? (
              <CloseButton size="sm" aria-label={t('queue.clearSearch')} onClick={() => setSearch('')} />
            ) : (
              <Kbd size="xs">/</Kbd>
            )
          }
        />
      </Group>
      {rows.error && (
        <div style={{ padding: '0 16px 12px' }}>
          <ErrorNote error={rows.error} />
        </div>
      )}
      {filter.in_doubt && (
        <Alert color="grape" variant="light" mx={16} mb={12} py={8}>
          <Text size="sm">{t('queue.inDoubtNote')}</Text>
        </Alert>
      )}
      {rows.total === 0 ? (
        filtered ? (
          <Nothing
            icon={wanted ? IconFilterOff : IconMailOff}
            title={t('queue.noneMatch')}
            action={
              <Button
                mt="sm"
                variant="default"
                size="xs"
                onClick={() => {
                  setSearch('');
                  onFilter({});
                }}
              >
                {t('queue.showAll')}
              </Button>
            }
          />
        ) : (
          <Nothing icon={IconMailbox} title={t('queue.empty')}>
            {t(profile.demo ? 'queue.emptyDemo' : 'queue.emptyText')}
          </Nothing>
        )
      ) : (
        <RowTable
          rows={rows}
          selected={selected}
          onSelected={setSelected}
          open={row}
          onOpen={(id) => onRow(id)}
          actions={actions}
        />
      )}
      <footer className="pr-queue-foot">
        {selected.size > 0 ? (
          <BulkBar rows={rows} filter={full} selected={selected} onSelected={setSelected} actions={actions} />
        ) : (
          <Text size="xs" c="dimmed">
            {rows.total === null
              ? t('common.loading')
              : t('queue.shown', { count: rows.total, number: count(rows.total) })}
          </Text>
        )}
      </footer>
      {actions.dialog}
      <Suspense fallback={null}>
        {row !== null && (
          <RowDrawer id={row} onClose={() => onRow(null)} actions={actions} changes={changes} />
        )}
      </Suspense>
    </section>
  );
}
