import { Group, NumberInput, Select, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  type Caps,
  capsBelow,
  type KnownHostId,
  knownHosts,
  type HostLimits as Limits,
  usualLimits,
} from '../../src-main/contract/host-limits.ts';
import { count } from '../ui/format.ts';

const lengths = ['minute', 'hour', 'day'] as const;
export const isStated = (limits: Limits): boolean => lengths.some((length) => limits[length] !== null);

/** What a person says of the host. */
export interface HostSaid {
  host: KnownHostId | null;
  limits: Limits;
}

interface Props {
  said: HostSaid;
  onSaid: (said: HostSaid) => void;
  /** what holds now */
  now: Pick<Caps, 'rate_per_minute'>;
}

/** Which host it is, what it allows, and what Postroom would make of it. */
export function HostLimitsFields({ said: { host, limits }, onSaid, now }: Props) {
  const { t } = useTranslation();
  const caps = capsBelow(limits, now);
  const choose = (id: KnownHostId | null) => onSaid({ host: id, limits: usualLimits(id) });
  return (
    <>
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
              onSaid({
                host,
                limits: { ...limits, [length]: typeof value === 'number' && value >= 1 ? value : null },
              })
            }
          />
        ))}
      </Group>
      {isStated(limits) && (
        <Text size="sm" aria-live="polite">
          {t('hostLimits.result', {
            minute: count(caps.rate_per_minute),
            hour: caps.rate_per_hour === 0 ? t('hostLimits.noLimit') : count(caps.rate_per_hour),
            day: caps.rate_per_day === 0 ? t('hostLimits.noLimit') : count(caps.rate_per_day),
          })}
        </Text>
      )}
    </>
  );
}
