import { Box, Button, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../bridge/client.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Actions } from './Actions.tsx';
import './banner.css';
import { BooksHint } from './BooksHint.tsx';
import { Figures } from './Figures.tsx';
import { LightCauses, Lights } from './Lights.tsx';
import { OthersStrip } from './OthersStrip.tsx';
import { PauseStrip } from './PauseStrip.tsx';
import { SecretAsk } from './SecretAsk.tsx';
import { SleepStrip } from './SleepStrip.tsx';
import { StateSign } from './StateSign.tsx';

/** How the shop stands, always in sight. */
export function Banner({ onDoubts }: { onDoubts: () => void }) {
  const { t } = useTranslation();
  const { profile, status, error } = useShop();
  const failed = profile.connection.phase === 'failed' ? profile.connection.error : null;
  return (
    <Box component="section" aria-label={t('banner.label')} className="pr-sheet pr-banner">
      <Group className="pr-banner-top" justify="space-between" gap="lg" align="center">
        <StateSign status={status} phase={profile.connection.phase} />
        {status && <Figures />}
        {status && <Actions status={status} />}
        {profile.connection.phase === 'closed' && (
          <Button onClick={() => void call('shop:connect', profile.id)}>{t('banner.connect')}</Button>
        )}
      </Group>
      {status && (
        <Group className="pr-banner-foot" justify="space-between" gap="md">
          <Lights lights={status.lights} stale={error !== null} />
          <BooksHint />
        </Group>
      )}
      <Stack gap="xs" className="pr-banner-notes">
        {status?.pause && <PauseStrip pause={status.pause} />}
        {status && <OthersStrip status={status} />}
        {status?.sleep && <SleepStrip sleep={status.sleep} now={status.now} onDoubts={onDoubts} />}
        {status && <LightCauses lights={status.lights} />}
        {failed && (
          <ErrorNote
            error={failed}
            action={
              failed.code === 'secret' ? (
                <SecretAsk profile={profile.id} />
              ) : (
                <Button
                  mt="xs"
                  size="xs"
                  variant="light"
                  color="red"
                  onClick={() => void call('shop:connect', profile.id)}
                >
                  {t('common.tryAgain')}
                </Button>
              )
            }
          />
        )}
        {!failed && error && profile.connection.phase === 'open' && <ErrorNote error={error} />}
      </Stack>
    </Box>
  );
}
