import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconPower } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { useConfirm } from '../ui/Confirm.tsx';
import { useShape } from '../ui/state-words.ts';
import { toastError } from '../ui/toast.ts';
import { PauseMenu } from './PauseMenu.tsx';

/** Enable, disable, pause. */
export function Actions({ status }: { status: ShopStatus }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { ownTable } = useShape();
  const { ask, dialog } = useConfirm();
  const run = async (what: () => Promise<unknown>) => {
    try {
      await what();
    } catch (thrown) {
      toastError(thrown);
    }
    await refresh();
  };
  const enable = useAction(() => run(() => call('shop:enable', profile.id)));

  const askDisable = () =>
    ask({
      title: t('disable.title'),
      confirm: t('disable.confirm'),
      body: ownTable ? (
        t('disable.ownTable')
      ) : (
        <Stack gap="xs">
          <Text size="sm">{t('disable.newMail')}</Text>
          <Text size="sm">
            {status.remaining > 0 ? t('disable.drains', { count: status.remaining }) : t('disable.atOnce')}
          </Text>
        </Stack>
      ),
      act: async () => {
        await call('shop:disable', profile.id);
        await refresh();
      },
    });

  return (
    <Group gap="xs" wrap="nowrap" className="pr-actions">
      {status.state !== 'disabled' && !status.pause && <PauseMenu />}
      {status.state === 'enabled' ? (
        <Button variant="default" leftSection={<IconPower size={16} aria-hidden />} onClick={askDisable}>
          {t('banner.disable')}
        </Button>
      ) : (
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={enable.busy}
          onClick={() => void enable.run()}
        >
          {t('banner.enable')}
        </Button>
      )}
      {dialog}
    </Group>
  );
}
