import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestMailReport } from '../../../src-main/contract/desk.ts';
import { TestMail } from '../../settings/TestMail.tsx';
import { Reached, useReach } from './Reached.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';

/** One mail to oneself through the queue, and whether it was seen. */
export function TestStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const reach = useReach();
  const [report, setReport] = useState<TestMailReport | null>(null);
  const [missed, setMissed] = useState(false);
  const [pressed, setPressed] = useState(false);
  /** the button that says yes goes: the keyboard is put at what is said instead */
  const said = useRef<HTMLDivElement>(null);
  const { arrived, setArrived } = guide;
  const reason = () => {
    if (reach === 'no') return t('guide.reason.notConnected');
    if (reach === 'schema') return t('guide.reason.noTables');
    if (arrived) return null;
    return report?.ok ? t('guide.reason.unseen') : t('guide.reason.untested');
  };
  return (
    <StepFrame
      guide={guide}
      reason={pressed ? reason() : null}
      onNext={() => {
        setPressed(true);
        if (!reason()) void guide.go('enable');
      }}
      otherwise={
        reach === 'open' && !arrived
          ? { label: t('guide.test.without'), run: () => void guide.go('enable') }
          : null
      }
    >
      <Reached guide={guide}>
        {reach === 'schema' ? (
          <Alert color="yellow" variant="light">
            <Text size="sm">{t('guide.reason.noTables')}</Text>
            <Button size="xs" variant="default" mt="xs" onClick={() => void guide.go('tables')}>
              {t('guide.check.mend', { step: t('guide.title.tables') })}
            </Button>
          </Alert>
        ) : (
          <TestMail
            plain
            onReport={(became) => {
              setReport(became);
              setMissed(false);
              setArrived(false);
            }}
          />
        )}
      </Reached>
      {report?.ok && !arrived && (
        <Stack gap="xs" role="group" aria-label={t('guide.test.question')}>
          <Text fw={600}>{t('guide.test.question')}</Text>
          <Group gap="xs">
            <Button
              onClick={() => {
                setArrived(true);
                said.current?.focus();
              }}
            >
              {t('guide.test.yes')}
            </Button>
            <Button variant="default" onClick={() => setMissed(true)}>
              {t('guide.test.no')}
            </Button>
          </Group>
        </Stack>
      )}
      <div role="status" ref={said} tabIndex={-1}>
        {arrived && (
          <Alert color="teal" variant="light">
            {t('guide.test.arrived')}
          </Alert>
        )}
        {missed && !arrived && (
          <Alert color="yellow" variant="light" title={t('guide.test.missedTitle')}>
            <List size="sm">
              <List.Item>{t('guide.test.spam')}</List.Item>
              <List.Item>{t('guide.test.wait')}</List.Item>
              <List.Item>{t('guide.test.sender')}</List.Item>
              <List.Item>{t('guide.test.other')}</List.Item>
            </List>
            <Button size="xs" variant="default" mt="xs" onClick={() => void guide.go('mail')}>
              {t('guide.check.mend', { step: t('guide.title.mail') })}
            </Button>
          </Alert>
        )}
      </div>
    </StepFrame>
  );
}
