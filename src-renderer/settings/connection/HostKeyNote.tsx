import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconKey, IconShieldX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface OfferProps {
  host: string;
  fingerprint: string;
  /** label of the button that trusts it */
  label: string;
  busy?: boolean;
  onTrust: () => void;
  children?: ReactNode;
}

/** A server that is met for the first time: its key, and the choice to trust it. */
export function NewHostKey({ host, fingerprint, label, busy = false, onTrust, children }: OfferProps) {
  const { t } = useTranslation();
  return (
    <Alert
      data-asks
      color="yellow"
      variant="light"
      icon={<IconKey size={18} aria-hidden />}
      title={t('hostKey.title')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('hostKey.text', { host })}</Text>
        <Code style={{ overflowWrap: 'anywhere' }}>{fingerprint}</Code>
        {children}
        <Button size="xs" loading={busy} onClick={onTrust}>
          {label}
        </Button>
      </Stack>
    </Alert>
  );
}

/** A server that shows another key than before: both, and no way to trust the new one with a click. */
export function ChangedHostKey({ host, now, before }: { host: string; now: string; before: string }) {
  const { t } = useTranslation();
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconShieldX size={18} aria-hidden />}
      title={t('hostKey.changedTitle')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('hostKey.changedText', { host })}</Text>
        <dl className="pr-keys">
          <dt>{t('hostKey.now')}</dt>
          <dd>
            <Code style={{ overflowWrap: 'anywhere' }}>{now}</Code>
          </dd>
          <dt>{t('hostKey.before')}</dt>
          <dd>
            <Code style={{ overflowWrap: 'anywhere' }}>{before}</Code>
          </dd>
        </dl>
      </Stack>
    </Alert>
  );
}
