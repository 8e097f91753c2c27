import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { MailFields } from '../../settings/connection/MailFields.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';
import { useFieldsStep } from './use-step.ts';

/** The account that sends, and whom the customers see as the sender. */
export function MailStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { draft, change } = guide;
  const step = useFieldsStep(guide, 'mail', 'mail', { to: 'check' });
  return (
    <StepFrame
      guide={guide}
      fields
      onNext={step.next}
      reason={step.reason}
      busy={step.busy ? t('guide.busy.test') : null}
      onStop={step.test.stop}
      otherwise={step.stuck ? { label: t('guide.allTheSame'), run: () => void guide.go('check') } : null}
    >
      <TextInput
        label={t('connection.from')}
        description={t('connection.fromHelp')}
        placeholder="Studio U <shop@shop.example>"
        required
        error={step.faults.from}
        value={draft.from}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <MailFields {...guide} faults={step.faults} tests={{ mail: step.test }} />
    </StepFrame>
  );
}
