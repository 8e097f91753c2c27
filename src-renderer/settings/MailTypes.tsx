import { ActionIcon, Alert, NumberInput, Table, TagsInput, Text, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SectionProps } from './ShopSettings.tsx';

const usualPriority = 10;
/** mail types that a customer waits for at the screen */
const urgent = /reset|password|new_account/i;

/** Which mail the shop queues, what leaves first, and what is not worth sending late. */
export function MailTypes({ draft, change }: SectionProps) {
  const { t } = useTranslation();
  const types = [
    ...new Set([
      ...draft.handled_contexts,
      ...Object.keys(draft.priorities),
      ...Object.keys(draft.expire_after),
    ]),
  ];
  const without = (map: Record<string, number>, type: string) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => key !== type));
  return (
    <>
      <TagsInput
        label={t('setting.handled_contexts.label')}
        description={t('setting.handled_contexts.help')}
        value={draft.handled_contexts}
        onChange={(handled_contexts) => change({ handled_contexts })}
        splitChars={[',', ' ']}
        acceptValueOnBlur
      />
      {draft.handled_contexts.some((type) => urgent.test(type)) && (
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
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('settings.type')}</Table.Th>
              <Table.Th w={120}>{t('settings.priority')}</Table.Th>
              <Table.Th w={170}>{t('settings.expires')}</Table.Th>
              <Table.Th w={40} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {types.map((type) => (
              <Table.Tr key={type}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{type}</Table.Td>
                <Table.Td>
                  <NumberInput
                    size="xs"
                    aria-label={t('settings.priorityOf', { type })}
                    value={draft.priorities[type] ?? usualPriority}
                    min={-32_768}
                    max={32_767}
                    allowDecimal={false}
                    onChange={(value) => {
                      if (typeof value === 'number')
                        change({ priorities: { ...draft.priorities, [type]: value } });
                    }}
                  />
                </Table.Td>
                <Table.Td>
                  <NumberInput
                    size="xs"
                    aria-label={t('settings.expiresOf', { type })}
                    placeholder={t('settings.never')}
                    value={draft.expire_after[type] ? draft.expire_after[type] / 3600 : ''}
                    min={0}
                    max={87_600}
                    decimalScale={2}
                    suffix={` ${t('units.hours')}`}
                    onChange={(value) =>
                      change({
                        expire_after:
                          typeof value === 'number' && value > 0
                            ? { ...draft.expire_after, [type]: Math.round(value * 3600) }
                            : without(draft.expire_after, type),
                      })
                    }
                  />
                </Table.Td>
                <Table.Td>
                  <Tooltip label={t('settings.resetType')}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('settings.resetTypeOf', { type })}
                      onClick={() =>
                        change({
                          priorities: without(draft.priorities, type),
                          expire_after: without(draft.expire_after, type),
                        })
                      }
                    >
                      <IconX size={15} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}
