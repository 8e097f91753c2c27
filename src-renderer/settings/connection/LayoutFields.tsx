import { Group, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldsProps } from './ConnectionForm.tsx';

/** Where a shop's own table differs from its usual form; empty fields mean the usual one. */
export function LayoutFields({
  draft,
  change,
  faults = {},
}: Pick<FieldsProps, 'draft' | 'change' | 'faults'>) {
  const { t } = useTranslation();
  return (
    <>
      <Group grow align="flex-start">
        <TextInput
          label={t('connection.layout.table')}
          description={t('connection.layout.tableHelp')}
          error={faults.layoutTable}
          value={draft.layoutTable}
          onChange={(event) => change({ layoutTable: event.currentTarget.value })}
        />
        {draft.shape !== 'wp-email-queue' && (
          <TextInput
            label={t('connection.layout.failedTable')}
            description={t('connection.layout.tableHelp')}
            error={faults.layoutFailedTable}
            value={draft.layoutFailedTable}
            onChange={(event) => change({ layoutFailedTable: event.currentTarget.value })}
          />
        )}
      </Group>
      {draft.shape === 'jobs' && (
        <TextInput
          label={t('connection.layout.queues')}
          description={t('connection.layout.queuesHelp')}
          placeholder="default"
          value={draft.layoutQueues}
          onChange={(event) => change({ layoutQueues: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={t('connection.layout.columns')}
        description={t('connection.layout.columnsHelp')}
        placeholder="destinatario = para"
        autosize
        minRows={1}
        maxRows={6}
        error={faults.layoutColumns}
        value={draft.layoutColumns}
        onChange={(event) => change({ layoutColumns: event.currentTarget.value })}
      />
      <TextInput
        label={t('connection.layout.zone')}
        description={t('connection.layout.zoneHelp')}
        placeholder="Europe/Prague"
        error={faults.layoutZone}
        value={draft.layoutZone}
        onChange={(event) => change({ layoutZone: event.currentTarget.value })}
      />
    </>
  );
}
