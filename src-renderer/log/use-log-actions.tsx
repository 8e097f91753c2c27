import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLevel } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useAction, useSignal } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { useConfirm } from '../ui/Confirm.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { count } from '../ui/format.ts';
import { useShape } from '../ui/state-words.ts';
import { toastDone } from '../ui/toast.ts';

interface Props {
  /** what is on screen: this is what goes into the file */
  query: { level?: LogLevel; search?: string };
  onCleared: () => Promise<void>;
}

/** The log as a whole: into a file, or away. Both say how far they are, and can be stopped. */
export function useLogActions({ query, onCleared }: Props) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const { booksAlone } = useShape();
  const { ask, dialog } = useConfirm();
  const [done, setDone] = useState<{ lines: number; of: number } | null>(null);
  useSignal('log:export-progress', ({ profile: of, ...progress }) => {
    if (of === profile.id) setDone(progress);
  });
  const write = useAction(async () => {
    setDone(null);
    const written = await call('log:export', profile.id, query);
    if (!written) return;
    const { lines, file, stopped } = written;
    toastDone(
      t(stopped ? 'log.exportStopped' : 'log.exported', { count: lines, number: count(lines), file }),
    );
  });
  const clear = useAction(async () => {
    const lines = await call('log:count', profile.id, {});
    ask({
      title: t('log.clearTitle', { count: lines, number: count(lines) }),
      body: t(booksAlone ? 'log.clearTextAlone' : 'log.clearText'),
      confirm: t('log.clearConfirm', { count: lines, number: count(lines) }),
      danger: true,
      act: async () => {
        const cleared = await call('log:clear', profile.id);
        toastDone(t('log.cleared', { count: cleared, number: count(cleared) }));
        await onCleared();
      },
      stop: () => void call('log:stop', profile.id),
    });
  });
  const problem = write.error ?? clear.error;
  return {
    buttons: (
      <Group gap="xs" wrap="nowrap">
        <Tooltip label={t('log.export')}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('log.export')}
            loading={write.busy}
            onClick={() => void write.run()}
          >
            <IconDownload size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={t('log.clear')}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('log.clear')}
            loading={clear.busy}
            onClick={() => void clear.run()}
          >
            <IconTrash size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    ),
    notes: (
      <>
        {write.busy && done && (
          <Group gap="sm" px="md" py={6} role="status">
            <Text size="sm">{t('log.exporting', { lines: count(done.lines), of: count(done.of) })}</Text>
            <Button size="xs" variant="default" onClick={() => void call('log:stop', profile.id)}>
              {t('look.stop')}
            </Button>
          </Group>
        )}
        {problem && <ErrorNote error={problem} m="md" />}
        {dialog}
      </>
    ),
  };
}
