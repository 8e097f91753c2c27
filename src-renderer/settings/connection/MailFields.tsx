import { Fieldset, Group, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldsProps } from './ConnectionForm.tsx';
import { SecretInput } from './SecretInput.tsx';
import { TestPart } from './TestPart.tsx';

const securities = ['starttls', 'tls', 'none'] as const;
const usualPorts: Record<string, number> = { starttls: 587, tls: 465, none: 25 };

/** The account that sends the shop's mail. */
export function MailFields({ draft, change, secret, wire, faults = {}, tests }: FieldsProps) {
  const { t } = useTranslation();
  const setSecurity = (smtpSecurity: string) => {
    const wasUsual = draft.smtpPort === usualPorts[draft.smtpSecurity];
    const port = usualPorts[smtpSecurity];
    change({ smtpSecurity, ...(wasUsual && port ? { smtpPort: port } : {}) });
  };
  return (
    <Fieldset legend={t('connection.mail')} className="pr-fields">
      <Group grow preventGrowOverflow={false} align="flex-start" wrap="nowrap">
        <TextInput
          label={t('connection.host')}
          placeholder="smtp.shop.example"
          required
          flex={1}
          error={faults.smtpHost}
          value={draft.smtpHost}
          onChange={(event) => change({ smtpHost: event.currentTarget.value })}
        />
        <NumberInput
          label={t('connection.port')}
          required
          maw={110}
          min={1}
          max={65_535}
          hideControls
          value={draft.smtpPort}
          onChange={(value) => typeof value === 'number' && change({ smtpPort: value })}
        />
      </Group>
      <Select
        label={t('connection.security')}
        allowDeselect={false}
        value={draft.smtpSecurity}
        onChange={(value) => value && setSecurity(value)}
        data={securities.map((value) => ({ value, label: t(`connection.securities.${value}`) }))}
      />
      <TextInput
        label={t('connection.user')}
        error={faults.smtpUser}
        value={draft.smtpUser}
        onChange={(event) => change({ smtpUser: event.currentTarget.value })}
      />
      <SecretInput label={t('connection.password')} {...secret('smtp.password')} />
      <Switch
        label={t('connection.smtpTunnel')}
        description={t('connection.smtpTunnelHelp')}
        disabled={!draft.viaSsh}
        checked={draft.viaSsh && draft.smtpVia === 'tunnel'}
        onChange={(event) => change({ smtpVia: event.currentTarget.checked ? 'tunnel' : 'direct' })}
      />
      <Switch
        label={t('connection.uncapped')}
        description={t('connection.uncappedHelp')}
        checked={draft.uncapped}
        onChange={(event) => change({ uncapped: event.currentTarget.checked })}
      />
      <TestPart part="mail" draft={draft} change={change} wire={wire} tests={tests} />
    </Fieldset>
  );
}
