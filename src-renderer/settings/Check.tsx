import { Button, Code, Group, Loader, Spoiler, Stack, Text, Title } from '@mantine/core';
import { IconDatabasePlus, IconStethoscope } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorStep, SchemaReport } from '../../src-main/contract/desk.ts';
import { call } from '../bridge/client.ts';
import { useAction, useSignal } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { useConfirm } from '../ui/Confirm.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Steps, withStep } from '../ui/Steps.tsx';
import { useShape } from '../ui/state-words.ts';
import { toastDone } from '../ui/toast.ts';
import { Books } from './Books.tsx';
import { Connector } from './Connector.tsx';
import { HostLimits } from './HostLimits.tsx';
import { TestMail } from './TestMail.tsx';

/** Looks at the whole way from here to the mail server, and puts in what lacks in the database. */
export default function Check() {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const { booksAlone, mailTypes } = useShape();
  const [steps, setSteps] = useState<DoctorStep[]>([]);
  const doctor = useAction(async () => {
    setSteps([]);
    setSteps(await call('shop:doctor', profile.id));
  });
  useSignal('shop:doctor-step', ({ profile: of, step }) => {
    if (of === profile.id) setSteps((old) => withStep(old, step));
  });
  return (
    <div className="pr-settings-body">
      <Stack gap="lg">
        <div>
          <Title order={2} size="h3">
            {t('check.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('check.text')}
          </Text>
        </div>
        <Group>
          <Button
            leftSection={<IconStethoscope size={17} aria-hidden />}
            loading={doctor.busy}
            onClick={() => void doctor.run()}
          >
            {t('check.run')}
          </Button>
        </Group>
        {doctor.error && <ErrorNote error={doctor.error} />}
        <Steps steps={steps} />
        {doctor.busy && <Loader type="dots" size="sm" />}
        {booksAlone ? <Books /> : <Tables />}
        {mailTypes && !profile.demo && <Connector />}
        {status && <TestMail />}
        {status && <HostLimits />}
      </Stack>
    </div>
  );
}

function Tables() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { mailTypes: ownQueue } = useShape();
  const { ask, dialog } = useConfirm();
  const [report, setReport] = useState<SchemaReport | null>(null);
  const look = useAction(async () => setReport(await call('shop:schema', profile.id, false)));
  const askApply = () =>
    ask({
      title: t('tables.applyTitle'),
      confirm: t('tables.apply'),
      body: t('tables.applyText', { count: report?.statements.length ?? 0 }),
      act: async () => {
        setReport(await call('shop:schema', profile.id, true));
        toastDone(t('tables.applied'));
        await refresh();
      },
    });
  return (
    <Stack gap="sm">
      <Title order={3} size="h4">
        {t('tables.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t(ownQueue ? 'tables.text' : 'tables.textBeside')}
      </Text>
      <Group>
        <Button
          variant="default"
          leftSection={<IconDatabasePlus size={17} aria-hidden />}
          loading={look.busy}
          onClick={() => void look.run()}
        >
          {t('tables.look')}
        </Button>
        {report && !report.complete && <Button onClick={askApply}>{t('tables.apply')}</Button>}
      </Group>
      {look.error && <ErrorNote error={look.error} />}
      {report?.complete && <Text size="sm">{t('tables.complete', { count: report.tables.length })}</Text>}
      {report && !report.complete && (
        <>
          <Text size="sm">
            {t('tables.lacking', { count: report.tables.filter((table) => !table.exists).length })}
          </Text>
          <Spoiler maxHeight={120} showLabel={t('common.showDetails')} hideLabel={t('common.hideDetails')}>
            <Code block>{report.statements.join(';\n\n')}</Code>
          </Spoiler>
        </>
      )}
      {dialog}
    </Stack>
  );
}
