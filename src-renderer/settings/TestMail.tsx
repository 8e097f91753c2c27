import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconMailFast } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestMailReport } from '../../src-main/contract/desk.ts';
import { asCallError, call } from '../bridge/client.ts';
import { useAction, useSignal } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { told } from '../i18n.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';

/** One mail to oneself, through the queue like any other. */
export function TestMail() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const [address, setAddress] = useState('');
  const [waits, setWaits] = useState('');
  const [report, setReport] = useState<TestMailReport | null>(null);
  const send = useAction(async () => {
    setReport(null);
    setWaits('');
    try {
      setReport(await call('shop:test-mail', profile.id, address.trim()));
    } catch (thrown) {
      // whoever stopped it knows
      if (asCallError(thrown).code !== 'stopped') throw thrown;
    }
    await refresh();
  });
  useSignal('shop:test-mail-waits', ({ profile: of, words }) => {
    if (of === profile.id) setWaits(told(words));
  });
  return (
    <Stack
      gap="sm"
      component="form"
      aria-label={t('testMail.title')}
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <Title order={3} size="h4">
        {t('testMail.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('testMail.text')}
      </Text>
      <Group align="flex-end" gap="xs">
        <TextInput
          type="email"
          label={t('testMail.address')}
          required
          w="min(320px, 100%)"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<IconMailFast size={17} aria-hidden />}
          loading={send.busy}
        >
          {t('testMail.send')}
        </Button>
        {send.busy && (
          <Button variant="subtle" color="gray" onClick={() => void call('shop:stop-test-mail', profile.id)}>
            {t('testMail.stop')}
          </Button>
        )}
      </Group>
      {send.busy && (
        <Text size="sm" aria-live="polite">
          {waits || t('testMail.waits')}
        </Text>
      )}
      {send.error && <ErrorNote error={send.error} />}
      {report && (
        <Alert role="status" color={report.ok ? 'teal' : 'red'} variant="light">
          <Text size="sm">
            {t(report.ok ? 'testMail.taken' : 'testMail.failed', {
              words: told(report.words),
              seconds: report.tookS,
            })}
          </Text>
        </Alert>
      )}
    </Stack>
  );
}
