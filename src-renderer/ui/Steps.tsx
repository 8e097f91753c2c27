import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep } from '../../src-main/contract/desk.ts';
import { told } from '../i18n.ts';
import './steps.css';

interface Props {
  steps: readonly DoctorStep[];
  /** what can be done about a step, below its advice */
  action?: (step: DoctorStep) => ReactNode;
}

/** What a check has found so far, step by step; read out as it grows. */
export function Steps({ steps, action }: Props) {
  const { t } = useTranslation();
  if (steps.length === 0) return null;
  return (
    <ul className="pr-steps" aria-label={t('check.steps')} aria-live="polite">
      {steps.map((step) => (
        <li key={step.id} className="pr-step">
          <span
            className="pr-lamp"
            data-color={step.color}
            role="img"
            aria-label={t(`lights.${step.color}`)}
          />
          <div>
            <Text size="sm" fw={550}>
              {told(step.title)}
            </Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {told(step.found)}
            </Text>
            {step.advice && (
              <Text size="sm" mt={2}>
                {told(step.advice)}
              </Text>
            )}
            {action?.(step)}
          </div>
          <Text size="xs" c="dimmed" className="pr-number">
            {t('check.ms', { ms: Math.round(step.ms) })}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** Steps with a new one put in its place. */
export function withStep(steps: readonly DoctorStep[], step: DoctorStep): DoctorStep[] {
  return [...steps.filter((one) => one.id !== step.id), step];
}
