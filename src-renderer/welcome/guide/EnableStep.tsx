import { List, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import { asCallError, type CallError, call } from '../../bridge/client.ts';
import { useAction, useSignal } from '../../bridge/hooks.ts';
import { useShop } from '../../bridge/shop.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Steps, withStep } from '../../ui/Steps.tsx';
import { Reached, useReach } from './Reached.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';

interface Props {
  guide: Guide;
  onDone: (profile: { id: string }) => Promise<void>;
}

/** What enabling means, and doing it: the doctor's last word, then the queue is on. */
export function EnableStep({ guide, onDone }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const reach = useReach();
  const [pressed, setPressed] = useState(false);
  const [steps, setSteps] = useState<DoctorStep[]>([]);
  const [stopped, setStopped] = useState(false);
  const turn = useRef(0);
  const ownTable = guide.draft.shape !== 'studiou-wcmq';
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  useSignal('shop:doctor-step', ({ profile: of, step }) => {
    if (of === profile.id && running) setSteps((old) => withStep(old, step));
  });
  const finish = async () => {
    await call('guide:place', profile.id, null);
    await onDone(profile);
  };
  const enable = async () => {
    const mine = ++turn.current;
    setSteps([]);
    setStopped(false);
    setError(null);
    setRunning(true);
    try {
      // enabling looks at the way itself, and believes this look: so what it finds is seen, and can be stopped
      await call('shop:doctor', profile.id);
      if (turn.current !== mine) return;
      await call('shop:enable', profile.id);
      await finish();
    } catch (thrown) {
      if (turn.current === mine) setError(asCallError(thrown));
    } finally {
      if (turn.current === mine) setRunning(false);
    }
  };
  const leave = useAction(finish);
  const problem = error ?? leave.error;
  const enabled = status?.state === 'enabled';
  const reason =
    reach === 'no' ? t('guide.reason.notConnected') : reach === 'schema' ? t('guide.reason.noTables') : null;
  return (
    <StepFrame
      guide={guide}
      next={t(enabled ? 'guide.enable.toQueue' : 'guide.enable.go')}
      busy={running ? t('guide.busy.enable') : null}
      onStop={() => {
        turn.current += 1; // looking changes nothing: its answer is not waited for
        setStopped(true);
        setRunning(false);
      }}
      reason={stopped ? t('guide.enable.stopped') : pressed ? reason : null}
      onNext={() => {
        setPressed(true);
        if (reason) return;
        void (enabled ? leave.run() : enable());
      }}
      otherwise={
        enabled || reach !== 'open' ? null : { label: t('guide.enable.notYet'), run: () => void leave.run() }
      }
    >
      <Reached guide={guide}>
        {enabled ? (
          <Text>{t('guide.enable.already')}</Text>
        ) : (
          <List spacing="xs">
            <List.Item>{t(ownTable ? 'guide.enable.ownTable' : 'guide.enable.waits')}</List.Item>
            <List.Item>{t('guide.enable.runs')}</List.Item>
            <List.Item>{t('guide.enable.undone')}</List.Item>
            {!ownTable && <List.Item>{t('guide.enable.connector')}</List.Item>}
          </List>
        )}
      </Reached>
      <Steps steps={steps} />
      {problem && <ErrorNote error={problem} />}
    </StepFrame>
  );
}
