import { Radio, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useShape } from '../ui/state-words.ts';
import { NumberSetting } from './NumberSetting.tsx';
import type { SectionProps } from './ShopSettings.tsx';

/** What happens to mail that did not get through at once. */
export function Retries(props: SectionProps) {
  const { t } = useTranslation();
  const { ownTable } = useShape();
  return (
    <>
      <NumberSetting {...props} name="max_attempts" />
      <Radio.Group
        label={t('setting.in_doubt.label')}
        description={t('setting.in_doubt.help')}
        value={props.draft.in_doubt}
        onChange={(value) => props.change({ in_doubt: value === 'retry' ? 'retry' : 'hold' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="hold" label={t('setting.in_doubt.hold')} />
          <Radio value="retry" label={t('setting.in_doubt.retry')} />
        </Stack>
      </Radio.Group>
      <NumberSetting {...props} name="max_reclaims" />
      <NumberSetting {...props} name="claim_timeout" scale={60} suffix={t('units.minutes')} />
      {/* the connector alone obeys it; what fills another table waits for nobody */}
      {!ownTable && (
        <NumberSetting {...props} name="console_timeout" scale={60} suffix={t('units.minutes')} />
      )}
    </>
  );
}
