import { Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ProfileSummary, ShopConnection } from '../../src-main/contract/channels.ts';

const lamp: Record<ShopConnection['phase'], string> = {
  open: 'green',
  connecting: 'amber',
  failed: 'red',
  closed: 'grey',
};

interface Props {
  profile: ProfileSummary;
  profiles: ProfileSummary[];
  onChoose: (profile: string) => void;
  onAdd: () => void;
}

/** Which shop is on screen, and the others. */
export function ProfileMenu({ profile, profiles, onChoose, onAdd }: Props) {
  const { t } = useTranslation();
  return (
    <Menu width={240} position="bottom-start" radius="md" shadow="md">
      <Menu.Target>
        <UnstyledButton className="pr-nav pr-profile" aria-label={t('nav.shop', { name: profile.name })}>
          <span className="pr-lamp" data-color={lamp[profile.connection.phase]} />
          <span className="pr-clip pr-wide-only" style={{ flex: 1 }}>
            {profile.name}
          </span>
          <IconSelector size={16} aria-hidden className="pr-wide-only" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {profiles.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => onChoose(one.id)}
            leftSection={
              <span
                className="pr-lamp"
                style={{ display: 'block' }}
                data-color={lamp[one.connection.phase]}
              />
            }
            rightSection={one.id === profile.id ? <IconCheck size={16} aria-hidden /> : null}
          >
            <Text size="sm" truncate>
              {one.guide ? t('guide.unfinishedShop', { name: one.name || t('guide.noName') }) : one.name}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          {t('nav.addShop')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
