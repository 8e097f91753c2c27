import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { QueueRow, RowFilter, RowId } from '../../src-main/contract/rows.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { count } from '../ui/format.ts';
import type { RowActions } from './use-row-actions.tsx';
import { fetchAll, type Rows } from './use-rows.ts';

/** most mails that "select all" takes */
const mostSelected = 10_000;

interface Props {
  rows: Rows;
  filter: RowFilter;
  selected: ReadonlyMap<RowId, QueueRow>;
  onSelected: (selected: ReadonlyMap<RowId, QueueRow>) => void;
  actions: RowActions;
}

/** What can be done with the selected mails. */
export function BulkBar({ rows, filter, selected, onSelected, actions }: Props) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const total = Math.min(rows.total ?? 0, mostSelected);
  const all = useAction(async () => {
    const found = await fetchAll(profile.id, filter, mostSelected);
    onSelected(new Map(found.map((row) => [row.id, row])));
  });
  const chosen = [...selected.values()];
  return (
    <Group justify="space-between" w="100%" gap="sm" role="toolbar" aria-label={t('bulk.label')}>
      <Group gap="sm">
        <Text size="sm" fw={600} role="status">
          {t('bulk.selected', { count: selected.size, number: count(selected.size) })}
        </Text>
        {total > selected.size && (
          <Anchor component="button" type="button" size="sm" onClick={() => void all.run()}>
            {t('bulk.all', { count: total, number: count(total) })}
          </Anchor>
        )}
        <Anchor component="button" type="button" size="sm" onClick={() => onSelected(new Map())}>
          {t('bulk.none')}
        </Anchor>
        <Text size="xs" c="dimmed">
          {t('bulk.held')}
        </Text>
      </Group>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => actions.askRetry(chosen)}
        >
          {t('actions.retry')}
        </Button>
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => actions.askDelete(chosen)}
        >
          {t('actions.delete')}
        </Button>
      </Group>
    </Group>
  );
}
