import { Alert, Text } from '@mantine/core';
import { IconMoon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SleepReport } from '../../src-main/contract/status.ts';
import { span, when } from '../ui/format.ts';

/** What was found after this computer had slept; gone once it was read. */
export function SleepStrip({ sleep, now }: { sleep: SleepReport; now: number }) {
  const { t } = useTranslation();
  const [read, setRead] = useState<number | null>(null);
  // s: a report of the morning is no news in the afternoon
  if (read === sleep.to || now - sleep.to > 3 * 3600) return null;
  const found = (['sent', 'given_back', 'failed', 'in_doubt'] as const)
    .filter((what) => sleep[what] > 0)
    .map((what) => t(`sleep.${what}`, { count: sleep[what] }));
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
        {t('sleep.slept', {
          span: span(sleep.to - sleep.from, 'long'),
          from: when(sleep.from),
          to: when(sleep.to),
        })}{' '}
        {t('sleep.waited', { count: sleep.waited })} {found.length > 0 ? found.join(' ') : t('sleep.nothing')}
      </Text>
    </Alert>
  );
}
