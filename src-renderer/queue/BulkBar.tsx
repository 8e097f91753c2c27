import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RowFilter } from '../../src-main/contract/rows.ts';
import { count } from '../ui/format.ts';
import { MoreActions } from './order/MoreActions.tsx';
import type { Orders } from './order/use-orders.tsx';
import { type Chosen, countChosen, nothingChosen, selectionOf } from './selection.ts';

interface Props {
  total: number;
  filter: RowFilter;
  chosen: Chosen;
  onChosen: (chosen: Chosen) => void;
  orders: Orders;
}

/** What can be done with the chosen mails. */
export function BulkBar({ total, filter, chosen, onChosen, orders }: Props) {
  const { t } = useTranslation();
  const number = countChosen(chosen);
  const what = selectionOf(chosen);
  return (
    <Group justify="space-between" w="100%" gap="sm" role="toolbar" aria-label={t('bulk.label')}>
      <Group gap="sm">
        <Text size="sm" fw={600} role="status">
          {t(chosen.kind === 'all' ? 'bulk.selectedAll' : 'bulk.selected', {
            count: number,
            number: count(number),
          })}
        </Text>
        {chosen.kind === 'rows' && total > number && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => onChosen({ kind: 'all', filter, count: total })}
          >
            {t('bulk.all', { count: total, number: count(total) })}
          </Anchor>
        )}
        <Anchor component="button" type="button" size="sm" onClick={() => onChosen(nothingChosen)}>
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
          onClick={() => orders.ask('retry', what)}
        >
          {t('actions.retry')}
        </Button>
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => orders.ask('delete', what)}
        >
          {t('actions.delete')}
        </Button>
        <MoreActions size="xs" onAsk={(kind) => orders.ask(kind, what)} />
      </Group>
    </Group>
  );
}
