import { Alert, Button, Group, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { span, when } from '../ui/format.ts';

/** s without a heartbeat after which a console is not worth a word: three of them */
const quietS = 180;

/** Who else drains this shop, since when, and the choice to do it alone or together. */
export function OthersStrip({ status }: { status: ShopStatus }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { consoles, drain_by: by, now } = status;
  const self = consoles.find((one) => one.self);
  const others = consoles.filter((one) => !one.self && one.able_at !== null && now - one.seen_at < quietS);
  const takeOver = useAction(async () => {
    await call('shop:take-over', profile.id);
    await refresh();
  });
  const share = useAction(async () => {
    await call('shop:share-again', profile.id);
    await refresh();
  });
  const alone = by !== null && by.id === self?.id;
  const aside = by !== null && !alone;
  if (!self || (others.length === 0 && !aside)) return null;
  const words = aside
    ? t('others.aside', { name: by.name, time: when(by.since) })
    : others
        .map(({ name, since, seen_at }) =>
          t(since === null ? 'others.one' : 'others.oneSince', {
            name,
            since: since === null ? '' : when(since),
            ago: span(now - seen_at),
          }),
        )
        .join(' ');
  const problem = takeOver.error ?? share.error;
  return (
    <>
      <Alert
        role="status"
        color={aside ? 'yellow' : 'gray'}
        variant="light"
        py={8}
        icon={<IconDevices size={18} aria-hidden />}
      >
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">
            {words} {!aside && t(alone ? 'others.alone' : 'others.shared')}
          </Text>
          <Group gap="xs" wrap="nowrap" style={{ flex: 'none' }}>
            {by !== null && (
              <Button size="xs" variant="default" loading={share.busy} onClick={() => void share.run()}>
                {t('others.join')}
              </Button>
            )}
            {!alone && (
              <Button size="xs" variant="default" loading={takeOver.busy} onClick={() => void takeOver.run()}>
                {t('others.takeOver')}
              </Button>
            )}
          </Group>
        </Group>
      </Alert>
      {problem && <ErrorNote error={problem} />}
    </>
  );
}
