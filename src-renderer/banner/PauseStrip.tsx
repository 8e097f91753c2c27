import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LanePause } from '../../src-main/contract/status.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { told } from '../i18n.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { when } from '../ui/format.ts';

/** Why no mail leaves at the moment, until when, and the way on. */
export function PauseStrip({ pause }: { pause: LanePause }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const resume = useAction(async () => {
    await call('shop:resume', profile.id);
    await refresh();
  });
  return (
    <>
      <Alert
        role="status"
        color="yellow"
        variant="light"
        py={8}
        icon={<IconPlayerPause size={18} aria-hidden />}
      >
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">
            <b>
              {t(pause.by === 'person' ? 'pause.byPerson' : 'pause.byFault', { time: when(pause.until) })}
            </b>
            {pause.reason && ` · ${told(pause.reason)}`}
          </Text>
          <Button
            size="xs"
            variant="default"
            style={{ flex: 'none' }}
            loading={resume.busy}
            onClick={() => void resume.run()}
          >
            {t(pause.by === 'person' ? 'pause.resume' : 'pause.tryNow')}
          </Button>
        </Group>
      </Alert>
      {resume.error && <ErrorNote error={resume.error} />}
    </>
  );
}
