import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { NumberSetting } from './NumberSetting.tsx';
import type { SectionProps } from './ShopSettings.tsx';

/** How long finished mail and the log are kept. */
export function Keeping(props: SectionProps) {
  const { t } = useTranslation();
  const days = t('units.days');
  return (
    <>
      <NumberSetting {...props} name="retention_sent_days" suffix={days} />
      <NumberSetting {...props} name="retention_failed_days" suffix={days} />
      <NumberSetting {...props} name="retention_log_days" suffix={days} />
      <Switch
        label={t('setting.debug.label')}
        description={t('setting.debug.help')}
        checked={props.draft.debug}
        onChange={(event) => props.change({ debug: event.currentTarget.checked })}
      />
    </>
  );
}
