import { Alert, Button, Code, List, Spoiler, Stack, Text } from '@mantine/core';
import { IconDatabasePlus, IconNotebook, IconPlugConnected } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SchemaReport } from '../../src-main/contract/desk.ts';
import { call } from '../bridge/client.ts';
import { useAction, useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { useConfirm } from '../ui/Confirm.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useShape } from '../ui/state-words.ts';
import { toastDone } from '../ui/toast.ts';
import { booksArePinned } from './books-pinned.ts';

/** Ledger, pace and log live with this console alone: what does not hold then, and the way to change it. */
export function Books() {
  const { status } = useShop();
  const { booksAlone } = useShape();
  return status && booksAlone ? <Alone /> : null;
}

function Alone() {
  const { t } = useTranslation();
  const { profile, refresh } = useShop();
  const { ask, dialog } = useConfirm();
  const found = useFetched(
    async () => ({
      report: await call('shop:schema', profile.id, false),
      pinned: booksArePinned((await call('profiles:get', profile.id)).form),
    }),
    profile.id,
  );
  const add = useAction(async () => {
    // asked anew: somebody else may have added them meanwhile
    const report = await call('shop:schema', profile.id, false);
    if (report.complete) return found.refresh();
    return ask({
      title: t('books.addTitle', { count: report.tables.filter((table) => !table.exists).length }),
      confirm: t('books.addConfirm'),
      body: <WhatIsAdded report={report} />,
      act: async () => {
        await call('shop:schema', profile.id, true);
        toastDone(t('books.added'));
        await found.refresh();
      },
    });
  });
  const reconnect = useAction(async () => {
    await call('shop:disconnect', profile.id);
    await call('shop:connect', profile.id);
    await refresh();
  });
  const there = found.value?.report.complete === true;
  const pinned = found.value?.pinned === true;
  return (
    <Alert variant="light" color="ink" icon={<IconNotebook size={18} aria-hidden />} title={t('books.title')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" role="status">
          {t(pinned ? 'books.pinned' : there ? 'books.fromNext' : 'books.text')}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t('books.cap')}</List.Item>
          <List.Item>{t('books.doubt')}</List.Item>
        </List>
        {found.value && !pinned && !there && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDatabasePlus size={16} aria-hidden />}
            loading={add.busy}
            onClick={() => void add.run()}
          >
            {t('books.add')}
          </Button>
        )}
        {there && !pinned && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={reconnect.busy}
            onClick={() => void reconnect.run()}
          >
            {t('books.reconnect')}
          </Button>
        )}
        {[found.error, add.error, reconnect.error].map(
          (error) => error && <ErrorNote key={error.message} error={error} />,
        )}
      </Stack>
      {dialog}
    </Alert>
  );
}

/** Every table by its name, what comes along, and the statements for whoever reads such. */
function WhatIsAdded({ report }: { report: SchemaReport }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text size="sm">{t('books.addText')}</Text>
      <List size="sm" ff="monospace">
        {report.tables
          .filter((table) => !table.exists || table.missingColumns.length + table.missingKeys.length > 0)
          .map((table) => (
            <List.Item key={table.name}>{table.name}</List.Item>
          ))}
      </List>
      <Text size="sm">{t('books.comeAlong')}</Text>
      <Spoiler
        styles={{ control: { fontSize: 'var(--mantine-font-size-sm)' } }}
        maxHeight={0}
        showLabel={t('books.statements')}
        hideLabel={t('common.hideDetails')}
      >
        <Code block>{report.statements.join(';\n\n')}</Code>
      </Spoiler>
    </Stack>
  );
}
