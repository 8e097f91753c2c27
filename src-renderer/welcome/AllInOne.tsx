import { Alert, Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconFileImport } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo, ImportedProfile, ProfileView } from '../../src-main/contract/channels.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { told } from '../i18n.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';

const ConnectionForm = lazy(() => import('../settings/connection/ConnectionForm.tsx'));

interface Props {
  /** what the guide has kept so far; null = nothing */
  view: ProfileView | null;
  /** the guide's form */
  form: unknown;
  info: AppInfo;
  onBack: () => void;
  onSaved: (view: ProfileView) => Promise<void>;
}

/** The whole connection in one form, for those who know what belongs where. */
export function AllInOne({ view, form, info, onBack, onSaved }: Props) {
  const { t } = useTranslation();
  const [imported, setImported] = useState<ImportedProfile | null>(null);
  const open = useAction(async () => {
    const found = await call('profiles:import');
    if (found) setImported(found);
  });
  return (
    <Box component="main" className="pr-welcome pr-scroll">
      <Stack w="100%" maw={760} gap="md" py={32}>
        <Group justify="space-between">
          <Button
            variant="subtle"
            color="gray"
            ml={-14}
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={onBack}
          >
            {t('guide.toGuide')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconFileImport size={16} aria-hidden />}
            onClick={() => void open.run()}
          >
            {t('connection.import')}
          </Button>
        </Group>
        <Title order={1} size="h2">
          {t('connection.title')}
        </Title>
        <Text c="dimmed" size="sm">
          {t('connection.intro')}
        </Text>
        {!info.vault.ok && <Alert color="yellow">{told(info.vault.reason)}</Alert>}
        {open.error && <ErrorNote error={open.error} />}
        {imported && <Alert>{t('connection.imported', { file: imported.file })}</Alert>}
        <Suspense fallback={null}>
          <ConnectionForm
            key={imported?.file}
            view={view}
            imported={imported?.form ?? form}
            onSaved={onSaved}
          />
        </Suspense>
      </Stack>
    </Box>
  );
}
