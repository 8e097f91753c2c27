import {
  type MantineColorScheme,
  SegmentedControl,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

const icons = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } as const;
const schemes = ['light', 'dark', 'auto'] as const satisfies readonly MantineColorScheme[];

/** Light, dark, or as the system has it. */
export function SchemeSwitch() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('scheme.label')}
      value={colorScheme}
      onChange={(value) => setColorScheme(value)}
      data={schemes.map((scheme) => {
        const Icon = icons[scheme];
        return {
          value: scheme,
          label: (
            <span title={t(`scheme.${scheme}`)} style={{ display: 'grid', placeItems: 'center', height: 18 }}>
              <Icon size={15} aria-hidden />
              <VisuallyHidden>{t(`scheme.${scheme}`)}</VisuallyHidden>
            </span>
          ),
        };
      })}
    />
  );
}
