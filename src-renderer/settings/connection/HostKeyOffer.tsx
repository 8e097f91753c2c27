import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ProfileView, ShopConnection } from '../../../src-main/contract/channels.ts';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { toDraft, toForm } from './draft.ts';

const fingerprint = /SHA256:[A-Za-z0-9+/]{43}=?/;

interface Props {
  view: ProfileView;
  connection: ShopConnection;
  onTrusted: () => Promise<void>;
}

/** A server that is met for the first time: its key, and the choice to trust it. Never offered for a changed key. */
export function HostKeyOffer({ view, connection, onTrusted }: Props) {
  const { t } = useTranslation();
  const draft = toDraft(view.form);
  const error =
    connection.phase === 'failed' && connection.error.code === 'host-key' ? connection.error : null;
  const key = error && fingerprint.exec(`${error.message} ${error.detail ?? ''}`)?.[0];
  const trust = useAction(async () => {
    await call('profiles:save', view.id, toForm({ ...draft, sshHostKey: key ?? '' }, view.form), {});
    await onTrusted();
  });
  if (!key || draft.sshHostKey !== '') return null;
  return (
    <Alert color="yellow" variant="light" icon={<IconKey size={18} aria-hidden />} title={t('hostKey.title')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('hostKey.text', { host: draft.sshHost })}</Text>
        <Code>{key}</Code>
        {trust.error && <ErrorNote error={trust.error} />}
        <Button size="xs" loading={trust.busy} onClick={() => void trust.run()}>
          {t('hostKey.trust')}
        </Button>
      </Stack>
    </Alert>
  );
}
