import { Group, Text, UnstyledButton } from '@mantine/core';
import { IconChartBar, IconInbox, IconListDetails, IconMailbox, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ProfileSummary } from '../../src-main/contract/channels.ts';
import { Mark } from '../ui/Mark.tsx';
import { ProfileMenu } from './ProfileMenu.tsx';
import { SchemeSwitch } from './SchemeSwitch.tsx';

export type Screen = 'queue' | 'overview' | 'log' | 'inbox' | 'settings';

const icons = {
  queue: IconMailbox,
  overview: IconChartBar,
  inbox: IconInbox,
  log: IconListDetails,
  settings: IconSettings,
} as const;

interface Props {
  screen: Screen;
  onScreen: (screen: Screen) => void;
  profile: ProfileSummary;
  profiles: ProfileSummary[];
  onChoose: (profile: string) => void;
  onAdd: () => void;
  version: string;
}

/** Where one is, and the way to everything else. */
export function Sidebar({ screen, onScreen, profile, profiles, onChoose, onAdd, version }: Props) {
  const { t } = useTranslation();
  const screens: Screen[] = profile.demo
    ? ['queue', 'overview', 'inbox', 'log', 'settings']
    : ['queue', 'overview', 'log', 'settings'];
  return (
    <aside className="pr-sidebar">
      <Group gap={10} px={10} pb={14} wrap="nowrap">
        <Mark size={26} />
        <Text fw={700} size="lg" lts={-0.2} className="pr-wide-only">
          Postroom
        </Text>
      </Group>
      <ProfileMenu profile={profile} profiles={profiles} onChoose={onChoose} onAdd={onAdd} />
      <nav aria-label={t('nav.label')} style={{ marginTop: 14, display: 'grid', gap: 2 }}>
        {screens.map((name) => {
          const Icon = icons[name];
          return (
            <UnstyledButton
              key={name}
              className="pr-nav"
              title={t(`nav.${name}`)}
              aria-current={name === screen ? 'page' : undefined}
              onClick={() => onScreen(name)}
            >
              <Icon size={19} stroke={1.7} aria-hidden />
              <span className="pr-wide-only">{t(`nav.${name}`)}</span>
            </UnstyledButton>
          );
        })}
      </nav>
      <div style={{ flex: 1 }} />
      <div className="pr-wide-only">
        <SchemeSwitch />
      </div>
      <Text size="xs" c="dimmed" ta="center" mt={8} className="pr-wide-only">
        {t('nav.version', { version })}
      </Text>
    </aside>
  );
}
