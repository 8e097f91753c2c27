import { Text } from '@mantine/core';
import { IconTableSpark } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { FoundTable } from '../../../src-main/contract/look.ts';
import { call } from '../../bridge/client.ts';
import { told } from '../../i18n.ts';
import { count } from '../../ui/format.ts';
import { Choice } from './Choice.tsx';
import type { FieldsProps } from './ConnectionForm.tsx';
import { draftOfTable, worthShowing } from './choose.ts';
import { Findings, StartLook } from './LookAround.tsx';
import { useLook } from './use-look.ts';

/** The tables of the database that look like mail queues; one that is chosen says which queue the shop has. */
export function FindTables({ draft, change, wire }: Pick<FieldsProps, 'draft' | 'change' | 'wire'>) {
  const { t } = useTranslation();
  const look = useLook((id, form) => call('look:tables', id, form), wire);
  const found = look.result && worthShowing(look.result);
  const isChosen = (table: FoundTable) =>
    Object.entries(draftOfTable(table)).every(
      ([field, value]) => draft[field as keyof typeof draft] === value,
    );
  return (
    <>
      <StartLook
        look={look}
        icon={<IconTableSpark size={17} aria-hidden />}
        label={t('look.tables')}
        onStart={() => void look.start(draft)}
      />
      <Findings look={look} draft={draft} change={change}>
        {found?.length === 0 && <Text size="sm">{t('look.noTables')}</Text>}
        {found && found.length > 0 && (
          <ul className="pr-choices" aria-label={t('look.tablesList')}>
            {found.map((table) => (
              <Choice
                key={`${table.shape} ${table.layout.table}`}
                name={table.layout.table ?? ''}
                chosen={table.refused === null && isChosen(table)}
                onChoose={table.refused === null ? () => change(draftOfTable(table)) : null}
              >
                <Table table={table} />
              </Choice>
            ))}
          </ul>
        )}
      </Findings>
    </>
  );
}

function Table({ table }: { table: FoundTable }) {
  const { t } = useTranslation();
  const { layout } = table;
  return (
    <>
      <Text size="sm" fw={600}>
        {layout.table}
      </Text>
      <Text size="sm">{t(`connection.shapes.${table.shape}`)}</Text>
      <Text size="sm" c="dimmed">
        {table.rows === 0
          ? t('look.noRows')
          : t('look.rows', { count: table.rows, number: count(table.rows) })}
        {layout.failedTable && ` ${t('look.failedTable', { table: layout.failedTable })}`}
        {layout.queues && ` ${t('look.queues', { queues: layout.queues.join(', ') })}`}
      </Text>
      {table.refused === null && table.missing.length > 0 && (
        <Text size="sm" mt={4}>
          {t('look.missing', { missing: table.missing.join(', ') })}
        </Text>
      )}
      {table.refused && (
        <Text size="sm" mt={4}>
          {t('look.refused', { reason: told(table.refused) })}
        </Text>
      )}
    </>
  );
}
