import { Button, Checkbox, Fieldset, Group, NumberInput, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../../bridge/client.ts';
import { toastError } from '../../ui/toast.ts';
import type { FieldsProps } from './ConnectionForm.tsx';
import { FindSites } from './FindSites.tsx';
import { SecretInput } from './SecretInput.tsx';
import { TestPart } from './TestPart.tsx';

interface Props extends FieldsProps {
  /** whether shops are looked for right here */
  sites?: boolean;
}

/** The login to the shop's server. */
export function SshFields({ draft, change, secret, wire, faults = {}, tests, sites = true }: Props) {
  const { t } = useTranslation();
  const choose = async () => {
    try {
      const file = await call('app:choose-file', 'private-key');
      if (file) change({ sshKeyFile: file });
    } catch (thrown) {
      toastError(thrown);
    }
  };
  return (
    <Fieldset legend={t('connection.server')} className="pr-fields">
      <Switch
        label={t('connection.viaSsh')}
        description={t('connection.viaSshHelp')}
        checked={draft.viaSsh}
        onChange={(event) => change({ viaSsh: event.currentTarget.checked })}
      />
      {draft.viaSsh && (
        <>
          <Group grow preventGrowOverflow={false} align="flex-start" wrap="nowrap">
            <TextInput
              label={t('connection.host')}
              placeholder="shop.example"
              required
              flex={1}
              error={faults.sshHost}
              value={draft.sshHost}
              onChange={(event) => change({ sshHost: event.currentTarget.value })}
            />
            <NumberInput
              label={t('connection.port')}
              required
              maw={110}
              min={1}
              max={65_535}
              hideControls
              value={draft.sshPort}
              onChange={(value) => typeof value === 'number' && change({ sshPort: value })}
            />
          </Group>
          <TextInput
            label={t('connection.user')}
            required
            error={faults.sshUser}
            value={draft.sshUser}
            onChange={(event) => change({ sshUser: event.currentTarget.value })}
          />
          <SecretInput label={t('connection.sshPassword')} {...secret('ssh.password')} />
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              label={t('connection.keyFile')}
              description={t('connection.keyFileHelp')}
              placeholder="~/.ssh/id_ed25519"
              error={faults.sshKeyFile}
              value={draft.sshKeyFile}
              onChange={(event) => change({ sshKeyFile: event.currentTarget.value })}
            />
            <Button variant="default" onClick={() => void choose()}>
              {t('connection.choose')}
            </Button>
          </Group>
          {draft.sshKeyFile && (
            <SecretInput label={t('connection.passphrase')} {...secret('ssh.passphrase')} />
          )}
          <Checkbox
            label={t('connection.agent')}
            checked={draft.sshAgent}
            onChange={(event) => change({ sshAgent: event.currentTarget.checked })}
          />
          <TextInput
            label={t('connection.hostKey')}
            description={t('connection.hostKeyHelp')}
            placeholder="SHA256:…"
            error={faults.sshHostKey}
            value={draft.sshHostKey}
            onChange={(event) => change({ sshHostKey: event.currentTarget.value })}
          />
          <TestPart part="ssh" draft={draft} change={change} wire={wire} tests={tests} />
          {sites && <FindSites draft={draft} change={change} secret={secret} wire={wire} />}
        </>
      )}
    </Fieldset>
  );
}
