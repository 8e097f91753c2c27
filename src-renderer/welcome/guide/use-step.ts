import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import type { GuideStep } from '../../../src-main/contract/guide.ts';
import type { LookPart } from '../../../src-main/contract/look.ts';
import { call } from '../../bridge/client.ts';
import type { Draft } from '../../settings/connection/draft.ts';
import { type Look, useLook } from '../../settings/connection/use-look.ts';
import { type FieldStep, faultsOf } from './faults.ts';
import { inTheWay } from './mended-at.ts';
import type { Guide } from './use-guide.ts';

export interface FieldsStep {
  faults: Partial<Record<keyof Draft, string>>;
  test: Look<DoctorStep[]>;
  /** goes on when the fields are filled in and the test is well, testing first where that was not done */
  next: () => void;
  reason: string | null;
  /** the test was red: it can be gone on with all the same */
  stuck: boolean;
  busy: boolean;
}

/** A step with fields: they must be filled in, and what they say is tried before it goes on. */
export function useFieldsStep(
  guide: Guide,
  step: FieldStep,
  part: LookPart,
  { to, skip = false, lack = null }: { to: GuideStep; skip?: boolean; lack?: string | null },
): FieldsStep {
  const { t } = useTranslation();
  const { draft } = guide;
  const [tried, setTried] = useState(false);
  const [stuck, setStuck] = useState(false);
  /** going on was asked for: a test that is well does it, also one that comes after the server's key was trusted */
  const wanted = useRef(false);
  const [keyAsked, setKeyAsked] = useState(false);
  const found = faultsOf(step, draft, guide.has('smtp.password'));
  const look = useLook((id, form) => call('look:doctor', id, form, part), guide.wire);
  const test: Look<DoctorStep[]> = {
    ...look,
    start: async (looked) => {
      setStuck(false);
      setKeyAsked(false);
      const steps = await look.start(looked);
      if (!steps) return steps;
      const red = inTheWay(steps, looked);
      if (red.length === 0) guide.setGood(part, looked);
      if (red.length === 0 && wanted.current) void guide.go(to);
      const asks = red.some(({ id }) => id === 'ssh.host-key') && looked.sshHostKey.trim() === '';
      setKeyAsked(asks);
      setStuck(red.length > 0 && !asks);
      return steps;
    },
  };
  const lacking = Object.keys(found).length > 0 ? t('guide.reason.fields') : lack;
  const next = () => {
    setTried(true);
    if (lacking || test.busy) return;
    if (skip || guide.isGood(part)) return void guide.go(to);
    wanted.current = true;
    void test.start(draft);
  };
  const faults = Object.fromEntries(
    Object.entries(found).map(([field, fault]) => [field, t(`guide.fault.${fault}`)]),
  );
  const failed = look.error !== null || stuck;
  const why = () => {
    if (tried && lacking) return lacking;
    if (test.busy) return null;
    if (keyAsked && draft.sshHostKey.trim() === '') return t('guide.reason.key');
    return failed ? t(`guide.reason.${step}`) : null;
  };
  return {
    faults: tried ? faults : {},
    test,
    next,
    busy: test.busy,
    stuck: failed && !lacking && !test.busy,
    reason: why(),
  };
}
