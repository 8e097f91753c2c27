import { Alert, Anchor, Text } from '@mantine/core';
import { IconMoon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SleepReport } from '../../src-main/contract/status.ts';
import { SleepWords } from '../ui/SleepWords.tsx';

/** What was found after this computer had slept; gone once it was read. */
export function SleepStrip({
  sleep,
  now,
  onDoubts,
}: {
  sleep: SleepReport;
  now: number;
  onDoubts: () => void;
}) {
  const { t } = useTranslation();
  const [read, setRead] = useState<number | null>(null);
  // s: a report of the morning is no news in the afternoon
  if (read === sleep.to || now - sleep.to > 3 * 3600) return null;
  return (
    <Alert
      role="status"
      color={sleep.in_doubt > 0 ? 'grape' : 'gray'}
      variant="light"
      py={8}
      icon={<IconMoon size={18} aria-hidden />}
      withCloseButton
      closeButtonLabel={t('common.dismiss')}
      onClose={() => setRead(sleep.to)}
    >
      <Text size="sm">
        <SleepWords sleep={sleep} />
        {sleep.in_doubt > 0 && (
          <>
            {' '}
            <Anchor component="button" type="button" size="sm" c="inherit" td="underline" onClick={onDoubts}>
              {t('sleep.toDoubts')}
            </Anchor>
          </>
        )}
      </Text>
    </Alert>
  );
}
