import { Button, Menu } from '@mantine/core';
import {
  IconArrowBarToUp,
  IconChevronUp,
  IconHandStop,
  IconListNumbers,
  IconMailForward,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useShape } from '../../ui/state-words.ts';
import type { OrderKind } from './use-orders.tsx';

const actions = [
  { kind: 'hold', icon: IconHandStop, ours: false },
  { kind: 'release', icon: IconPlayerPlay, ours: false },
  { kind: 'next', icon: IconArrowBarToUp, ours: true },
  { kind: 'priority', icon: IconListNumbers, ours: true },
  { kind: 'readdress', icon: IconMailForward, ours: true },
] as const;

/** What else can be done; a shop's own table cannot carry all of it. */
export function MoreActions({ size, onAsk }: { size: 'xs' | 'sm'; onAsk: (kind: OrderKind) => void }) {
  const { t } = useTranslation();
  const { mailTypes } = useShape();
  return (
    <Menu position="top-end" withinPortal zIndex={250} shadow="md">
      <Menu.Target>
        <Button size={size} variant="default" rightSection={<IconChevronUp size={14} aria-hidden />}>
          {t('actions.more')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter(({ ours }) => mailTypes || !ours)
          .map(({ kind, icon: Icon }) => (
            <Menu.Item key={kind} leftSection={<Icon size={16} aria-hidden />} onClick={() => onAsk(kind)}>
              {t(`actions.${kind}`)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
