import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { priorityBounds, type RowOrder } from '../../../src-main/contract/orders.ts';
import { momentOf, tomorrowMorning } from '../../ui/moments.ts';

interface Props {
  kind: RowOrder['do'];
  /** null while what is typed is no order yet */
  onOrder: (order: RowOrder | null) => void;
}

/** What an order needs to be told; nothing for most. */
export function OrderFields({ kind, onOrder }: Props) {
  if (kind === 'hold') return <HoldFields onOrder={onOrder} />;
  if (kind === 'priority') return <PriorityField onOrder={onOrder} />;
  if (kind === 'readdress') return <AddressField onOrder={onOrder} />;
  return null;
}

const holds = ['released', 'hour', 'tomorrow', 'time'] as const;

function HoldFields({ onOrder }: Pick<Props, 'onOrder'>) {
  const { t } = useTranslation();
  const [how, setHow] = useState<string>('released');
  const [time, setTime] = useState('');
  const tell = (next: string, at: string) => {
    const until = untilOf(next, at);
    onOrder(until === undefined ? null : { do: 'hold', until });
  };
  return (
    <Stack gap="xs">
      <Select
        label={t('order.holdUntil')}
        allowDeselect={false}
        comboboxProps={{ zIndex: 400 }}
        data={holds.map((value) => ({ value, label: t(`order.hold.${value}`) }))}
        value={how}
        onChange={(value) => {
          setHow(value ?? 'released');
          tell(value ?? 'released', time);
        }}
      />
      {how === 'time' && (
        <TextInput
          type="datetime-local"
          label={t('order.holdTime')}
          value={time}
          onChange={(event) => {
            setTime(event.currentTarget.value);
            tell('time', event.currentTarget.value);
          }}
        />
      )}
    </Stack>
  );
}

/** s since 1970; null = without an end, undefined = nothing that is still to come */
function untilOf(how: string, at: string): number | null | undefined {
  if (how === 'released') return null;
  if (how === 'time') return momentOf(at);
  return how === 'hour' ? inAnHour() : tomorrowMorning();
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

function PriorityField({ onOrder }: Pick<Props, 'onOrder'>) {
  const { t } = useTranslation();
  const [value, setValue] = useState<number | string>(10);
  return (
    <NumberInput
      data-autofocus
      label={t('order.priority')}
      description={t('order.priorityHelp')}
      min={priorityBounds.least}
      max={priorityBounds.most}
      clampBehavior="strict"
      allowDecimal={false}
      value={value}
      onChange={(next) => {
        setValue(next);
        onOrder(typeof next === 'number' ? { do: 'priority', priority: next } : null);
      }}
    />
  );
}

function AddressField({ onOrder }: Pick<Props, 'onOrder'>) {
  const { t } = useTranslation();
  const [value, setValue] = useState('');
  return (
    <TextInput
      data-autofocus
      label={t('order.address')}
      type="email"
      value={value}
      onChange={(event) => {
        const to = event.currentTarget.value.trim();
        setValue(event.currentTarget.value);
        // nobody is told that half an address is none
        onOrder(/.@./.test(to) ? { do: 'readdress', to } : null);
      }}
    />
  );
}
