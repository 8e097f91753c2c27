import { Alert, Button, List, Text } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { Findings, StartLook } from '../../settings/connection/LookAround.tsx';
import { useLook } from '../../settings/connection/use-look.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { type FieldStep, faultsOf } from './faults.ts';
import { comesLater, inTheWay, mendedAt } from './mended-at.ts';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';

const fieldSteps = ['server', 'shop', 'mail'] as const satisfies readonly FieldStep[];

/** The doctor on everything, by itself; what is red leads back to where it is mended. */
export function CheckStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { draft, wire } = guide;
  const look = useLook((id, form) => call('look:doctor', id, form, 'all'), wire);
  const [pressed, setPressed] = useState(false);
  const connect = useAction(async () => {
    const kept = await guide.keep('pace');
    if (kept) await call('guide:connect', kept.id);
    await guide.go('pace');
  });
  const unfilled = fieldSteps.filter(
    (step) => Object.keys(faultsOf(step, draft, guide.has('smtp.password'))).length > 0,
  );
  const whole = unfilled.length === 0;
  const first = useEffectEvent(() => {
    if (whole) void look.start(draft);
  });
  useEffect(() => first(), []);
  const steps = look.result ?? look.steps;
  const red = look.result ? inTheWay(look.result, draft) : [];
  const shown = steps.map((step) =>
    step.color === 'red' && comesLater(step, draft)
      ? { ...step, color: 'amber' as const, advice: t('guide.check.tablesLater') }
      : step,
  );
  const reason = () => {
    if (!whole) return t('guide.reason.unfilled');
    if (!look.result) return t('guide.reason.unchecked');
    return red.length > 0 ? t('guide.reason.red', { count: red.length }) : null;
  };
  const next = () => {
    setPressed(true);
    if (!reason() && !look.busy) void connect.run();
  };
  const mend = (step: DoctorStep) => {
    if (step.color !== 'red') return null;
    const at = mendedAt(step);
    return (
      <Button size="xs" variant="default" mt={6} onClick={() => void guide.go(at)}>
        {t('guide.check.mend', { step: t(`guide.title.${at}`) })}
      </Button>
    );
  };
  return (
    <StepFrame
      guide={guide}
      onNext={next}
      busy={look.busy ? t('guide.busy.check') : connect.busy ? t('guide.busy.keep') : null}
      onStop={look.busy ? look.stop : undefined}
      reason={pressed || look.result || look.error ? (reason() ?? t('guide.check.well')) : null}
    >
      {!whole && (
        <Alert color="yellow" variant="light">
          <Text size="sm">{t('guide.check.unfilled')}</Text>
          <List size="sm" listStyleType="none" mt={6}>
            {unfilled.map((step) => (
              <List.Item key={step} mb={6}>
                <Button size="xs" variant="default" onClick={() => void guide.go(step)}>
                  {t('guide.check.mend', { step: t(`guide.title.${step}`) })}
                </Button>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {whole && (
        <StartLook
          look={look}
          icon={<IconStethoscope size={17} aria-hidden />}
          label={t('guide.check.again')}
          onStart={() => void look.start(draft)}
        />
      )}
      <Findings look={{ ...look, steps: shown }} draft={draft} change={guide.change} action={mend} />
      {connect.error && <ErrorNote error={connect.error} />}
    </StepFrame>
  );
}
