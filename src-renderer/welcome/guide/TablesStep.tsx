import { Code, Group, List, Loader, Spoiler, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SchemaReport } from '../../../src-main/contract/desk.ts';
import { call } from '../../bridge/client.ts';
import { useAction, useFetched } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Reached, useReach } from './Reached.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';

/** What is put into the shop's database, by name and statement; and putting it there. */
export function TablesStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const reach = useReach();
  const [pressed, setPressed] = useState(false);
  const beside = guide.draft.shape !== 'studiou-wcmq';
  const found = useFetched(
    async () => (reach === 'no' ? null : call('shop:schema', profile.id, false)),
    `${profile.id} ${reach}`,
  );
  const report = found.value;
  const install = useAction(async () => {
    if (report && !report.complete) {
      await call('shop:schema', profile.id, true);
      // tables beside a shop's own queue are used from the next connection on
      if (beside) await call('guide:connect', profile.id);
    }
    await guide.go('test');
  });
  const ready = reach !== 'no' && report !== null;
  const reason = reach === 'no' ? t('guide.reason.notConnected') : ready ? null : t('guide.reason.looking');
  return (
    <StepFrame
      guide={guide}
      {...(ready && !report.complete ? { next: t('tables.apply') } : {})}
      busy={install.busy ? t('guide.busy.install') : null}
      reason={pressed ? reason : null}
      onNext={() => {
        setPressed(true);
        if (!reason) void install.run();
      }}
      otherwise={
        ready && beside && !report.complete
          ? { label: t('guide.tables.without'), run: () => void guide.go('test') }
          : null
      }
    >
      <Reached guide={guide}>
        {found.error && <ErrorNote error={found.error} />}
        {!report && !found.error && (
          <Group gap="sm" role="status">
            <Loader type="dots" size="sm" aria-hidden />
            <Text size="sm">{t('guide.tables.looking')}</Text>
          </Group>
        )}
        {report?.complete && (
          <Text role="status">{t('tables.complete', { count: report.tables.length })}</Text>
        )}
        {report && !report.complete && <WhatIsMade report={report} beside={beside} />}
      </Reached>
      {install.error && (
        <Stack gap="xs">
          <ErrorNote error={install.error} />
          <Text size="sm">{t('guide.tables.byHand')}</Text>
        </Stack>
      )}
    </StepFrame>
  );
}

function WhatIsMade({ report, beside }: { report: SchemaReport; beside: boolean }) {
  const { t } = useTranslation();
  const made = report.tables.filter((table) => !table.exists);
  const changed = report.tables.filter(
    (table) => table.exists && table.missingColumns.length + table.missingKeys.length > 0,
  );
  const statements = report.statements.map((one) => `${one};`).join('\n\n');
  return (
    <Stack gap="sm">
      <Text size="sm">{t(beside ? 'guide.tables.beside' : 'guide.tables.own')}</Text>
      {made.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {t('guide.tables.made', { count: made.length })}
          </Text>
          <List size="sm">
            {made.map(({ name }) => (
              <List.Item key={name}>
                <Code>{name}</Code>
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {changed.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {t('guide.tables.changed', { count: changed.length })}
          </Text>
          <List size="sm">
            {changed.map(({ name, missingColumns, missingKeys }) => (
              <List.Item key={name}>
                <Code>{name}</Code>: {[...missingColumns, ...missingKeys].join(', ')}
              </List.Item>
            ))}
          </List>
        </div>
      )}
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Spoiler
          flex={1}
          miw={0}
          maxHeight={0}
          showLabel={t('books.statements')}
          hideLabel={t('common.hideDetails')}
          styles={{ control: { fontSize: 'var(--mantine-font-size-sm)' } }}
        >
          <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {statements}
          </Code>
        </Spoiler>
        <Copy text={statements} what={t('guide.tables.statements')} />
      </Group>
    </Stack>
  );
}
