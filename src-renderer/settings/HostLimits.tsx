import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { capsBelow, noLimits } from '../../src-main/contract/host-limits.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { toastDone } from '../ui/toast.ts';
import { HostLimitsFields, type HostSaid, isStated } from './HostLimitsFields.tsx';

/** What the host allows, and the limits that Postroom keeps below it. */
export function HostLimits() {
  const { t } = useTranslation();
  const { profile, status, refresh } = useShop();
  const [said, setSaid] = useState<HostSaid>({ host: null, limits: noLimits });
  const [asked, setAsked] = useState(false);
  const stated = isStated(said.limits);
  const save = useAction(async () => {
    if (!status) return;
    await call('settings:save', profile.id, capsBelow(said.limits, status.settings));
    await refresh();
    toastDone(t('hostLimits.saved'));
  });
  if (!status) return null;
  return (
    <Stack
      gap="sm"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (stated) void save.run();
      }}
      aria-label={t('hostLimits.title')}
    >
      <Title order={3} size="h4">
        {t('hostLimits.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('hostLimits.text')}
      </Text>
      <HostLimitsFields said={said} onSaid={setSaid} now={status.settings} />
      {save.error && <ErrorNote error={save.error} />}
      <Group>
        <Button type="submit" variant="default" loading={save.busy}>
          {t('hostLimits.save')}
        </Button>
        <Text size="sm" role="status">
          {asked && !stated && t('hostLimits.noneStated')}
        </Text>
      </Group>
    </Stack>
  );
}
