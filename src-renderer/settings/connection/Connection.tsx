import { Alert, Button, Center, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconFileExport, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { call } from '../../bridge/client.ts';
import { useAction, useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { toastDone } from '../../ui/toast.ts';
import ConnectionForm from './ConnectionForm.tsx';
import { HostKeyOffer } from './HostKeyOffer.tsx';

/** The connection of the shop on screen. */
export default function Connection({ onChanged }: { onChanged: () => Promise<void> }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { ask, dialog } = useConfirm();
  const {
    value: view,
    error,
    refresh: reload,
  } = useFetched(() => call('profiles:get', profile.id), profile.id);
  const saved = async () => {
    toastDone(t('connection.saved'));
    await Promise.all([reload(), onChanged(), refresh()]);
  };
  const exportFile = useAction(async () => {
    const file = await call('profiles:export', profile.id);
    if (file) toastDone(t('connection.exported', { file }));
  });
  const askRemove = () =>
    ask({
      title: t('connection.removeTitle', { name: profile.name }),
      body: t('connection.removeText'),
      confirm: t('connection.remove'),
      danger: true,
      act: async () => {
        await call('profiles:remove', profile.id);
        await onChanged();
      },
    });
  return (
    <div className="pr-settings-body">
      <Stack gap="md">
        <Title order={2} size="h3">
          {t('settings.section.connection')}
        </Title>
        {error && <ErrorNote error={error} />}
        {!view && !error && (
          <Center p="xl">
            <Loader type="dots" />
          </Center>
        )}
        {view?.demo && <Alert variant="light">{t('connection.demo')}</Alert>}
        {view && !view.demo && (
          <>
            <HostKeyOffer view={view} connection={profile.connection} onTrusted={saved} />
            <ConnectionForm key={JSON.stringify(view)} view={view} onSaved={saved} />
          </>
        )}
        {view && !view.demo && (
          <Group justify="space-between" wrap="nowrap" mt="lg">
            <Text size="sm" c="dimmed">
              {t('connection.exportHelp')}
            </Text>
            <Button
              variant="light"
              leftSection={<IconFileExport size={16} aria-hidden />}
              onClick={() => void exportFile.run()}
              style={{ flex: 'none' }}
            >
              {t('connection.export')}
            </Button>
          </Group>
        )}
        {exportFile.error && <ErrorNote error={exportFile.error} />}
        {view && (
          <Group justify="space-between" wrap="nowrap" mt={view.demo ? 'lg' : 0}>
            <Text size="sm" c="dimmed">
              {t('connection.removeHelp')}
            </Text>
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={askRemove}
              style={{ flex: 'none' }}
            >
              {t('connection.remove')}
            </Button>
          </Group>
        )}
      </Stack>
      {dialog}
    </div>
  );
}
