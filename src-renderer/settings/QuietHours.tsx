import { Group, Stack, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { QuietHours as Hours } from '../../src-main/contract/preferences.ts';

/** An evening and a night: what most people mean. */
const usual: Hours = { from: '20:00', to: '07:00' };

interface Props {
  hours: Hours | null;
  onChange: (hours: Hours | null) => void;
}

/** When nothing is to be heard of. */
export function QuietHours({ hours, onChange }: Props) {
  const { t } = useTranslation();
  const time = (which: keyof Hours, label: string) =>
    hours && (
      <TextInput
        type="time"
        label={label}
        w={120}
        value={hours[which]}
        // a field that was emptied is no time: what was there stays
        onChange={(event) =>
          event.currentTarget.value && onChange({ ...hours, [which]: event.currentTarget.value.slice(0, 5) })
        }
      />
    );
  return (
    <Stack gap="xs">
      <Switch
        label={t('computer.quiet')}
        description={t('computer.quietHelp')}
        checked={hours !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? usual : null)}
      />
      {hours && (
        <Group gap="sm">
          {time('from', t('computer.quietFrom'))}
          {time('to', t('computer.quietTo'))}
        </Group>
      )}
    </Stack>
  );
}
