import { Anchor, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RowFilter } from '../../src-main/contract/rows.ts';
import type { SleepReport } from '../../src-main/contract/status.ts';
import { SleepWords } from '../ui/SleepWords.tsx';
import { Panel } from './Panel.tsx';

/** What became of the mail while this computer slept last. */
export function LastSleep({
  sleep,
  onFilter,
}: {
  sleep: SleepReport | null;
  onFilter: (filter: RowFilter) => void;
}) {
  const { t } = useTranslation();
  return (
    <Panel title={t('overview.sleep')} note={t('overview.sleepNote')}>
      {sleep === null ? (
        <Text size="sm" c="dimmed">
          {t('overview.noSleep')}
        </Text>
      ) : (
        <Group gap="md">
          <Text size="sm">
            <SleepWords sleep={sleep} />
          </Text>
          {sleep.in_doubt > 0 && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => onFilter({ state: 'failed', in_doubt: true })}
            >
              {t('sleep.toDoubts')}
            </Anchor>
          )}
        </Group>
      )}
    </Panel>
  );
}
