import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type NumericSetting, type Settings, settingBounds } from '../../src-main/contract/settings.ts';
import { count } from '../ui/format.ts';
import type { SectionProps } from './ShopSettings.tsx';

interface Props extends SectionProps {
  name: NumericSetting;
  /** how many of the stored unit one shown unit is: 60 shows seconds as minutes */
  scale?: number;
  suffix?: string;
}

/** A number with its bounds and what it does. */
export function NumberSetting({ name, draft, change, scale = 1, suffix }: Props) {
  const { t } = useTranslation();
  const bounds = settingBounds[name];
  const [min, max] = [Math.ceil(bounds.min / scale), Math.floor(bounds.max / scale)];
  return (
    <NumberInput
      label={t(`setting.${name}.label`)}
      description={`${t(`setting.${name}.help`)} ${t('settings.bounds', {
        min: count(min),
        max: count(max),
        usual: count(bounds.default / scale),
      })}`}
      value={draft[name] / scale}
      onChange={(value) => {
        if (typeof value === 'number') change({ [name]: Math.round(value * scale) } as Partial<Settings>);
      }}
      min={min}
      max={max}
      clampBehavior="blur"
      allowDecimal={false}
      {...(suffix ? { suffix: ` ${suffix}` } : {})}
      maw={420}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}
