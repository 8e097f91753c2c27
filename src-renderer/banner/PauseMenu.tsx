import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { tomorrowMorning } from '../ui/moments.ts';
import { toastError } from '../ui/toast.ts';
import { PauseDialog } from './PauseDialog.tsx';

/** For a while, at once; or until a moment of one's own, with the reason that all who look after the shop will read. */
export function PauseMenu() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const [asking, setAsking] = useState(false);
  const pause = useAction(async (minutes: number) => {
    try {
      await call('shop:pause', profile.id, { minutes });
    } catch (thrown) {
      toastError(thrown);
    }
    await refresh();
  });
  const untilTomorrow = () => Math.max(1, Math.round((tomorrowMorning() - Date.now() / 1000) / 60));
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            rightSection={<IconChevronDown size={15} aria-hidden />}
            loading={pause.busy}
          >
            {t('pause.pause')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void pause.run(15)}>{t('pause.for.quarter')}</Menu.Item>
          <Menu.Item onClick={() => void pause.run(60)}>{t('pause.for.hour')}</Menu.Item>
          <Menu.Item onClick={() => void pause.run(untilTomorrow())}>{t('pause.for.tomorrow')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => setAsking(true)}>{t('pause.for.time')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <PauseDialog opened={asking} onClose={() => setAsking(false)} />
    </>
  );
}
