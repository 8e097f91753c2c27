import { Alert, Button, Group, Table, Text } from '@mantine/core';
import { IconInbox, IconShoppingCart } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { call } from '../bridge/client.ts';
import { useAction, useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { bytes, fullWhen, logWhen } from '../ui/format.ts';
import { Nothing } from '../ui/Nothing.tsx';
import { toastDone } from '../ui/toast.ts';
import './inbox.css';

/** orders per click */
const orders = 10;

/** What the demo shop's customers got: the proof that mail really left, without any leaving this computer. */
export default function InboxScreen() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { value: mails, error } = useFetched(() => call('demo:inbox', 200), profile.id, 1000);
  const sell = useAction(async () => {
    const sold = await call('demo:order', orders);
    toastDone(t('inbox.sold', { count: sold }));
    await refresh();
  });
  return (
    <section className="pr-sheet pr-inbox" aria-label={t('nav.inbox')}>
      <Group className="pr-inbox-head" justify="space-between" wrap="nowrap">
        <div>
          <Text fw={650}>{t('inbox.title')}</Text>
          <Text size="sm" c="dimmed">
            {t('inbox.text')}
          </Text>
        </div>
        <Button
          leftSection={<IconShoppingCart size={17} aria-hidden />}
          loading={sell.busy}
          onClick={() => void sell.run()}
          style={{ flex: 'none' }}
        >
          {t('inbox.sell', { count: orders })}
        </Button>
      </Group>
      {(error ?? sell.error) && <ErrorNote error={(error ?? sell.error) as Error} m="md" />}
      {mails?.length === 0 && (
        <Nothing icon={IconInbox} title={t('inbox.empty')}>
          {t('inbox.emptyText')}
        </Nothing>
      )}
      {mails && mails.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
        <section className="pr-scroll" tabIndex={0} aria-label={t('inbox.list')}>
          <Table highlightOnHover stickyHeader verticalSpacing={9} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('inbox.arrived')}</Table.Th>
                <Table.Th>{t('inbox.to')}</Table.Th>
                <Table.Th>{t('inbox.subject')}</Table.Th>
                <Table.Th ta="right">{t('inbox.size')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {mails.map((mail) => (
                <Table.Tr key={`${mail.messageId} ${mail.at}`}>
                  <Table.Td
                    className="pr-number"
                    style={{ whiteSpace: 'nowrap' }}
                    title={fullWhen(mail.at / 1000)}
                  >
                    {logWhen(mail.at / 1000)}
                  </Table.Td>
                  <Table.Td>{mail.to.join(', ')}</Table.Td>
                  <Table.Td>{mail.subject}</Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                    {bytes(mail.size)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      <Alert variant="light" color="gray" m="md" mt="auto" py={8}>
        <Text size="xs">{t('inbox.safe')}</Text>
      </Alert>
    </section>
  );
}
