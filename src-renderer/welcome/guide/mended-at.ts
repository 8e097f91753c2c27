import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import type { Draft } from '../../settings/connection/draft.ts';
import type { FieldStep } from './faults.ts';

/** The step of the guide at which what the doctor found can be mended. */
export function mendedAt({ id }: Pick<DoctorStep, 'id'>): FieldStep {
  if (id.startsWith('ssh.')) return 'server';
  if (id.startsWith('mail.')) return 'mail';
  return 'shop';
}

/** Our own tables that are not there yet are no fault: the guide puts them in later. A shop's own must be there. */
export const comesLater = ({ id }: Pick<DoctorStep, 'id'>, { shape }: Pick<Draft, 'shape'>): boolean =>
  id === 'database.tables' && shape === 'studiou-wcmq';

/** What stands in the way of going on. */
export const inTheWay = (steps: readonly DoctorStep[], draft: Pick<Draft, 'shape'>): DoctorStep[] =>
  steps.filter((step) => step.color === 'red' && !comesLater(step, draft));
