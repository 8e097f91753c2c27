import { Loader, Text, ThemeIcon } from '@mantine/core';
import {
  IconMailDown,
  IconMailFast,
  IconMailOff,
  IconMailPause,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ShopConnection } from '../../src-main/contract/channels.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { useShape } from '../ui/state-words.ts';

const signs = {
  enabled: { icon: IconMailFast, color: 'teal' },
  draining: { icon: IconMailDown, color: 'yellow' },
  disabled: { icon: IconMailOff, color: 'gray' },
  paused: { icon: IconMailPause, color: 'yellow' },
} as const;

/** The state as a sign, its word, and what it means. */
export function StateSign({ status, phase }: { status: ShopStatus | null; phase: ShopConnection['phase'] }) {
  const { t } = useTranslation();
  const { ownTable } = useShape();
  if (!status) {
    const connecting = phase === 'connecting' || phase === 'open';
    return (
      <div className="pr-sign">
        <ThemeIcon size={44} radius="md" variant="light" color={connecting ? 'ink' : 'red'} aria-hidden>
          {connecting ? <Loader size={22} /> : <IconPlugConnectedX size={24} stroke={1.6} />}
        </ThemeIcon>
        <div>
          <Text fw={650} size="lg" lh={1.25} role="status">
            {connecting ? t('banner.connecting') : t('banner.notConnected')}
          </Text>
        </div>
      </div>
    );
  }
  const { icon: Icon, color } = signs[status.pause ? 'paused' : status.state];
  return (
    <div className="pr-sign">
      <ThemeIcon size={44} radius="md" variant="light" color={color} aria-hidden>
        <Icon size={25} stroke={1.6} />
      </ThemeIcon>
      <div>
        <Text fw={650} size="lg" lh={1.25} role="status">
          {t(`banner.state.${status.state}`)}
        </Text>
        <Text size="xs" c="dimmed" lh={1.4}>
          {t(ownTable ? `banner.meaningOwnTable.${status.state}` : `banner.meaning.${status.state}`)}
        </Text>
      </div>
    </div>
  );
}
