import { Alert, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo } from '../../src-main/contract/channels.ts';
import { type NotifyLevel, notifyLevels, type Preferences } from '../../src-main/contract/preferences.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { told } from '../i18n.ts';
import { languages } from '../locales/languages.ts';
import { SchemeSwitch } from '../shell/SchemeSwitch.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { QuietHours } from './QuietHours.tsx';

/** What concerns this computer alone. Each change holds at once. */
export function Computer({ info, onChanged }: { info: AppInfo; onChanged: () => Promise<void> }) {
  const { t } = useTranslation();
  const [set, setSet] = useState<Preferences>(info.preferences);
  const save = useAction(async (patch: Partial<Preferences>) => {
    setSet((old) => ({ ...old, ...patch }));
    try {
      setSet(await call('app:save-preferences', patch));
    } catch (thrown) {
      setSet(info.preferences);
      throw thrown;
    }
    await onChanged();
  });
  const change = (patch: Partial<Preferences>) => void save.run(patch);
  return (
    <div className="pr-settings-body">
      <Stack gap="lg">
        <Title order={2} size="h3">
          {t('settings.section.computer')}
        </Title>
        {save.error && <ErrorNote error={save.error} />}
        <Select
          label={t('computer.language')}
          maw={260}
          allowDeselect={false}
          value={set.language}
          onChange={(value) => value && change({ language: value })}
          data={[
            { value: 'system', label: t('computer.languages.system') },
            ...languages.map((tag) => ({ value: tag, label: ownName(tag) })),
          ]}
        />
        <div>
          <Text size="sm" fw={500} mb={6}>
            {t('scheme.label')}
          </Text>
          <div style={{ maxWidth: 220 }}>
            <SchemeSwitch />
          </div>
        </div>
        <Switch
          label={t('computer.tray')}
          description={t('computer.trayHelp')}
          checked={set.keepInTray}
          onChange={(event) => change({ keepInTray: event.currentTarget.checked })}
        />
        <Switch
          label={t('computer.login')}
          description={t('computer.loginHelp')}
          checked={set.startAtLogin}
          onChange={(event) => change({ startAtLogin: event.currentTarget.checked })}
        />
        <Select
          label={t('computer.notifications')}
          description={t(`computer.notifyHelp.${set.notifications}`)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maw={260}
          allowDeselect={false}
          value={set.notifications}
          onChange={(value) => value && change({ notifications: value as NotifyLevel })}
          data={notifyLevels.map((value) => ({ value, label: t(`computer.notify.${value}`) }))}
        />
        {set.notifications !== 'none' && (
          <QuietHours hours={set.quietHours} onChange={(quietHours) => change({ quietHours })} />
        )}
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

/** A language as it calls itself: Čeština. */
function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
