import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { guideSteps } from '../../../src-main/contract/guide.ts';
import type { Guide } from './use-guide.ts';

/** All steps; those that were reached can be gone to, the others say that they come later. */
export function StepList({ guide: { step, reached, go } }: { guide: Guide }) {
  const { t } = useTranslation();
  const at = guideSteps.indexOf(step);
  return (
    <nav aria-label={t('guide.steps')} className="pr-guide-steps">
      <ol>
        {guideSteps.map((one, i) => {
          const mark = (
            <span className="pr-guide-mark" aria-hidden>
              {i < reached && i !== at ? <IconCheck size={14} /> : i + 1}
            </span>
          );
          const words = <span className="pr-guide-word">{t(`guide.title.${one}`)}</span>;
          return (
            <li key={one} data-at={i === at || undefined} data-done={i < reached || undefined}>
              {i <= reached ? (
                <button
                  type="button"
                  aria-current={i === at ? 'step' : undefined}
                  title={t(`guide.title.${one}`)}
                  onClick={() => i !== at && void go(one)}
                >
                  {mark}
                  {words}
                </button>
              ) : (
                <span className="pr-guide-later" title={t('guide.later', { title: t(`guide.title.${one}`) })}>
                  {mark}
                  {words}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
