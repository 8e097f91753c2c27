import { IconStethoscope } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LookPart } from '../../../src-main/contract/look.ts';
import { call } from '../../bridge/client.ts';
import type { FieldsProps } from './ConnectionForm.tsx';
import { Findings, StartLook } from './LookAround.tsx';
import { useLook } from './use-look.ts';

interface Props extends Pick<FieldsProps, 'draft' | 'change' | 'wire' | 'tests'> {
  part: LookPart;
}

/** The doctor on one part of the form, before anything is saved. */
export function TestPart({ part, draft, change, wire, tests }: Props) {
  const { t } = useTranslation();
  const own = useLook((id, form) => call('look:doctor', id, form, part), wire);
  const look = tests?.[part] ?? own;
  return (
    <>
      <StartLook
        look={look}
        icon={<IconStethoscope size={17} aria-hidden />}
        label={part === 'all' ? t('look.testOf.all') : t('look.test')}
        name={t(`look.testOf.${part}`)}
        onStart={() => void look.start(draft)}
      />
      {/* the answer holds every step; the last ones told may come after it */}
      <Findings look={{ ...look, steps: look.result ?? look.steps }} draft={draft} change={change} />
    </>
  );
}
