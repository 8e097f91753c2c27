import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { capsBelow } from '../../../src-main/contract/host-limits.ts';
import { settingBounds } from '../../../src-main/contract/settings.ts';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { HostLimitsFields, isStated } from '../../settings/HostLimitsFields.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { guessHost } from './guess-host.ts';
import { Reached, useReach } from './Reached.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';

/** What the host allows, and the limits below it; something careful is chosen already. */
export function PaceStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const reach = useReach();
  const [pressed, setPressed] = useState(false);
  const said = guide.host ?? guessHost(guide.draft.smtpHost);
  const now = status?.settings ?? { rate_per_minute: settingBounds.rate_per_minute.default };
  const save = useAction(async () => {
    const caps = capsBelow(said.limits, now);
    // where the tables are there already they win; where they are not, they are made with these
    if (status) await call('settings:save', profile.id, caps);
    guide.seed(caps);
    await guide.keep('tables');
    if (reach === 'schema') await call('guide:connect', profile.id);
    await guide.go('tables');
  });
  const stated = isStated(said.limits);
  const reason = reach === 'no' ? t('guide.reason.notConnected') : stated ? null : t('guide.reason.noPace');
  return (
    <StepFrame
      guide={guide}
      busy={save.busy ? t('guide.busy.keep') : null}
      reason={pressed ? reason : null}
      onNext={() => {
        setPressed(true);
        if (!reason) void save.run();
      }}
      otherwise={
        reach !== 'no' && !stated
          ? { label: t('guide.pace.asItIs'), run: () => void guide.go('tables') }
          : null
      }
    >
      <Reached guide={guide}>
        <HostLimitsFields said={said} onSaid={guide.setHost} now={now} />
      </Reached>
      {save.error && <ErrorNote error={save.error} />}
    </StepFrame>
  );
}
