import { Alert, Button, Group, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../bridge/client.ts';
import { useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { MailTypeRow } from './MailTypeRow.tsx';
import type { SectionProps } from './ShopSettings.tsx';
import { isUrgent } from './urgent.ts';

/** Which mail the shop queues, what leaves first, and what is not worth sending late. */
export function MailTypes({ draft, change }: SectionProps) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const { value: listed } = useFetched(() => call('shop:mail-types', profile.id), `types ${profile.id}`);
  const titles = new Map((listed ?? []).map(({ id, title }) => [id, title]));
  const types = [
    ...new Set([
      ...titles.keys(),
      ...draft.handled_contexts,
      ...Object.keys(draft.priorities),
      ...Object.keys(draft.expire_after),
    ]),
  ];
  return (
    <>
      {listed !== null && (
        <Text size="sm">{t(listed.length > 0 ? 'settings.typesFromShop' : 'settings.noTypesYet')}</Text>
      )}
      {draft.handled_contexts.some(isUrgent) && (
        <Alert color="yellow" variant="light" py={8}>
          <Text size="sm">{t('settings.urgent')}</Text>
        </Alert>
      )}
      <div>
        <Text size="sm" fw={500}>
          {t('settings.byType')}
        </Text>
        <Text size="xs" c="dimmed" mb="xs">
          {t('settings.byTypeHelp')}
        </Text>
        <div className="pr-sideways">
          <Table verticalSpacing={6} miw={460}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={70}>{t('settings.queued')}</Table.Th>
                <Table.Th>{t('settings.type')}</Table.Th>
                <Table.Th w={110}>{t('settings.priority')}</Table.Th>
                <Table.Th w={150}>{t('settings.expires')}</Table.Th>
                <Table.Th w={40}>
                  <VisuallyHidden>{t('settings.resetType')}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {types.map((type) => (
                <MailTypeRow
                  key={type}
                  type={type}
                  title={titles.get(type) ?? ''}
                  draft={draft}
                  change={change}
                />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </div>
      <AddType
        onAdd={(type) => change({ handled_contexts: [...new Set([...draft.handled_contexts, type])] })}
      />
    </>
  );
}

/** For a type that the shop did not tell of. */
function AddType({ onAdd }: { onAdd: (type: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const add = () => {
    // a name with a space in it is none: two were typed
    for (const one of name.split(/[\s,]+/)) if (one !== '') onAdd(one.slice(0, 100));
    setName('');
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label={t('settings.addType')}
        description={t('settings.addTypeHelp')}
        w="min(320px, 100%)"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault(); // the form behind it saves
          add();
        }}
      />
      <Button variant="default" onClick={add} disabled={name.trim() === ''}>
        {t('settings.add')}
      </Button>
    </Group>
  );
}
