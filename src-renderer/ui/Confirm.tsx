import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../bridge/hooks.ts';
import { ErrorNote } from './ErrorNote.tsx';

/** A question before something is done. */
export interface Question {
  title: string;
  body: ReactNode;
  /** label of the button that does it */
  confirm: string;
  danger?: boolean;
  act: () => Promise<unknown>;
  /** stops it while it is being done; without it, it is done in a moment */
  stop?: () => void;
}

export interface Confirm {
  ask: (question: Question) => void;
  /** whether a question is on screen: what lies below must then not close on Escape */
  asking: boolean;
  dialog: ReactNode;
}

/** Asks; closes when the action is done, shows why when it could not be. */
export function useConfirm(): Confirm {
  const { t } = useTranslation();
  const [question, setQuestion] = useState<Question | null>(null);
  const [opened, setOpened] = useState(false);
  const [asking, setAsking] = useState(false);
  const action = useAction(async () => question?.act());
  const close = () => {
    if (!action.busy) setOpened(false);
  };
  const ask = (next: Question) => {
    action.clear();
    setQuestion(next);
    setAsking(true);
    setOpened(true);
  };
  const dialog = (
    <Modal
      opened={opened}
      onClose={close}
      // not before it is gone: the Escape that closes it must not reach what lies below as well
      onExitTransitionEnd={() => setAsking(false)}
      title={<Text fw={650}>{question?.title}</Text>}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        {typeof question?.body === 'string' ? <Text size="sm">{question.body}</Text> : question?.body}
        {action.error && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          {action.busy && question?.stop ? (
            <Button variant="default" onClick={question.stop}>
              {t('look.stop')}
            </Button>
          ) : (
            <Button variant="default" onClick={close} disabled={action.busy} data-autofocus>
              {t('common.cancel')}
            </Button>
          )}
          <Button
            color={question?.danger ? 'red' : 'ink'}
            loading={action.busy}
            onClick={() => void action.run().then((done) => done && setOpened(false))}
          >
            {question?.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
  return { ask, asking, dialog };
}
