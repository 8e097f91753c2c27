import { Alert, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo } from '../../src-main/contract/channels.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { told } from '../i18n.ts';
import { SchemeSwitch } from '../shell/SchemeSwitch.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';

/** What concerns this computer alone. */
export function Computer({ info, onChanged }: { info: AppInfo; onChanged: () => Promise<void> }) {
  const { t } = useTranslation();
  const [keep, setKeep] = useState(info.keepInTray);
  const save = useAction(async (value: boolean) => {
    setKeep(await call('app:set-keep-in-tray', value));
    await onChanged();
  });
  return (
    <div className="pr-settings-body">
      <Stack gap="lg">
        <Title order={2} size="h3">
          {t('settings.section.computer')}
        </Title>
        <Switch
          label={t('computer.tray')}
          description={t('computer.trayHelp')}
          checked={keep}
          onChange={(event) => void save.run(event.currentTarget.checked)}
        />
        {save.error && <ErrorNote error={save.error} />}
        <div>
          <Text size="sm" fw={500} mb={6}>
            {t('scheme.label')}
          </Text>
          <div style={{ maxWidth: 220 }}>
            <SchemeSwitch />
          </div>
        </div>
        <div>
          <Text size="sm" fw={500} mb={6}>
            {t('computer.vault')}
          </Text>
          {info.vault.ok ? (
            <Text size="sm" c="dimmed">
              {t('computer.vaultOk')}
            </Text>
          ) : (
            <Alert color="yellow" variant="light">
              {told(info.vault.reason)}
            </Alert>
          )}
        </div>
        <Text size="xs" c="dimmed">
          {t('computer.versions', { version: info.version, electron: info.electron })}
        </Text>
      </Stack>
    </div>
  );
}
