import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Steps } from '../../ui/Steps.tsx';
import type { FieldsProps } from './ConnectionForm.tsx';
import { ChangedHostKey, NewHostKey } from './HostKeyNote.tsx';
import { shownKey } from './host-key.ts';
import type { Look } from './use-look.ts';
import './look.css';
import { told } from '../../i18n.ts';

interface StartProps {
  look: Look<unknown>;
  icon: ReactNode;
  label: string;
  /** what a screen reader says where the label alone could mean several; begins with the label */
  name?: string | undefined;
  onStart: () => void;
}

/** Starts a look; while it runs, what it is at and the way to stop it stand beside it. */
export function StartLook({ look, icon, label, name, onStart }: StartProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      {/* not `disabled`, which would take the keyboard's place away */}
      <Button
        variant="default"
        leftSection={icon}
        aria-label={name}
        aria-disabled={look.busy}
        {...(look.busy ? { 'data-disabled': true } : {})}
        onClick={() => !look.busy && onStart()}
      >
        {label}
      </Button>
      {look.busy && (
        <Button variant="subtle" onClick={look.stop}>
          {t('look.stop')}
        </Button>
      )}
    </Group>
  );
}

interface FindingsProps extends Pick<FieldsProps, 'draft' | 'change'> {
  look: Look<unknown>;
  /** what can be done about a step */
  action?: (step: DoctorStep) => ReactNode;
  /** what it found, once it is there */
  children?: ReactNode;
}

/** How a look goes on, and what came of it. A server's unknown key is offered for trust right here. */
export function Findings({ look, draft, change, action, children }: FindingsProps) {
  const { t } = useTranslation();
  const { looked, error } = look;
  const key = shownKey(error, look.steps);
  // what was said of a server says nothing of another one that the form has by now
  const same = looked !== null && looked.sshHost === draft.sshHost && looked.sshPort === draft.sshPort;
  const known = looked?.sshHostKey.trim() ?? '';
  // the doctor's words are for a profile; here the key is shown below, with what can be done about it
  const steps = look.steps.map((step) =>
    step.id === 'ssh.host-key' && key && same
      ? known === ''
        ? { ...step, color: 'amber' as const, found: t('hostKey.stepNew'), advice: null }
        : { ...step, found: t('hostKey.stepChanged'), advice: null }
      : step,
  );
  const trust = (sshHostKey: string) => {
    change({ sshHostKey });
    void look.start({ ...draft, sshHostKey });
  };
  return (
    <Stack gap="xs" className="pr-findings" data-empty={look.looked === null || undefined}>
      <div role="status" className="pr-look-status">
        {look.busy && (
          <Group gap="xs" wrap="nowrap">
            <Loader type="dots" size="xs" aria-hidden />
            <Text size="sm" c="dimmed">
              {look.words === null ? t('look.busy') : t('look.at', { words: told(look.words) })}
            </Text>
          </Group>
        )}
        {look.stopped && (
          <Text size="sm" c="dimmed">
            {t('look.stopped')}
          </Text>
        )}
      </div>
      {error && !(key && same) && <ErrorNote error={error} />}
      <Steps steps={steps} {...(action ? { action } : {})} />
      {key && same && !look.busy && known === '' && (
        <NewHostKey
          host={draft.sshHost}
          fingerprint={key}
          label={t('hostKey.trustAndGoOn')}
          onTrust={() => trust(key)}
        />
      )}
      {key && same && known !== '' && <ChangedHostKey host={draft.sshHost} now={key} before={known} />}
      {children}
    </Stack>
  );
}
