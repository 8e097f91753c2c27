import { useTranslation } from 'react-i18next';
import type { SleepReport } from '../../src-main/contract/status.ts';
import { span, when } from './format.ts';

/** A sleep of this computer in one line: how long, and what became of the mail. */
export function SleepWords({ sleep }: { sleep: SleepReport }) {
  const { t } = useTranslation();
  const found = (['sent', 'given_back', 'failed', 'in_doubt'] as const)
    .filter((what) => sleep[what] > 0)
    .map((what) => t(`sleep.${what}`, { count: sleep[what] }));
  return (
    <>
      {t('sleep.slept', {
        span: span(sleep.to - sleep.from, 'long'),
        from: when(sleep.from),
        to: when(sleep.to),
      })}{' '}
      {t('sleep.waited', { count: sleep.waited })} {found.length > 0 ? found.join(' ') : t('sleep.nothing')}
    </>
  );
}
