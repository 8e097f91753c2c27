import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { dayOf } from '../ui/days.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { momentOf, tomorrowMorning } from '../ui/moments.ts';

/** min: the most that a pause may last (contract/desk): one that is forgotten must end by itself */
const longest = 43_200;

/** Until when, and why. */
export function PauseDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={<Text fw={650}>{t('pause.title')}</Text>}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <PauseForm onClose={onClose} />
    </Modal>
  );
}

function PauseForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const [until, setUntil] = useState(() => asField(tomorrowMorning()));
  const [reason, setReason] = useState('');
  const moment = momentOf(until);
  const minutes = moment === undefined ? 0 : Math.ceil((moment - Date.now() / 1000) / 60);
  const fault =
    moment === undefined ? t('pause.notToCome') : minutes > longest ? t('pause.tooLong', { days: 30 }) : null;
  const pause = useAction(async () => {
    await call('shop:pause', profile.id, { minutes, reason: reason.trim() });
    await refresh();
    onClose();
  });
  return (
    <Stack
      gap="md"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) void pause.run();
      }}
    >
      <Text size="sm">{t('pause.text')}</Text>
      <TextInput
        type="datetime-local"
        label={t('pause.until')}
        data-autofocus
        required
        withAsterisk={false}
        value={until}
        error={fault}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <TextInput
        label={t('pause.reason')}
        description={t('pause.reasonHelp')}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {pause.error && <ErrorNote error={pause.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={pause.busy}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={pause.busy} disabled={fault !== null}>
          {t('pause.pause')}
        </Button>
      </Group>
    </Stack>
  );
}

/** A moment (s since 1970) as a date and time field has it. */
const asField = (seconds: number): string =>
  `${dayOf(seconds)}T${new Date(seconds * 1000).toTimeString().slice(0, 'hh:mm'.length)}`;
