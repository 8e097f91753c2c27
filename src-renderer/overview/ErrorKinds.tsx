import { Anchor, Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ErrorKind } from '../../src-main/contract/overview.ts';
import type { RowId } from '../../src-main/contract/rows.ts';
import { count, when } from '../ui/format.ts';
import { Panel } from './Panel.tsx';

const colors = { rejected: 'red', deferred: 'yellow', 'in-doubt': 'grape' } as const;

interface Props {
  errors: ErrorKind[];
  now: number;
  onRow: (row: RowId) => void;
}

/** What mail servers said when they did not take a mail, the most frequent first. */
export function ErrorKinds({ errors, now, onRow }: Props) {
  const { t } = useTranslation();
  return (
    <Panel title={t('overview.errors')} note={t('overview.errorsNote')}>
      {errors.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('overview.noErrors')}
        </Text>
      ) : (
        <ul className="pr-kinds">
          {errors.map(({ words, outcome, count: times, lastAt, example }) => (
            <li key={`${outcome} ${words} ${lastAt}`}>
              <b className="pr-kind-count">{count(times)}</b>
              <Badge color={colors[outcome]} variant="light" radius="sm" tt="none" style={{ flex: 'none' }}>
                {t(`overview.kind.${outcome}`)}
              </Badge>
              <span className="pr-kind-words">{words || t('overview.noWords')}</span>
              <Text span size="xs" c="dimmed" style={{ flex: 'none' }}>
                {when(lastAt, now)}
              </Text>
              {example !== null && (
                <Anchor
                  component="button"
                  type="button"
                  size="xs"
                  onClick={() => onRow(example)}
                  style={{ flex: 'none' }}
                >
                  {t('overview.example')}
                </Anchor>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
