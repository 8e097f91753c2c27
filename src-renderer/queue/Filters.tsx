import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowFilter } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { dayOf, endOfDay, startOfDay } from '../ui/days.ts';
import { useShape } from '../ui/state-words.ts';

interface Props {
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
}

/** What a list can be narrowed by besides its state: type, domain, order, and when it was written or sent. */
export function Filters({ filter, onFilter }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const { mailTypes } = useShape();
  const kinds = useFetched(() => call('queue:kinds', profile.id), `kinds ${profile.id}`);
  const [domain, setDomain] = useState(filter.domain ?? '');
  const [order, setOrder] = useState(String(filter.order_id ?? ''));
  const dated = filter.sent_from !== undefined || filter.sent_to !== undefined ? 'sent' : 'created';
  const [which, setWhich] = useState<'created' | 'sent'>(dated);
  const fromSeconds = filter[`${which}_from`];
  const toSeconds = filter[`${which}_to`];
  const apply = (changes: { [K in keyof RowFilter]?: RowFilter[K] | undefined }) => {
    const next = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined);
    onFilter(Object.fromEntries(next));
  };
  const [days, setDays] = useState({
    from: fromSeconds === undefined ? '' : dayOf(fromSeconds),
    to: toSeconds === undefined ? '' : dayOf(toSeconds - 1),
  });
  // both, so that the one that was typed last does not undo the one before it
  const typed = useDebouncedCallback((nextDomain: string, nextOrder: string) => {
    const order_id = /^\d{1,20}$/.test(nextOrder.trim()) ? nextOrder.trim() : undefined;
    apply({ domain: nextDomain.trim().replace(/^@/, '').toLowerCase() || undefined, order_id });
  }, 250);
  const orderIsNumber = /^\d{0,20}$/.test(order.trim());
  const dates = (from: number | undefined, to: number | undefined, of: 'created' | 'sent') =>
    apply({
      created_from: undefined,
      created_to: undefined,
      sent_from: undefined,
      sent_to: undefined,
      [`${of}_from`]: from,
      [`${of}_to`]: to,
    });
  // a shop's own table may not tell when a mail was written, and never when it was sent
  const hasDates = status?.shape.name !== 'email-jobs';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row with its legend hidden
    <div className="pr-filters" role="group" aria-label={t('filter.label')}>
      <Group gap="sm" align="flex-end">
        {mailTypes && (
          <Select
            size="xs"
            w={170}
            label={t('filter.type')}
            placeholder={t('filter.any')}
            clearable
            searchable
            data={(kinds.value ?? []).map((kind) => ({
              value: kind.context,
              label: kind.title || kind.context,
            }))}
            value={filter.context ?? null}
            onChange={(context) => apply({ context: context ?? undefined })}
          />
        )}
        <TextInput
          size="xs"
          w={140}
          label={t('filter.domain')}
          placeholder="example.org"
          value={domain}
          onChange={(event) => {
            setDomain(event.currentTarget.value);
            typed(event.currentTarget.value, order);
          }}
        />
        {mailTypes && (
          <TextInput
            size="xs"
            w={100}
            label={t('filter.order')}
            inputMode="numeric"
            value={order}
            error={orderIsNumber ? null : t('filter.orderNumber')}
            onChange={(event) => {
              setOrder(event.currentTarget.value);
              typed(domain, event.currentTarget.value);
            }}
          />
        )}
        {hasDates && (
          <>
            {mailTypes && (
              <Select
                size="xs"
                w={104}
                label={t('filter.date')}
                allowDeselect={false}
                data={[
                  { value: 'created', label: t('filter.created') },
                  { value: 'sent', label: t('filter.sent') },
                ]}
                value={which}
                onChange={(value) => {
                  const next = value === 'sent' ? 'sent' : 'created';
                  setWhich(next);
                  dates(fromSeconds, toSeconds, next);
                }}
              />
            )}
            <TextInput
              size="xs"
              w={128}
              type="date"
              label={t('filter.from')}
              value={days.from}
              onChange={(event) => {
                // a year that is being typed is no day yet, and must stay in the field
                setDays({ ...days, from: event.currentTarget.value });
                dates(startOfDay(event.currentTarget.value) ?? undefined, toSeconds, which);
              }}
            />
            <TextInput
              size="xs"
              w={128}
              type="date"
              label={t('filter.to')}
              value={days.to}
              onChange={(event) => {
                setDays({ ...days, to: event.currentTarget.value });
                dates(fromSeconds, endOfDay(event.currentTarget.value) ?? undefined, which);
              }}
            />
          </>
        )}
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            setDomain('');
            setOrder('');
            setDays({ from: '', to: '' });
            const { state, in_doubt, held, search } = filter;
            const kept = Object.entries({ state, in_doubt, held, search });
            onFilter(Object.fromEntries(kept.filter(([, value]) => value !== undefined)));
          }}
        >
          {t('filter.clear')}
        </Button>
      </Group>
    </div>
  );
}
