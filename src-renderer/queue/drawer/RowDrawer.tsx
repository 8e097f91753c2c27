import { Button, Center, Drawer, Group, Loader, Stack, Tabs, Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowId } from '../../../src-main/contract/rows.ts';
import { call } from '../../bridge/client.ts';
import { useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { MoreActions } from '../order/MoreActions.tsx';
import type { Orders } from '../order/use-orders.tsx';
import { canDelete, canRetry, whyText } from '../why.ts';
import { Attachments } from './Attachments.tsx';
import { Doubt } from './Doubt.tsx';
import './drawer.css';
import { Facts } from './Facts.tsx';
import { History } from './History.tsx';
import { Message } from './Message.tsx';
import { readMail } from './read-mail.ts';

interface Props {
  id: RowId;
  onClose: () => void;
  orders: Orders;
  /** rises when the shop says that something changed */
  changes: number;
}

/** Everything about one mail. */
export default function RowDrawer({ id, onClose, orders, changes }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const [tab, setTab] = useState<string | null>('message');
  const {
    value: row,
    error,
    refresh,
  } = useFetched(() => call('queue:show', profile.id, id), `${profile.id} ${id}`, 0, changes);
  const doubt = useConfirm();
  const mail = row ? readMail(row.payload) : null;
  const why = row ? whyText(row, status, t) : '';
  return (
    <Drawer
      opened
      onClose={onClose}
      closeOnEscape={!orders.asking && !doubt.asking}
      position="right"
      size={620}
      title={
        <Text fw={650} className="pr-clip-2">
          {row ? row.subject || t('queue.noSubject') : t('common.loading')}
        </Text>
      }
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ body: 'pr-drawer-body' }}
    >
      {error && <ErrorNote error={error} />}
      {!row && !error && (
        <Center h={200}>
          <Loader type="dots" />
        </Center>
      )}
      {row && mail && (
        <Stack gap="md" className="pr-drawer">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
                {row.recipient}
              </Text>
              {why && (
                <Text size="sm" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
                  {why}
                </Text>
              )}
            </div>
            <StateBadge state={row.state} inDoubt={row.in_doubt} />
          </Group>
          {row.in_doubt && <Doubt row={row} ask={doubt.ask} onResolved={refresh} />}
          <Facts row={row} />
          <Tabs value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="message">{t('drawer.message')}</Tabs.Tab>
              <Tabs.Tab value="history">{t('drawer.history', { number: row.history.length })}</Tabs.Tab>
              <Tabs.Tab value="attachments">
                {t('drawer.attachments', { number: mail.attachments.length })}
              </Tabs.Tab>
              <Tabs.Tab value="headers">{t('drawer.headers')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="message" pt="md">
              <Message id={row.id} mail={mail} />
            </Tabs.Panel>
            <Tabs.Panel value="history" pt="md">
              <History attempts={row.history} />
            </Tabs.Panel>
            <Tabs.Panel value="attachments" pt="md">
              <Attachments id={row.id} files={mail.attachments} />
            </Tabs.Panel>
            <Tabs.Panel value="headers" pt="md">
              <pre className="pr-pre" data-view="source">
                {mail.headers || t('drawer.noHeaders')}
              </pre>
            </Tabs.Panel>
          </Tabs>
          <Group className="pr-drawer-foot" justify="flex-end" gap="xs">
            <MoreActions size="sm" onAsk={(kind) => orders.ask(kind, { ids: [row.id] })} />
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              disabled={!canRetry(row)}
              onClick={() => orders.ask('retry', { ids: [row.id] })}
            >
              {t('actions.retry')}
            </Button>
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              disabled={!canDelete(row)}
              onClick={() => orders.ask('delete', { ids: [row.id] })}
            >
              {t('actions.delete')}
            </Button>
          </Group>
        </Stack>
      )}
      {doubt.dialog}
    </Drawer>
  );
}
