import { ActionIcon, Checkbox, NumberInput, Table, Text, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SectionProps } from './ShopSettings.tsx';
import { isUrgent } from './urgent.ts';

const usualPriority = 10;

interface Props extends SectionProps {
  type: string;
  /** as the shop calls it; empty where it does not say */
  title: string;
}

/** One mail type: whether it is queued, how early it leaves, how long it is worth sending. */
export function MailTypeRow({ type, title, draft, change }: Props) {
  const { t } = useTranslation();
  const queued = draft.handled_contexts.includes(type);
  const own = type in draft.priorities || type in draft.expire_after;
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={t('settings.queueOf', { type: title || type })}
          checked={queued}
          onChange={(event) =>
            change({
              handled_contexts: event.currentTarget.checked
                ? [...draft.handled_contexts, type]
                : draft.handled_contexts.filter((one) => one !== type),
            })
          }
        />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">{title || type}</Text>
        {title && (
          <Text size="xs" c="dimmed">
            {type}
          </Text>
        )}
        {isUrgent(type) && (
          <Text size="xs" c={queued ? 'inherit' : 'dimmed'}>
            {t('settings.urgentType')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <NumberInput
          size="xs"
          aria-label={t('settings.priorityOf', { type })}
          value={draft.priorities[type] ?? usualPriority}
          min={-32_768}
          max={32_767}
          allowDecimal={false}
          onChange={(value) => {
            if (typeof value === 'number') change({ priorities: { ...draft.priorities, [type]: value } });
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
        {own && (
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
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const without = (map: Record<string, number>, type: string): Record<string, number> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => key !== type));
