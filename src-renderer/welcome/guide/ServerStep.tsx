import { useTranslation } from 'react-i18next';
import { SshFields } from '../../settings/connection/SshFields.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';
import { useFieldsStep } from './use-step.ts';

/** The login to the shop's server; or none, where the database can be reached by itself. */
export function ServerStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { draft, has } = guide;
  const noWayIn = draft.viaSsh && !has('ssh.password') && draft.sshKeyFile.trim() === '' && !draft.sshAgent;
  const step = useFieldsStep(guide, 'server', 'ssh', {
    to: 'shop',
    skip: !draft.viaSsh,
    lack: noWayIn ? t('guide.reason.noWayIn') : null,
  });
  return (
    <StepFrame
      guide={guide}
      fields
      onNext={step.next}
      reason={step.reason}
      busy={step.busy ? t('guide.busy.test') : null}
      onStop={step.test.stop}
      otherwise={step.stuck ? { label: t('guide.allTheSame'), run: () => void guide.go('shop') } : null}
    >
      <SshFields {...guide} faults={step.faults} tests={{ ssh: step.test }} sites={false} />
    </StepFrame>
  );
}
