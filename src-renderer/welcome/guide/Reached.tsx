import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretAsk } from '../../banner/SecretAsk.tsx';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import type { Guide } from './use-guide.ts';

/** How far the shop is reached: `schema` = reached, but its tables are not there; `open` = it drains what waits. */
export type Reach = 'no' | 'schema' | 'open';

export function useReach(): Reach {
  const { connection } = useShop().profile;
  if (connection.phase === 'open') return 'open';
  return connection.phase === 'failed' && connection.error.code === 'schema' ? 'schema' : 'no';
}

/** The connection while it is being made, or why it could not be, with the ways out; else what needs it. */
export function Reached({ guide, children }: { guide: Guide; children: ReactNode }) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const { connection } = profile;
  const reach = useReach();
  const connect = useAction(() => call('guide:connect', profile.id));
  const stop = useAction(() => call('shop:disconnect', profile.id));
  if (reach !== 'no') return children;
  if (connection.phase === 'connecting')
    return (
      <Group gap="sm" role="status">
        <Loader type="dots" size="sm" aria-hidden />
        <Text size="sm">{t('guide.connection.busy')}</Text>
        <Button size="xs" variant="subtle" onClick={() => void stop.run()}>
          {t('look.stop')}
        </Button>
      </Group>
    );
  const ways = (
    <Group gap="xs" mt="xs">
      <Button size="xs" variant="default" loading={connect.busy} onClick={() => void connect.run()}>
        {t('guide.connection.again')}
      </Button>
      <Button size="xs" variant="default" onClick={() => void guide.go('check')}>
        {t('guide.check.mend', { step: t('guide.title.check') })}
      </Button>
    </Group>
  );
  if (connection.phase === 'failed')
    return (
      <ErrorNote
        error={connection.error}
        action={connection.error.code === 'secret' ? <SecretAsk profile={profile.id} /> : ways}
      />
    );
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {t('guide.connection.none')}
      </Text>
      {ways}
      {connect.error && <ErrorNote error={connect.error} />}
    </Stack>
  );
}
