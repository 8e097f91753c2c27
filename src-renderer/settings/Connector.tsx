import { Button, Group, List, Loader, Radio, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorReport, ConnectorTables } from '../../src-main/contract/connector.ts';
import { call } from '../bridge/client.ts';
import { useShop } from '../bridge/shop.tsx';
import { told } from '../i18n.ts';
import { useConfirm } from '../ui/Confirm.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { count } from '../ui/format.ts';
import { toastDone } from '../ui/toast.ts';
import { useConnectorWork } from './use-connector.ts';

/** The plugin in the shop: what is there, putting it in, taking it out. Nothing is touched without a question before. */
export function Connector() {
  const { t } = useTranslation();
  const { profile } = useShop();
  const work = useConnectorWork();
  const { ask, dialog } = useConfirm();
  const [folders, setFolders] = useState<string[]>([]);
  const [folder, setFolder] = useState<string | null>(null);
  const [report, setReport] = useState<ConnectorReport | null>(null);
  const [stays, setStays] = useState<string[]>([]);

  const look = async (chosen: string | null) => {
    setReport(null);
    setStays([]);
    const found = await work.run((id) => call('connector:status', id, profile.id, chosen));
    if (found && 'folders' in found) setFolders(found.folders);
    else setReport(found);
  };
  const install = async (replaceChanged: boolean, anyPhp: boolean) => {
    const done = await work.run((id) =>
      call('connector:install', id, profile.id, { folder, replaceChanged, anyPhp }),
    );
    if (!done) return;
    setReport(done);
    toastDone(t('connector.installed'));
  };
  const remove = async (replaceChanged: boolean, tables: boolean, withWaiting: boolean) => {
    const done = await work.run((id) =>
      call('connector:remove', id, profile.id, { folder, replaceChanged, tables, withWaiting }),
    );
    if (!done) return;
    setReport(done.report);
    setStays(done.stays);
    toastDone(t('connector.removed'));
  };

  const askInstall = ({ site, odd, obstacles }: ConnectorReport) =>
    ask({
      title: t('connector.installTitle'),
      confirm: t(
        odd.length > 0
          ? 'connector.replaceConfirm'
          : obstacles.length > 0
            ? 'connector.phpConfirm'
            : 'connector.install',
      ),
      danger: odd.length + obstacles.length > 0,
      body: (
        <Touched text={t('connector.installText', { folder: site.plugins })} report={{ odd, obstacles }} />
      ),
      // the work goes on below the question, where it can be stopped
      act: async () => void install(odd.length > 0, obstacles.length > 0),
    });
  const askRemove = ({ site, odd }: ConnectorReport) =>
    ask({
      title: t('connector.removeTitle'),
      confirm: t(odd.length > 0 ? 'connector.deleteConfirm' : 'connector.remove'),
      danger: true,
      body: (
        <Touched text={t('connector.removeText', { folder: site.plugins })} report={{ odd, obstacles: [] }} />
      ),
      act: async () => void remove(odd.length > 0, false, false),
    });
  const askTables = async ({ site, odd }: ConnectorReport) => {
    const found = await work.run((id) => call('connector:tables', id, profile.id));
    if (!found) return;
    const act = async (withWaiting: boolean) =>
      void remove(odd.length > 0, found.tables.length > 0, withWaiting);
    ask({
      title: t('connector.tablesTitle'),
      confirm: t('connector.tablesConfirm'),
      danger: true,
      body: (
        <Touched text={t('connector.tablesText', { folder: site.plugins })} report={{ odd, obstacles: [] }}>
          <Tables tables={found.tables} />
        </Touched>
      ),
      act: async () => {
        if (found.waiting === 0) await act(false);
        // the first question has to be gone before the second one comes
        else setTimeout(() => askWaiting(found, () => act(true)), 300);
      },
    });
  };
  const askWaiting = ({ waiting }: ConnectorTables, act: () => Promise<void>) =>
    ask({
      title: t('connector.waitingTitle', { count: waiting, number: count(waiting) }),
      confirm: t('connector.waitingConfirm'),
      danger: true,
      body: t('connector.waitingText'),
      act,
    });

  return (
    <Stack gap="sm" component="section" aria-label={t('connector.title')}>
      <Title order={3} size="h4">
        {t('connector.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('connector.text')}
      </Text>
      {folders.length > 0 && (
        <Radio.Group
          label={t('connector.which')}
          value={folder}
          onChange={(chosen) => {
            setFolder(chosen);
            void look(chosen);
          }}
        >
          <Stack gap={6} mt={6}>
            {folders.map((one) => (
              <Radio key={one} value={one} label={one} disabled={work.busy} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {report && <Report report={report} />}
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={17} aria-hidden />}
          disabled={work.busy}
          onClick={() => void look(folder)}
        >
          {t('connector.look')}
        </Button>
        {report && !work.busy && (
          <Orders
            report={report}
            onInstall={() => askInstall(report)}
            onRemove={() => askRemove(report)}
            onTables={() => void askTables(report)}
          />
        )}
        {work.busy && (
          <Button variant="subtle" onClick={work.stop}>
            {t('connector.stop')}
          </Button>
        )}
      </Group>
      <div role="status">
        {work.busy && (
          <Group gap="xs" wrap="nowrap">
            <Loader type="dots" size="xs" aria-hidden />
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {work.words === null ? t('connector.busy') : told(work.words)}
            </Text>
          </Group>
        )}
        {work.stopped && <Text size="sm">{t('connector.stopped')}</Text>}
      </div>
      {work.error && <ErrorNote error={work.error} />}
      {stays.length > 0 && <Lines title={t('connector.stays')} lines={stays.map(told)} />}
      {dialog}
    </Stack>
  );
}

/** What can be done with what is there; a WordPress that is too old or a newer connector leaves nothing to install. */
function Orders({
  report,
  onInstall,
  onRemove,
  onTables,
}: {
  report: ConnectorReport;
  onInstall: () => void;
  onRemove: () => void;
  onTables: () => void;
}) {
  const { t } = useTranslation();
  const { state, odd, obstacles } = report;
  const may = obstacles.every(({ what }) => what === 'php');
  const label = {
    absent: 'install',
    partial: 'again',
    current: 'again',
    older: 'update',
    newer: 'update',
  } as const;
  return (
    <>
      {may && (state !== 'current' || odd.length > 0) && (
        <Button onClick={onInstall}>{t(`connector.${label[state]}`)}</Button>
      )}
      {(state !== 'absent' || report.leftovers.length > 0) && (
        <>
          <Button variant="default" onClick={onRemove}>
            {t('connector.remove')}
          </Button>
          <Button variant="default" onClick={onTables}>
            {t('connector.removeTables')}
          </Button>
        </>
      )}
    </>
  );
}

function Report({ report }: { report: ConnectorReport }) {
  const { t } = useTranslation();
  const { state, version, offered, site, odd, obstacles, notes, leftovers } = report;
  return (
    <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm" fw={600} role="status">
        {t(`connector.state.${state}`, { version: version ?? '?', offered })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('connector.where', { folder: site.plugins })}
      </Text>
      <Odd odd={odd} />
      {leftovers.length > 0 && <Text size="sm">{t('connector.leftovers')}</Text>}
      {[...obstacles.map(({ words }) => words), ...notes].map((words) => (
        <Text size="sm" key={words}>
          {told(words)}
        </Text>
      ))}
    </Stack>
  );
}

function Odd({ odd }: Pick<ConnectorReport, 'odd'>) {
  const { t } = useTranslation();
  if (odd.length === 0) return null;
  return (
    <Lines
      title={t('connector.oddTitle')}
      lines={odd.map(({ name, how }) => t(`connector.odd.${how}`, { name }))}
    />
  );
}

/** In a question: what is touched, and what speaks against it. */
function Touched({
  text,
  report: { odd, obstacles },
  children,
}: {
  text: string;
  report: Pick<ConnectorReport, 'odd' | 'obstacles'>;
  children?: ReactNode;
}) {
  return (
    <Stack gap="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{text}</Text>
      <Odd odd={odd} />
      {obstacles.map(({ words }) => (
        <Text size="sm" key={words}>
          {told(words)}
        </Text>
      ))}
      {children}
    </Stack>
  );
}

function Tables({ tables }: Pick<ConnectorTables, 'tables'>) {
  const { t } = useTranslation();
  if (tables.length === 0) return <Text size="sm">{t('connector.noTables')}</Text>;
  return (
    <List size="sm">
      {tables.map(({ name, rows }) => (
        <List.Item key={name}>{t('connector.table', { name, count: rows, number: count(rows) })}</List.Item>
      ))}
    </List>
  );
}

function Lines({ title, lines }: { title: string; lines: string[] }) {
  return (
    <div>
      <Text size="sm">{title}</Text>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </div>
  );
}
