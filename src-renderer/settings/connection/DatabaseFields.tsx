import { Fieldset, Group, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldsProps } from './ConnectionForm.tsx';
import { FindTables } from './FindTables.tsx';
import { LayoutFields } from './LayoutFields.tsx';
import { SecretInput } from './SecretInput.tsx';
import { TestPart } from './TestPart.tsx';

const shapes = ['studiou-wcmq', 'wp-email-queue', 'jobs', 'email-jobs'] as const;

/** The database that holds the queue, and the folder that holds the attachments. */
export function DatabaseFields(props: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Fieldset legend={t('connection.database')} className="pr-fields">
      <DatabaseLogin {...props} />
      <TestPart part="database" {...props} />
      <QueueFields {...props} />
      <FilesFields {...props} />
    </Fieldset>
  );
}

/** Where the database is, and the login to it. */
export function DatabaseLogin({ draft, change, secret, faults = {} }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Group grow preventGrowOverflow={false} align="flex-start" wrap="nowrap">
        <TextInput
          label={t('connection.host')}
          description={draft.viaSsh ? t('connection.dbHostHelp') : undefined}
          required
          flex={1}
          error={faults.dbHost}
          value={draft.dbHost}
          onChange={(event) => change({ dbHost: event.currentTarget.value })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <NumberInput
          label={t('connection.port')}
          required
          maw={110}
          min={1}
          max={65_535}
          hideControls
          value={draft.dbPort}
          onChange={(value) => typeof value === 'number' && change({ dbPort: value })}
        />
      </Group>
      {draft.dbSocket !== '' && (
        <TextInput
          label={t('connection.dbSocket')}
          description={t('connection.dbSocketHelp')}
          value={draft.dbSocket}
          onChange={(event) => change({ dbSocket: event.currentTarget.value })}
        />
      )}
      <Group grow align="flex-start">
        <TextInput
          label={t('connection.dbName')}
          required
          error={faults.dbName}
          value={draft.dbName}
          onChange={(event) => change({ dbName: event.currentTarget.value })}
        />
        <TextInput
          label={t('connection.prefix')}
          error={faults.dbPrefix}
          value={draft.dbPrefix}
          onChange={(event) => change({ dbPrefix: event.currentTarget.value })}
        />
      </Group>
      <TextInput
        label={t('connection.user')}
        required
        error={faults.dbUser}
        value={draft.dbUser}
        onChange={(event) => change({ dbUser: event.currentTarget.value })}
      />
      <SecretInput label={t('connection.password')} {...secret('database.password')} />
      <Switch
        label={t('connection.dbTls')}
        checked={draft.dbTls}
        onChange={(event) => change({ dbTls: event.currentTarget.checked })}
      />
    </>
  );
}

/** Which queue it holds: our own tables, or one that a program of the shop's fills. */
export function QueueFields({ draft, change, wire, faults }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <FindTables draft={draft} change={change} wire={wire} />
      <Select
        label={t('connection.shape')}
        description={t('connection.shapeHelp')}
        allowDeselect={false}
        value={draft.shape}
        onChange={(shape) => shape && change({ shape })}
        data={shapes.map((value) => ({ value, label: t(`connection.shapes.${value}`) }))}
      />
      {draft.shape !== 'studiou-wcmq' && <LayoutFields draft={draft} change={change} faults={faults} />}
    </>
  );
}

/** The folder that holds the attachments. */
export function FilesFields({ draft, change, wire }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('connection.filesRoot')}
        description={t('connection.filesRootHelp')}
        placeholder="/var/www/html/wp-content/uploads/studiou-wcmq-attachments"
        value={draft.filesRoot}
        onChange={(event) => change({ filesRoot: event.currentTarget.value })}
      />
      {draft.filesRoot.trim() !== '' && <TestPart part="files" draft={draft} change={change} wire={wire} />}
    </>
  );
}
