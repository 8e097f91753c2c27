import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { IconFilterOff, IconMailbox, IconMailOff } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apartFromTabs, type RowFilter, type RowId, type RowSort } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useBeat, useChangeCount, useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { count } from '../ui/format.ts';
import { Nothing } from '../ui/Nothing.tsx';
import { BulkBar } from './BulkBar.tsx';
import { FilterBar, filtersSet } from './FilterBar.tsx';
import { Filters } from './Filters.tsx';
import { useOrders } from './order/use-orders.tsx';
import './queue.css';
import { RowTable } from './RowTable.tsx';
import { countOf, StateTabs, tabOf } from './StateTabs.tsx';
import { type Chosen, countChosen, nothingChosen } from './selection.ts';
import { useInUse } from './use-in-use.ts';
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
  const [chosen, setChosen] = useState<Chosen>(nothingChosen);
  const [sort, setSort] = useState<RowSort | undefined>(undefined);
  const [open, setOpen] = useState(filtersSet(filter) > 0);
  const searchBox = useRef<HTMLInputElement>(null);
  useHotkeys([
    ['mod+F', () => searchBox.current?.focus()],
    ['/', () => searchBox.current?.focus()],
    ['f', () => setOpen((old) => !old)],
  ]);

  const { search: _old, ...rest } = filter;
  const full: RowFilter = wanted ? { ...rest, search: wanted } : rest;
  const fullKey = JSON.stringify(full);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter ends the selection
  useEffect(() => setChosen(nothingChosen), [fullKey]);

  const changes = useChangeCount(profile.id);
  // planned departures move with the state and with time, though no row has changed
  const beat = useBeat(departuresEveryMs);
  const moved = `${changes} ${beat} ${status?.state} ${status?.pause?.until}`;
  const inUse = useInUse();
  const still = countChosen(chosen) > 0 || inUse.used;
  const rows = useRows(profile.id, { filter: full, sort, changes: moved, still });
  const counted = apartFromTabs(full);
  const counts = useFetched(
    () => call('queue:counts', profile.id, counted),
    `${profile.id} ${JSON.stringify(counted)}`,
    0,
    changes + beat,
  );
  const deletes = useFetched(() => call('queue:waiting-deletes', profile.id), profile.id, 0, changes);
  const going = new Set(deletes.value?.flatMap(({ ids }) => ids) ?? []);
  const orders = useOrders(async () => {
    setChosen(nothingChosen);
    await Promise.all([rows.refresh(), counts.refresh(), deletes.refresh()]);
  });

  const shownSort: RowSort =
    sort ??
    (full.state === 'pending' ? { by: 'departure', descending: false } : { by: 'id', descending: true });
  const total = rows.total;
  const newest =
    counts.value &&
    (full.state === 'failed' && full.in_doubt === undefined
      ? counts.value.failed
      : countOf(counts.value, tabOf(full)));
  const behind = still && total !== null && newest !== null ? newest - total : 0;
  const filtered = full.state !== undefined || wanted !== '' || filtersSet(full) > 0;

  return (
    <section className="pr-sheet pr-queue" aria-label={t('nav.queue')}>
      <div className="pr-queue-head">
        <StateTabs counts={counts.value} filter={filter} onFilter={onFilter} />
        <FilterBar
          search={search}
          onSearch={setSearch}
          searchBox={searchBox}
          sort={shownSort}
          onSort={setSort}
          open={open}
          onOpen={setOpen}
          set={filtersSet(filter)}
        />
      </div>
      {open && <Filters filter={filter} onFilter={onFilter} />}
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
      {total === 0 ? (
        filtered ? (
          <Nothing
            icon={wanted || filtersSet(full) > 0 ? IconFilterOff : IconMailOff}
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
          sort={shownSort}
          onSort={setSort}
          chosen={chosen}
          onChosen={setChosen}
          open={row}
          onOpen={(id) => onRow(id)}
          onAsk={orders.ask}
          going={going}
          onUsed={inUse.tell}
        />
      )}
      <footer className="pr-queue-foot">
        {countChosen(chosen) > 0 ? (
          <BulkBar total={total ?? 0} filter={full} chosen={chosen} onChosen={setChosen} orders={orders} />
        ) : (
          <>
            <Text size="xs" c="dimmed">
              {total === null
                ? t('common.loading')
                : t('queue.shown', { count: total, number: count(total) })}
            </Text>
            <Text size="xs" c="dimmed" className="pr-keys">
              {t('queue.keys')}
            </Text>
          </>
        )}
        {behind !== 0 && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            fw={600}
            onClick={() => {
              setChosen(nothingChosen);
              void rows.refresh();
            }}
          >
            {behind > 0
              ? t('queue.newer', { count: behind, number: count(behind) })
              : t('queue.fewer', { count: -behind, number: count(-behind) })}
          </Anchor>
        )}
      </footer>
      {orders.dialog}
      <Suspense fallback={null}>
        {row !== null && <RowDrawer id={row} onClose={() => onRow(null)} orders={orders} changes={changes} />}
      </Suspense>
    </section>
  );
}
