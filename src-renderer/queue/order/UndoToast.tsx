import { Button, Group, Kbd, Paper, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../bridge/client.ts';
import { useAction, useChangeCount, useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { count } from '../../ui/format.ts';
import { toastDone, toastError } from '../../ui/toast.ts';

const undoKeys = /Mac/.test(navigator.userAgent) ? '⌘ Z' : 'Ctrl Z';

/** A confirmed delete waits ten seconds, on the main side: here it can be called off, also after a reload of the window. */
export function UndoToast() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const open = profile.connection.phase === 'open';
  const changes = useChangeCount(profile.id);
  const waiting = useFetched(
    async () =>
      open ? { at: performance.now(), deletes: await call('queue:waiting-deletes', profile.id) } : null,
    `deletes ${profile.id} ${open}`,
    0,
    changes,
  );
  const { value } = waiting;
  const last = value?.deletes.at(-1) ?? null;
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    if (!last) return undefined;
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [last]);
  const left = last && value ? Math.ceil((last.left_ms - (Math.max(now, value.at) - value.at)) / 1000) : 0;
  const undo = useAction(async () => {
    if (!last) return;
    try {
      if (await call('queue:undo', profile.id, last.token))
        toastDone(t('undo.done', { count: last.count, number: count(last.count) }));
      else toastError(new Error(t('undo.late')));
    } catch (thrown) {
      toastError(thrown);
    }
    await Promise.all([waiting.refresh(), refresh()]);
  });
  useHotkeys([['mod+Z', () => void undo.run()]]);
  if (!last || left <= 0) return null;
  const number = count(last.count);
  return (
    <Paper component="section" className="pr-undo" shadow="lg" withBorder aria-label={t('undo.label')}>
      <Group gap="md" wrap="nowrap">
        <Text size="sm" role="status">
          {t('undo.text', { count: last.count, number })}
        </Text>
        <Text size="sm" c="dimmed" aria-hidden className="pr-undo-left">
          {t('undo.left', { seconds: left })}
        </Text>
        <Button
          size="xs"
          leftSection={<IconArrowBackUp size={15} aria-hidden />}
          rightSection={<Kbd size="xs">{undoKeys}</Kbd>}
          loading={undo.busy}
          onClick={() => void undo.run()}
        >
          {t('undo.undo')}
        </Button>
      </Group>
    </Paper>
  );
}
