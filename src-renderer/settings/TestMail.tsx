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

/** A name, an @ and a domain with a dot: what a person's own mailbox looks like. */
const oneAddress = /^[^\s@<>,;]+@[^\s@<>,;.]+(?:\.[^\s@<>,;.]+)+$/;

interface Props {
  /** under a heading that says it all */
  plain?: boolean;
  /** told what became of it */
  onReport?: (report: TestMailReport) => void;
}

/** One mail to oneself, through the queue like any other. */
export function TestMail({ plain = false, onReport }: Props) {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const [address, setAddress] = useState('');
  const [waits, setWaits] = useState('');
  const [report, setReport] = useState<TestMailReport | null>(null);
  const [ended, setEnded] = useState('');
  const [wrong, setWrong] = useState(false);
  const send = useAction(async () => {
    setReport(null);
    setWaits('');
    setEnded('');
    try {
      const became = await call('shop:test-mail', profile.id, address.trim());
      setReport(became);
      onReport?.(became);
    } catch (thrown) {
      const { code, message } = asCallError(thrown);
      if (code !== 'stopped') throw thrown;
      setEnded(told(message)); // one that was on its way already may arrive
    }
    await refresh();
  });
  useSignal('shop:test-mail-waits', ({ profile: of, words }) => {
    if (of === profile.id) setWaits(told(words));
  });
  return (
    <form
      aria-label={t('testMail.title')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const usable = oneAddress.test(address.trim());
        setWrong(!usable);
        if (usable) void send.run();
      }}
    >
      <Stack gap="sm">
        {!plain && (
          <>
            <Title order={3} size="h4">
              {t('testMail.title')}
            </Title>
            <Text size="sm" c="dimmed">
              {t('testMail.text')}
            </Text>
          </>
        )}
        <Group align="flex-end" gap="xs">
          <TextInput
            type="email"
            label={t('testMail.address')}
            required
            w="min(320px, 100%)"
            error={wrong && t('testMail.wrong')}
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
            <Button
              variant="subtle"
              color="gray"
              onClick={() => void call('shop:stop-test-mail', profile.id)}
            >
              {t('testMail.stop')}
            </Button>
          )}
        </Group>
        {send.busy && (
          <Text size="sm" aria-live="polite">
            {waits || t('testMail.waits')}
          </Text>
        )}
        {ended && (
          <Text size="sm" role="status">
            {ended}
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
    </form>
  );
}
