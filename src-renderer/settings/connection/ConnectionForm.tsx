import { Button, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProfileView } from '../../../src-main/contract/channels.ts';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import type { GivenSecrets, LookDraft, LookPart } from '../../../src-main/contract/look.ts';
import type { SecretName } from '../../../src-main/contract/secrets.ts';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { DatabaseFields } from './DatabaseFields.tsx';
import { type Draft, emptyDraft, toDraft, toForm } from './draft.ts';
import { MailFields } from './MailFields.tsx';
import type { SecretChange } from './SecretInput.tsx';
import { SshFields } from './SshFields.tsx';
import { TestPart } from './TestPart.tsx';
import type { Look } from './use-look.ts';

/** What each group of fields is given. */
export interface FieldsProps {
  draft: Draft;
  /** what is wrong with a field, in words */
  faults?: Partial<Record<keyof Draft, string>> | undefined;
  /** the look that tests a part, where someone else wants to know of it as well */
  tests?: Partial<Record<LookPart, Look<DoctorStep[]>>> | undefined;
  change: (patch: Partial<Draft>) => void;
  secret: (name: SecretName) => {
    stored: boolean;
    change: SecretChange;
    onChange: (change: SecretChange) => void;
  };
  /** a draft as a look takes it, with what was typed of its secrets */
  wire: (draft: Draft) => LookDraft;
}

interface Props {
  /** the profile to change; null = a new one */
  view: ProfileView | null;
  /** what a new one starts from: a form out of a file */
  imported?: unknown;
  onSaved: (view: ProfileView) => Promise<void>;
}

/** How a shop is reached: its server, its database, its mail account. */
export default function ConnectionForm({ view, imported, onSaved }: Props) {
  const { t } = useTranslation();
  const start = view?.form ?? imported;
  const [draft, setDraft] = useState(() => (start === undefined ? emptyDraft : toDraft(start)));
  const [secrets, setSecrets] = useState<GivenSecrets>({});
  const save = useAction(async () => {
    const saved = await call('profiles:save', view?.id ?? null, toForm(draft, start), secrets);
    setSecrets({}); // nothing secret stays in the window longer than it must
    await onSaved(saved);
  });
  const props: FieldsProps = {
    draft,
    change: (patch) => setDraft((old) => ({ ...old, ...patch })),
    secret: (name) => ({
      stored: view?.secrets[name] === 'set',
      change: secrets[name],
      onChange: (change) =>
        setSecrets(({ [name]: _old, ...rest }) =>
          change === undefined ? rest : { ...rest, [name]: change },
        ),
    }),
    wire: (looked) => ({ profile: view?.id ?? null, form: toForm(looked, start), secrets }),
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Stack gap="md">
        <Fieldset legend={t('connection.shop')} className="pr-fields">
          <TextInput
            label={t('connection.name')}
            placeholder={t('connection.namePlaceholder')}
            required
            value={draft.name}
            onChange={(event) => props.change({ name: event.currentTarget.value })}
          />
          <TextInput
            label={t('connection.from')}
            description={t('connection.fromHelp')}
            placeholder="Studio U <shop@shop.example>"
            required
            value={draft.from}
            onChange={(event) => props.change({ from: event.currentTarget.value })}
          />
        </Fieldset>
        <SshFields {...props} />
        <DatabaseFields {...props} />
        <MailFields {...props} />
        <TestPart part="all" draft={draft} change={props.change} wire={props.wire} />
        {save.error && <ErrorNote error={save.error} />}
        <Group justify="flex-end" mt="xs">
          <Button type="submit" loading={save.busy}>
            {t(view && view.guide === null ? 'connection.save' : 'connection.connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
