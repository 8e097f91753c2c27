import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { span } from '../ui/format.ts';
import { NumberSetting } from './NumberSetting.tsx';
import type { SectionProps } from './ShopSettings.tsx';

/** How fast mail may leave. */
export function Pace(props: SectionProps) {
  const { t } = useTranslation();
  // rounded up to whole seconds, as the gate does it: 7 a minute means one every 9 s
  const seconds = Math.ceil(60 / Math.max(1, props.draft.rate_per_minute));
  return (
    <>
      <NumberSetting {...props} name="rate_per_minute" />
      <Alert variant="light" color="gray" py={8}>
        <Text size="sm">
          {t('settings.paceMeans', { span: span(seconds, 'long'), perHour: Math.floor(3600 / seconds) })}
        </Text>
      </Alert>
      <NumberSetting {...props} name="rate_per_hour" />
      <NumberSetting {...props} name="rate_per_day" />
    </>
  );
}
