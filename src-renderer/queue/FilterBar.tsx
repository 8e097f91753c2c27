import { ActionIcon, Button, CloseButton, Group, Kbd, Select, TextInput, Tooltip } from '@mantine/core';
import { IconFilter, IconSearch, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { type RowFilter, type RowSort, type RowSortKey, rowSortKeys } from '../../src-main/contract/rows.ts';
import { useShape } from '../ui/state-words.ts';

/** Orders that a table without mail types cannot give. */
const oursAlone: readonly RowSortKey[] = ['sent_at', 'priority', 'departure'];

interface Props {
  search: string;
  onSearch: (search: string) => void;
  searchBox: RefObject<HTMLInputElement | null>;
  sort: RowSort;
  onSort: (sort: RowSort) => void;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** how many of the filters below are set */
  set: number;
}

/** Search, order, and the way to the other filters. */
export function FilterBar({ search, onSearch, searchBox, sort, onSort, open, onOpen, set }: Props) {
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  const keys = mailTypes ? rowSortKeys : rowSortKeys.filter((key) => !oursAlone.includes(key));
  const direction = t(sort.descending ? 'sort.descending' : 'sort.ascending');
  return (
    <Group gap="xs" wrap="wrap" className="pr-filter-bar">
      <TextInput
        ref={searchBox}
        w={230}
        size="xs"
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        placeholder={t('queue.search')}
        aria-label={t('queue.search')}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={
          search ? (
            <CloseButton size="sm" aria-label={t('queue.clearSearch')} onClick={() => onSearch('')} />
          ) : (
            <Kbd size="xs">/</Kbd>
          )
        }
      />
      <Button
        size="xs"
        variant={set > 0 ? 'light' : 'default'}
        leftSection={<IconFilter size={15} aria-hidden />}
        aria-expanded={open}
        onClick={() => onOpen(!open)}
      >
        {set > 0 ? t('filter.openSet', { count: set }) : t('filter.open')}
      </Button>
      <Group gap={4} wrap="nowrap">
        <Select
          size="xs"
          w={168}
          aria-label={t('sort.label')}
          data={keys.map((key) => ({ value: key, label: t(`sort.by.${key}`) }))}
          value={sort.by}
          allowDeselect={false}
          onChange={(by) => by && onSort({ ...sort, by: by as RowSortKey })}
        />
        <Tooltip label={direction}>
          <ActionIcon
            size={30}
            variant="default"
            aria-label={direction}
            onClick={() => onSort({ ...sort, descending: !sort.descending })}
          >
            {sort.descending ? (
              <IconSortDescending size={16} aria-hidden />
            ) : (
              <IconSortAscending size={16} aria-hidden />
            )}
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

/** How many of the filters are set that `Filters` shows. */
export function filtersSet(filter: RowFilter): number {
  const { context, domain, order_id } = filter;
  const created = filter.created_from !== undefined || filter.created_to !== undefined;
  const sent = filter.sent_from !== undefined || filter.sent_to !== undefined;
  return [context, domain, order_id !== undefined, created, sent].filter(Boolean).length;
}
