import { Button, Group, NumberInput, Select, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  capsBelow,
  type KnownHostId,
  knownHosts,
  type HostLimits as Limits,
} from '../../src-main/contract/host-limits.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { count } from '../ui/format.ts';
import { toastDone } from '../ui/toast.ts';

const lengths = ['minute', 'hour', 'day'] as const;

/** What the host allows, and the limits that Postroom keeps below it. */
export function HostLimits() {
  const { t } = useTranslation();
  const { profile, status, refresh } = useShop();
  const [host, setHost] = useState<KnownHostId | null>(null);
  const [limits, setLimits] = useState<Limits>({ minute: null, hour: null, day: null });
  const stated = lengths.some((length) => limits[length] !== null);
  const save = useAction(async () => {
    if (!status) return;
    await call('settings:save', profile.id, capsBelow(limits, status.settings));
    await refresh();
    toastDone(t('hostLimits.saved'));
  });
  if (!status) return null;
  const caps = capsBelow(limits, status.settings);
  const choose = (id: KnownHostId | null) => {
    setHost(id);
    setLimits(knownHosts.find((one) => one.id === id)?.usual ?? { minute: null, hour: null, day: null });
  };
  return (
    <Stack
      gap="sm"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
      aria-label={t('hostLimits.title')}
    >
      <Title order={3} size="h4">
        {t('hostLimits.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('hostLimits.text')}
      </Text>
      <Select
        label={t('hostLimits.host')}
        placeholder={t('hostLimits.choose')}
        maw={360}
        value={host}
        onChange={(value) => choose(value as KnownHostId | null)}
        data={knownHosts.map(({ id, name }) => ({ value: id, label: name || t('hostLimits.other') }))}
      />
      {host && <Text size="sm">{t(`hostLimits.where.${host}`)}</Text>}
      <Group align="flex-end" gap="sm">
        {lengths.map((length) => (
          <NumberInput
            key={length}
            label={t(`hostLimits.per.${length}`)}
            placeholder={t('hostLimits.none')}
            w={150}
            min={1}
            max={10_000_000}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            value={limits[length] ?? ''}
            onChange={(value) =>
              setLimits((old) => ({
                ...old,
                [length]: typeof value === 'number' && value >= 1 ? value : null,
              }))
            }
          />
        ))}
      </Group>
      {stated && (
        <Text size="sm" aria-live="polite">
          {t('hostLimits.result', {
            minute: count(caps.rate_per_minute),
            hour: caps.rate_per_hour === 0 ? t('hostLimits.noLimit') : count(caps.rate_per_hour),
            day: caps.rate_per_day === 0 ? t('hostLimits.noLimit') : count(caps.rate_per_day),
          })}
        </Text>
      )}
      {save.error && <ErrorNote error={save.error} />}
      <Group>
        <Button type="submit" variant="default" disabled={!stated} loading={save.busy}>
          {t('hostLimits.save')}
        </Button>
      </Group>
    </Stack>
  );
}
